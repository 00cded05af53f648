// SPDX-License-Identifier: Apache-2.0
// A double of the CUDA driver (libcuda.so.1, nvcuda.dll): script.h has the script.
#include "script.h"

enum { NOT_SUPPORTED = 801 };

static int error_of(const struct answer* answer) {
  return answer->found ? answer->error : NOT_SUPPORTED;
}

static int give_number(const char* call, int* value) {
  const struct answer answer = answer_of(call, -1);
  *value = (int)answer.numbers[0];
  return error_of(&answer);
}

static int give_text(const char* call, char* text, int length, int device) {
  const struct answer answer = answer_of(call, device);
  copy_text(&answer, text, (size_t)length);
  return error_of(&answer);
}

EXPORT int cuInit(unsigned flags) {
  (void)flags;
  return answer_of("cuInit", -1).error;
}

/* Script: cuGetErrorName CODE = "NAME" */
EXPORT int cuGetErrorName(int code, const char** name) {
  static struct answer answer;
  answer = answer_of("cuGetErrorName", code);
  *name = answer.text;
  return answer.found ? answer.error : 1;
}

EXPORT int cuDriverGetVersion(int* version) {
  return give_number("cuDriverGetVersion", version);
}

EXPORT int cuDeviceGetCount(int* count) {
  return give_number("cuDeviceGetCount", count);
}

EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return answer_of("cuDeviceGet", ordinal).error;
}

EXPORT int cuDeviceGetName(char* text, int length, int device) {
  return give_text("cuDeviceGetName", text, length, device);
}

EXPORT int cuDeviceGetPCIBusId(char* text, int length, int device) {
  return give_text("cuDeviceGetPCIBusId", text, length, device);
}

/* Script: compute capability, major and minor. */
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const struct answer answer = answer_of("cuDeviceGetAttribute", device);
  *value = (int)answer.numbers[attribute == 76 ? 1 : 0];
  return error_of(&answer);
}

EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  const struct answer answer = answer_of("cuDeviceTotalMem_v2", device);
  *bytes = (size_t)answer.numbers[0];
  return error_of(&answer);
}

/* Script: the two halves, high byte first. */
EXPORT int cuDeviceGetUuid(char* uuid, int device) {
  const struct answer answer = answer_of("cuDeviceGetUuid", device);
  for (int i = 0; i < 16; ++i) {
    uuid[i] = (char)(answer.numbers[i / 8] >> (8 * (7 - i % 8)));
  }
  return error_of(&answer);
}
