// SPDX-License-Identifier: Apache-2.0
// Does what a script says with the real loader (Windows' or Wine's) and prints what came of it. The
// script is UTF-8, a command a line; tests/tools/windows_loader_replay.cc prints the same from
// files alone, tools/compare_loader_windows.py compares.
//
//   path VALUE         sets PATH
//   load FLAGS NAME    LoadLibraryExW; FLAGS in hexadecimal
//   add FOLDER         AddDllDirectory
//   set [FOLDER]       SetDllDirectoryW; without a folder NULL
//   procedure DLL NAME GetProcAddress of a name or #ordinal in a loaded DLL; prints what is missing
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>  // after windows.h

#define MOST_MODULES 1024

#ifdef NEEDS_DEP
__declspec(dllimport) void f(void);
void (*keep_import)(void);
#endif

static HMODULE known[MOST_MODULES];
static unsigned known_count;

static const wchar_t* wide(const char* text) {
  static wchar_t out[2][16384];
  static int turn;
  turn = !turn;
  MultiByteToWideChar(CP_UTF8, 0, text, -1, out[turn], 16384);
  return out[turn];
}

static void print_module(const char* word, HMODULE module) {
  static wchar_t path[32768];
  static char text[65536];
  GetModuleFileNameW(module, path, 32768);
  WideCharToMultiByte(CP_UTF8, 0, path, -1, text, sizeof text, NULL, NULL);
  printf("%s %s\n", word, text);
}

static void print_new_modules(void) {
  HMODULE now[MOST_MODULES];
  DWORD bytes = 0;
  unsigned count, i, k;
  EnumProcessModules(GetCurrentProcess(), now, sizeof now, &bytes);
  count = bytes / sizeof(HMODULE);
  for (i = 0; i < count; ++i) {
    for (k = 0; k < known_count && known[k] != now[i]; ++k) {
    }
    if (k == known_count) {
      print_module("new", now[i]);
    }
  }
  memcpy(known, now, count * sizeof(HMODULE));
  known_count = count;
}

static void find_procedure(char* rest) {
  char* name = strchr(rest, ' ');
  HMODULE module;
  *name++ = '\0';
  module = GetModuleHandleW(wide(rest));
  if (!module) {
    module = LoadLibraryW(wide(rest));
  }
  if (!GetProcAddress(module, *name == '#' ? (const char*)(size_t)atoi(name + 1) : name)) {
    printf("missing %s\n", name);
  }
}

int main(int count, char** arguments) {
  static char line[65536];
  FILE* script = count > 1 ? fopen(arguments[1], "rb") : stdin;
  if (!script) {
    return 2;
  }
#ifdef NEEDS_DEP
  keep_import = f;
#endif
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
  print_new_modules();
  while (fgets(line, sizeof line, script)) {
    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, "path ", 5) == 0) {
      SetEnvironmentVariableW(L"PATH", wide(line + 5));
    } else if (strncmp(line, "load ", 5) == 0) {
      char* name;
      DWORD flags = strtoul(line + 5, &name, 16);
      HMODULE module = LoadLibraryExW(wide(name + 1), NULL, flags);
      DWORD error = GetLastError();
      if (module) {
        print_module("loaded", module);
      } else {
        printf("error %lu\n", error);
      }
      print_new_modules();
    } else if (strncmp(line, "add ", 4) == 0) {
      if (!AddDllDirectory(wide(line + 4))) {
        printf("add: error %lu\n", GetLastError());
      }
    } else if (strncmp(line, "set", 3) == 0) {
      SetDllDirectoryW(line[3] ? wide(line + 4) : NULL);
    } else if (strncmp(line, "procedure ", 10) == 0) {
      find_procedure(line + 10);
    }
  }
  puts("end");
  return 0;
}
