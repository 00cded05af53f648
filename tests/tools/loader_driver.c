/* SPDX-License-Identifier: Apache-2.0
   The program of a loader scenario: opens libraries as it is told and says what ld.so did.

   tools/loader_scenario.py compiles it once and gives each scenario a copy with a RUNPATH and needed
   libraries of its own. Arguments, three a step: the library that asks ("" = this program), the flags
   (letters: g RTLD_GLOBAL, n RTLD_NOLOAD, d RTLD_DEEPBIND), the name that dlopen() gets ("" = NULL).

   Printed after the start and after each step:
     ok NAME             dlopen() succeeded: the library's name in ld.so's list
     fail WORDS          dlerror()
     no caller           the library that should ask is not loaded
     map NAME            a library of ld.so's list; "" is the program
     bind FILE SYMBOL TO a symbol that a new tiny library uses, and the library that it was bound to */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { kCode = 0x200, kMark = 0x220, kSlots = 0x240 }; /* as tools/tiny_elf.py places them */

char s0 = 0; /* a symbol that the program has, before every library */

typedef void* (*Open)(void*, const char*, int);

static int is_tiny(const struct link_map* map) {
  return map->l_name[0] != '\0' && map->l_addr != 0 &&
         memcmp((const char*)map->l_addr + 1, "ELF", 3) == 0 &&
         memcmp((const char*)map->l_addr + kMark, "PLUMBTNY", 8) == 0;
}

static struct link_map* find(const char* file) {
  struct stat wanted, status;
  if (stat(file, &wanted) != 0) {
    return NULL;
  }
  for (struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    if (map->l_name[0] != '\0' && stat(map->l_name, &status) == 0 && status.st_dev == wanted.st_dev &&
        status.st_ino == wanted.st_ino) {
      return map;
    }
  }
  return NULL;
}

static void print_bindings(const struct link_map* map) {
  const char* base = (const char*)map->l_addr;
  uint32_t count, names_at;
  memcpy(&count, base + kMark + 8, 4);
  memcpy(&names_at, base + kMark + 12, 4);
  const char* name = base + names_at;
  for (uint32_t i = 0; i < count; ++i, name += strlen(name) + 1) {
    void* address;
    memcpy(&address, base + kSlots + 8 * i, sizeof address);
    Dl_info info;
    struct link_map* owner = NULL;
    const char* to = "nothing";
    if (address != NULL) {
      to = dladdr1(address, &info, (void**)&owner, RTLD_DL_LINKMAP) == 0 ? "?" : owner->l_name;
    }
    printf("bind %s %s %s\n", map->l_name, name, to);
  }
}

static const struct link_map* seen[4096];
static unsigned seen_count;

static void print_state(void) {
  for (struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    printf("map %s\n", map->l_name);
  }
  for (struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    unsigned i = 0;
    while (i < seen_count && seen[i] != map) {
      ++i;
    }
    if (i == seen_count && seen_count < sizeof seen / sizeof *seen) {
      seen[seen_count++] = map;
      if (is_tiny(map)) {
        print_bindings(map);
      }
    }
  }
}

static void step(const char* caller, const char* letters, const char* name) {
  int flags = RTLD_NOW;
  flags |= strchr(letters, 'g') != NULL ? RTLD_GLOBAL : 0;
  flags |= strchr(letters, 'n') != NULL ? RTLD_NOLOAD : 0;
  flags |= strchr(letters, 'd') != NULL ? RTLD_DEEPBIND : 0;
  struct link_map* opened;
  dlerror();
  if (*name == '\0') {
    name = NULL;
  }
  if (*caller == '\0') {
    opened = dlopen(name, flags);
  } else {
    struct link_map* from = find(caller);
    if (from == NULL || !is_tiny(from)) {
      puts("no caller");
      return;
    }
    opened = ((Open)(from->l_addr + kCode))((void*)dlopen, name, flags);
  }
  if (opened != NULL) {
    printf("ok %s\n", opened->l_name);
  } else {
    const char* words = dlerror();
    printf("fail %s\n", words != NULL ? words : "");
  }
}

int main(int argc, char** argv) {
  puts("start");
  print_state();
  for (int i = 1; i + 2 < argc; i += 3) {
    printf("step %d\n", i / 3 + 1);
    step(argv[i], argv[i + 1], argv[i + 2]);
    print_state();
  }
  return 0;
}
