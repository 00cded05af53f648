// SPDX-License-Identifier: Apache-2.0
// Doubles of the driver's libraries answer as a text file says, named by PLUMB_DOUBLE_SCRIPT:
//
//   # a comment
//   nvmlSystemGetDriverVersion = "570.133.07"
//   nvmlDeviceGetCount_v2 = 2
//   nvmlDeviceGetMemoryInfo_v2 = 25769803776 268435456 25000000000 501356544
//   nvmlDeviceGetName 1 = "NVIDIA T4"          for device 1; a line without number is for all
//   nvmlInit_v2 = error 18
//   cuInit = hang | crash | end | print TEXT   (end: the process ends; print: noise, then success)
//
// Numbers fill the call's results in the order in which the double names them. A call that the
// script does not name gives "not supported", and success where it has nothing to tell.
#ifndef PLUMB_TESTS_DOUBLES_SCRIPT_H
#define PLUMB_TESTS_DOUBLES_SCRIPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#else
#include <unistd.h>
#define EXPORT __attribute__((visibility("default")))
#endif

enum { MOST_NUMBERS = 8, LONGEST_LINE = 1024 };

struct answer {
  int found; /* the script names this call */
  int error;
  int count; /* of numbers */
  unsigned long long numbers[MOST_NUMBERS];
  char text[LONGEST_LINE];
};

static void hang(void) {
  for (;;) {
#ifdef _WIN32
    Sleep(1000);
#else
    sleep(1);
#endif
  }
}

static void crash(void) {
  volatile size_t address = 64;
  *(volatile int*)address = 1;
}

static void read_result(const char* word, struct answer* answer) {
  answer->found = 1;
  if (*word == '"') {
    const char* end = strrchr(word, '"');
    size_t length = end > word ? (size_t)(end - word - 1) : 0;
    memcpy(answer->text, word + 1, length);
    answer->text[length] = '\0';
  } else if (strncmp(word, "error ", 6) == 0) {
    answer->error = atoi(word + 6);
  } else if (strncmp(word, "hang", 4) == 0) {
    hang();
  } else if (strncmp(word, "crash", 5) == 0) {
    crash();
  } else if (strncmp(word, "end", 3) == 0) {
    fflush(stdout);
    exit(5);
  } else if (strncmp(word, "print ", 6) == 0) {
    fputs(word + 6, stdout);
    fflush(stdout);
  } else {
    char* end = NULL;
    while (answer->count < MOST_NUMBERS) {
      const unsigned long long number = strtoull(word, &end, 0);
      if (end == word) {
        break;
      }
      answer->numbers[answer->count++] = number;
      word = end;
    }
  }
}

/* What the script says of `call`, of this device (or process) before all. */
static struct answer answer_of(const char* call, long device) {
  struct answer answer;
  char result[LONGEST_LINE];
  char line[LONGEST_LINE];
  int best = 0; /* 1: for all, 2: for this one */
  const char* name = getenv("PLUMB_DOUBLE_SCRIPT");
  FILE* file = name == NULL ? NULL : fopen(name, "rb");
  memset(&answer, 0, sizeof answer);
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char* equals = strstr(line, " = ");
    char word[128];
    long index = -1;
    int words = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (equals == NULL || line[0] == '#') {
      continue;
    }
    *equals = '\0';
    words = sscanf(line, "%127s %ld", word, &index);
    if (words < 1 || strcmp(word, call) != 0 || (words == 2 && index != device) || words < best) {
      continue;
    }
    best = words;
    memcpy(result, equals + 3, strlen(equals + 3) + 1);
  }
  if (file != NULL) {
    fclose(file);
  }
  if (best > 0) {
    read_result(result, &answer);
  }
  return answer;
}

static void copy_text(const struct answer* answer, char* text, size_t length) {
  const size_t size = strlen(answer->text);
  const size_t kept = size < length ? size : length - 1;
  memcpy(text, answer->text, kept);
  text[kept] = '\0';
}

#endif
