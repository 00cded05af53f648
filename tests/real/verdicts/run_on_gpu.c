// SPDX-License-Identifier: Apache-2.0
//
// Asks a real card what it makes of each fatbin container in a file.
//
//   run_on_gpu [--no-jit] FILE...    load every container, launch its kernels, print JSON lines
//   run_on_gpu --list FILE...        print containers and entries; needs no driver
//
// Every container is handed to cuModuleLoadData in a child process of its own, so that a fault, a
// hang or a broken context costs one line and not the run. The driver is found by dlopen, the
// dozen functions used are declared here, so any C compiler on any Linux builds it:
//
//   gcc -O1 -Wall -o run_on_gpu run_on_gpu.c -ldl

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { time_limit_seconds = 60 };

// ---- Files and containers --------------------------------------------------------------------

struct file {
  const char* path;
  const unsigned char* bytes;
  size_t size;
};

static uint64_t read_le(const unsigned char* at, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) {
    value = value << 8 | at[i];
  }
  return value;
}

static int open_file(const char* path, struct file* file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    fprintf(stderr, "cannot read %s\n", path);
    if (fd >= 0) {
      close(fd);
    }
    return 0;
  }
  file->path = path;
  file->size = (size_t)info.st_size;
  file->bytes = NULL;
  if (file->size > 0) {
    void* map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
      fprintf(stderr, "cannot map %s\n", path);
      close(fd);
      return 0;
    }
    file->bytes = map;
  }
  close(fd);
  return 1;
}

// Size of the entry at `at`, header and stored bytes, or 0 if no entry can be there.
static uint64_t entry_size(const struct file* file, uint64_t at, uint64_t end) {
  if (end - at < 64) {
    return 0;
  }
  const unsigned char* entry = file->bytes + at;
  uint64_t header = read_le(entry + 4, 4);
  uint64_t stored = read_le(entry + 8, 8);
  if (read_le(entry + 2, 2) != 0x0101 || header < 64 || header > end - at ||
      stored > end - at - header) {
    return 0;
  }
  return header + stored;
}

// Whole size of the container at `at`, or 0. Its entries must fill it exactly.
static uint64_t container_size(const struct file* file, uint64_t at) {
  static const unsigned char magic[4] = {0x50, 0xed, 0x55, 0xba};
  if (file->size < 16 || at > file->size - 16 || memcmp(file->bytes + at, magic, 4) != 0) {
    return 0;
  }
  uint64_t size = read_le(file->bytes + at + 8, 8);
  if (read_le(file->bytes + at + 4, 2) != 1 || read_le(file->bytes + at + 6, 2) != 16 ||
      size == 0 || size > file->size - at - 16) {
    return 0;
  }
  uint64_t end = at + 16 + size;
  for (uint64_t entry = at + 16; entry != end;) {
    uint64_t step = entry_size(file, entry, end);
    if (step == 0) {
      return 0;
    }
    entry += step;
  }
  return 16 + size;
}

// Finds the first container at or after *at; moves *at onto it. Returns its size, 0 at the end.
static uint64_t next_container(const struct file* file, uint64_t* at) {
  int is_archive = file->size >= 8 && memcmp(file->bytes, "!<arch>\n", 8) == 0;
  uint64_t step = is_archive ? 2 : 8;
  for (uint64_t here = (*at + step - 1) / step * step; here < file->size; here += step) {
    uint64_t size = container_size(file, here);
    if (size != 0) {
      *at = here;
      return size;
    }
  }
  return 0;
}

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- --list ------------------------------------------------------------------------------------

static void list_entries(const struct file* file, uint64_t at, uint64_t size) {
  uint64_t end = at + size;
  for (uint64_t place = at + 16; place != end;) {
    const unsigned char* entry = file->bytes + place;
    unsigned kind = (unsigned)read_le(entry, 2);
    uint64_t flags = read_le(entry + 0x28, 8);
    const char* prefix = kind == 1 ? "compute_" : kind == 8 ? "lto_" : "sm_";
    const char* suffix = flags & 0x100000 ? "a" : flags & 0x200000 ? "f" : "";
    const char* packing = flags & 0x8000 ? "zstd" : flags & 0x2000 ? "lz4" : "none";
    printf("%s{\"kind\":%u,\"arch\":\"%s%u%s\",\"version\":\"%u.%u\",\"flags\":\"0x%llx\","
           "\"header\":%llu,\"stored\":%llu,\"packing\":\"%s\",\"packed\":%llu,\"unpacked\":%llu}",
           place == at + 16 ? "" : ",", kind, prefix, (unsigned)read_le(entry + 0x1c, 4), suffix,
           (unsigned)read_le(entry + 0x1a, 2), (unsigned)read_le(entry + 0x18, 2),
           (unsigned long long)flags, (unsigned long long)read_le(entry + 4, 4),
           (unsigned long long)read_le(entry + 8, 8), packing,
           (unsigned long long)read_le(entry + 0x10, 4),
           (unsigned long long)read_le(entry + 0x38, 8));
    place += entry_size(file, place, end);
  }
}

static void list_file(const struct file* file) {
  uint64_t at = 0, size;
  int count = 0;
  for (; (size = next_container(file, &at)) != 0; at += size, ++count) {
    printf("{\"file\":\"%s\",\"container\":%d,\"offset\":%llu,\"size\":%llu,\"entries\":[",
           base_name(file->path), count, (unsigned long long)at, (unsigned long long)size);
    list_entries(file, at, size);
    printf("]}\n");
  }
  if (count == 0) {
    printf("{\"file\":\"%s\",\"container\":null}\n", base_name(file->path));
  }
}

// ---- The driver --------------------------------------------------------------------------------

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;

enum { not_found = 500, attribute_major = 75, attribute_minor = 76 };

static struct {
  CUresult (*Init)(unsigned);
  CUresult (*DriverGetVersion)(int*);
  CUresult (*DeviceGet)(CUdevice*, int);
  CUresult (*DeviceGetName)(char*, int, CUdevice);
  CUresult (*DeviceGetAttribute)(int*, int, CUdevice);
  CUresult (*DevicePrimaryCtxRetain)(CUcontext*, CUdevice);
  CUresult (*CtxSetCurrent)(CUcontext);
  CUresult (*CtxSynchronize)(void);
  CUresult (*ModuleLoadData)(CUmodule*, const void*);
  CUresult (*ModuleGetFunction)(CUfunction*, CUmodule, const char*);
  CUresult (*MemAlloc)(CUdeviceptr*, size_t);
  CUresult (*MemcpyHtoD)(CUdeviceptr, const void*, size_t);
  CUresult (*MemcpyDtoH)(void*, CUdeviceptr, size_t);
  CUresult (*LaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, CUstream, void**, void**);
} cu;

static void need(void* library, const char* name, void* slot) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(3);
  }
  memcpy(slot, &symbol, sizeof symbol);
}

static void load_driver(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  need(library, "cuInit", &cu.Init);
  need(library, "cuDriverGetVersion", &cu.DriverGetVersion);
  need(library, "cuDeviceGet", &cu.DeviceGet);
  need(library, "cuDeviceGetName", &cu.DeviceGetName);
  need(library, "cuDeviceGetAttribute", &cu.DeviceGetAttribute);
  need(library, "cuDevicePrimaryCtxRetain", &cu.DevicePrimaryCtxRetain);
  need(library, "cuCtxSetCurrent", &cu.CtxSetCurrent);
  need(library, "cuCtxSynchronize", &cu.CtxSynchronize);
  need(library, "cuModuleLoadData", &cu.ModuleLoadData);
  need(library, "cuModuleGetFunction", &cu.ModuleGetFunction);
  need(library, "cuMemAlloc_v2", &cu.MemAlloc);
  need(library, "cuMemcpyHtoD_v2", &cu.MemcpyHtoD);
  need(library, "cuMemcpyDtoH_v2", &cu.MemcpyDtoH);
  need(library, "cuLaunchKernel", &cu.LaunchKernel);
}

static void check(CUresult code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(3);
  }
}

static void make_context(void) {
  CUdevice device;
  CUcontext context;
  check(cu.Init(0), "cuInit");
  check(cu.DeviceGet(&device, 0), "cuDeviceGet");
  check(cu.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cu.CtxSetCurrent(context), "cuCtxSetCurrent");
}

// First line of the output: when, on what, under which driver. Run in a child, since a process that
// has called cuInit must not fork.
static void print_header(const char* jit) {
  load_driver();
  check(cu.Init(0), "cuInit");
  CUdevice device;
  char name[128] = "", text[128] = "unknown", date[32];
  int version = 0, major = 0, minor = 0;
  check(cu.DeviceGet(&device, 0), "cuDeviceGet");
  cu.DeviceGetName(name, sizeof name, device);
  cu.DeviceGetAttribute(&major, attribute_major, device);
  cu.DeviceGetAttribute(&minor, attribute_minor, device);
  cu.DriverGetVersion(&version);
  FILE* file = fopen("/sys/module/nvidia/version", "r");
  if (file) {
    if (fscanf(file, "%127s", text) != 1) {
      strcpy(text, "unknown");
    }
    fclose(file);
  }
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  printf("{\"date\":\"%s\",\"gpu\":\"%s\",\"compute_capability\":\"%d.%d\",\"driver\":\"%s\","
         "\"cuda\":%d,\"jit\":\"%s\"}\n",
         date, name, major, minor, text, version, jit);
}

// ---- One container -----------------------------------------------------------------------------

struct place {
  const char* file;
  int container;
  uint64_t offset;
  const char* jit;
};

static void print_start(const struct place* place, const char* kernel) {
  printf("{\"file\":\"%s\",\"container\":%d,\"offset\":%llu,\"jit\":\"%s\",\"kernel\":",
         place->file, place->container, (unsigned long long)place->offset, place->jit);
  printf(kernel ? "\"%s\"," : "null,", kernel);
}

// Launches one kernel on a poisoned output and prints the rest of its line.
static void launch(CUfunction function, unsigned expected) {
  unsigned host[2] = {0xdeadbeefu, 0xdeadbeefu};
  CUdeviceptr device = 0;
  CUresult code = cu.MemAlloc(&device, sizeof host);
  if (code == 0) {
    code = cu.MemcpyHtoD(device, host, sizeof host);
  }
  if (code == 0) {
    void* arguments[] = {&device};
    code = cu.LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
  }
  if (code == 0) {
    code = cu.CtxSynchronize();
  }
  if (code == 0) {
    code = cu.MemcpyDtoH(host, device, sizeof host);
  }
  if (code != 0) {
    printf("\"launch\":%d,\"value\":null,\"image\":null}\n", code);
  } else if (host[0] == 0xdeadbeefu) {
    printf("\"launch\":0,\"value\":\"unchanged\",\"image\":null}\n");
  } else {
    printf("\"launch\":0,\"value\":\"%s\",\"image\":\"%u%s\"}\n",
           host[0] == expected ? "ok" : "wrong", host[1] % 1000,
           host[1] >= 2000   ? "f"
           : host[1] >= 1000 ? "a"
                             : "");
  }
}

static void run_container(const unsigned char* bytes, uint64_t size, const struct place* place) {
  load_driver();
  make_context();
  void* image = NULL;
  if (posix_memalign(&image, 64, (size_t)size) != 0) {
    exit(3);
  }
  memcpy(image, bytes, (size_t)size);
  CUmodule module = NULL;
  CUresult load = cu.ModuleLoadData(&module, image);
  if (load != 0) {
    print_start(place, NULL);
    printf("\"load\":%d,\"function\":null,\"launch\":null,\"value\":null,\"image\":null}\n", load);
    return;
  }
  int printed = 0;
  for (int i = -1; i < 10; ++i) {
    char name[4] = "k";
    if (i >= 0) {
      snprintf(name, sizeof name, "k%d", i);
    }
    CUfunction function = NULL;
    CUresult code = cu.ModuleGetFunction(&function, module, name);
    if (code == not_found) {
      continue;
    }
    printed = 1;
    print_start(place, name);
    if (code == 0) {
      printf("\"load\":0,\"function\":0,");
      fflush(stdout);
      launch(function, 0x600d0000u + (i < 0 ? 0xffu : (unsigned)i));
    } else {
      printf("\"load\":0,\"function\":%d,\"launch\":null,\"value\":null,\"image\":null}\n", code);
    }
    fflush(stdout);
  }
  if (!printed) {
    print_start(place, NULL);
    printf("\"load\":0,\"function\":%d,\"launch\":null,\"value\":null,\"image\":null}\n",
           not_found);
  }
}

// Runs `child` with a time limit; its whole lines go to stdout, a half line is dropped. Returns the
// wait status.
static int collect(void (*child)(void*), void* argument) {
  int ends[2];
  fflush(stdout);
  if (pipe(ends) != 0) {
    exit(3);
  }
  pid_t pid = fork();
  if (pid < 0) {
    exit(3);
  }
  if (pid == 0) {
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    alarm(time_limit_seconds);
    child(argument);
    fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  static char text[1 << 16];
  size_t used = 0;
  ssize_t got;
  while (used < sizeof text && (got = read(ends[0], text + used, sizeof text - used)) > 0) {
    used += (size_t)got;
  }
  close(ends[0]);
  while (used > 0 && text[used - 1] != '\n') {
    --used;
  }
  fwrite(text, 1, used, stdout);
  fflush(stdout);
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

struct job {
  const unsigned char* bytes;
  uint64_t size;
  const struct place* place;
};

static void run_job(void* argument) {
  const struct job* job = argument;
  run_container(job->bytes, job->size, job->place);
}

static void header_job(void* argument) { print_header(argument); }

static void run_file(const struct file* file, const char* jit) {
  uint64_t at = 0, size;
  int count = 0;
  for (; (size = next_container(file, &at)) != 0; at += size, ++count) {
    struct place place = {base_name(file->path), count, at, jit};
    struct job job = {file->bytes + at, size, &place};
    int status = collect(run_job, &job);
    if (status != 0) {
      print_start(&place, NULL);
      printf("\"load\":null,\"function\":null,\"launch\":null,\"value\":null,\"image\":null,"
             "\"died\":\"%s %d\"}\n",
             WIFSIGNALED(status) ? "signal" : "exit",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
  }
  if (count == 0) {
    printf("{\"file\":\"%s\",\"container\":null,\"jit\":\"%s\"}\n", base_name(file->path), jit);
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  int list = 0, first = 1;
  const char* jit = "on";
  for (; first < argc && argv[first][0] == '-'; ++first) {
    if (strcmp(argv[first], "--list") == 0) {
      list = 1;
    } else if (strcmp(argv[first], "--no-jit") == 0) {
      jit = "off";
    } else {
      first = argc;
    }
  }
  if (first >= argc) {
    fprintf(stderr, "usage: %s [--list | --no-jit] FILE...\n", argv[0]);
    return 2;
  }
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  if (strcmp(jit, "off") == 0) {
    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
  } else {
    unsetenv("CUDA_DISABLE_PTX_JIT");
  }
  if (!list && collect(header_job, (void*)jit) != 0) {
    fprintf(stderr, "no usable driver or card\n");
    return 3;
  }
  int bad = 0;
  for (int i = first; i < argc; ++i) {
    struct file file;
    if (!open_file(argv[i], &file)) {
      bad = 1;
      continue;
    }
    if (list) {
      list_file(&file);
    } else {
      run_file(&file, jit);
    }
    if (file.bytes) {
      munmap((void*)file.bytes, file.size);
    }
  }
  return bad ? 3 : 0;
}
