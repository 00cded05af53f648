// SPDX-License-Identifier: Apache-2.0
// A double of NVML (libnvidia-ml.so.1, nvml.dll): script.h has the script. With OLDEST_CALLS_ONLY
// it exports only what every driver has had for ten years.
#include "script.h"

enum { NOT_SUPPORTED = 3, INVALID_ARGUMENT = 2, INSUFFICIENT_SIZE = 7 };

/* A device is a pointer into this array. */
static char devices[256];

typedef char* device_t;

static long index_of(device_t device) {
  return (long)(device - devices);
}

static int error_of(const struct answer* answer) {
  return answer->found ? answer->error : NOT_SUPPORTED;
}

static int give_text(const char* call, long index, char* text, unsigned length) {
  const struct answer answer = answer_of(call, index);
  copy_text(&answer, text, length);
  return error_of(&answer);
}

static int give_numbers(const char* call, long index, unsigned* first, unsigned* second) {
  const struct answer answer = answer_of(call, index);
  *first = (unsigned)answer.numbers[0];
  if (second != NULL) {
    *second = (unsigned)answer.numbers[1];
  }
  return error_of(&answer);
}

#define SYSTEM_TEXT(call)                        \
  EXPORT int call(char* text, unsigned length) { \
    return give_text(#call, -1, text, length);   \
  }
#define DEVICE_TEXT(call)                                         \
  EXPORT int call(device_t device, char* text, unsigned length) { \
    return give_text(#call, index_of(device), text, length);      \
  }
#define DEVICE_NUMBER(call)                                    \
  EXPORT int call(device_t device, unsigned* value) {          \
    return give_numbers(#call, index_of(device), value, NULL); \
  }
#define DEVICE_NUMBERS(call)                                            \
  EXPORT int call(device_t device, unsigned* first, unsigned* second) { \
    return give_numbers(#call, index_of(device), first, second);        \
  }

EXPORT int nvmlInit_v2(void) {
  return answer_of("nvmlInit_v2", -1).error;
}

SYSTEM_TEXT(nvmlSystemGetDriverVersion)
DEVICE_TEXT(nvmlDeviceGetName)
DEVICE_TEXT(nvmlDeviceGetUUID)

EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  return give_numbers("nvmlDeviceGetCount_v2", -1, count, NULL);
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_t* device) {
  if (index >= sizeof devices) {
    return INVALID_ARGUMENT;
  }
  *device = devices + index;
  return answer_of("nvmlDeviceGetHandleByIndex_v2", (long)index).error;
}

struct memory {
  unsigned long long total, free, used;
};

/* Script: total, used, free. */
EXPORT int nvmlDeviceGetMemoryInfo(device_t device, struct memory* memory) {
  const struct answer answer = answer_of("nvmlDeviceGetMemoryInfo", index_of(device));
  memory->total = answer.numbers[0];
  memory->used = answer.numbers[1];
  memory->free = answer.numbers[2];
  return error_of(&answer);
}

#ifndef OLDEST_CALLS_ONLY

SYSTEM_TEXT(nvmlSystemGetNVMLVersion)

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return give_numbers("nvmlSystemGetCudaDriverVersion_v2", -1, (unsigned*)version, NULL);
}

EXPORT int nvmlSystemGetProcessName(unsigned pid, char* text, unsigned length) {
  return give_text("nvmlSystemGetProcessName", (long)pid, text, length);
}

DEVICE_TEXT(nvmlDeviceGetSerial)
DEVICE_TEXT(nvmlDeviceGetVbiosVersion)
DEVICE_NUMBER(nvmlDeviceGetMinorNumber)
DEVICE_NUMBER(nvmlDeviceGetArchitecture)
DEVICE_NUMBER(nvmlDeviceGetPersistenceMode)
DEVICE_NUMBER(nvmlDeviceGetDisplayActive)
DEVICE_NUMBER(nvmlDeviceGetComputeMode)
DEVICE_NUMBER(nvmlDeviceGetVirtualizationMode)
DEVICE_NUMBER(nvmlDeviceGetPowerUsage)
DEVICE_NUMBER(nvmlDeviceGetEnforcedPowerLimit)
DEVICE_NUMBER(nvmlDeviceGetPerformanceState)
DEVICE_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration)
DEVICE_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration)
DEVICE_NUMBER(nvmlDeviceGetCurrPcieLinkWidth)
DEVICE_NUMBER(nvmlDeviceGetMaxPcieLinkWidth)
DEVICE_NUMBERS(nvmlDeviceGetCudaComputeCapability)
DEVICE_NUMBERS(nvmlDeviceGetDriverModel_v2)
DEVICE_NUMBERS(nvmlDeviceGetMigMode)
DEVICE_NUMBERS(nvmlDeviceGetEccMode)

EXPORT int nvmlDeviceGetGspFirmwareVersion(device_t device, char* text) {
  return give_text("nvmlDeviceGetGspFirmwareVersion", index_of(device), text, 64);
}

struct pci_info {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/* Script: a bus id; or device id and subsystem id, with bus id 00000000:0N:00.0. */
EXPORT int nvmlDeviceGetPciInfo_v3(device_t device, struct pci_info* pci) {
  const struct answer answer = answer_of("nvmlDeviceGetPciInfo_v3", index_of(device));
  memset(pci, 0, sizeof *pci);
  copy_text(&answer, pci->bus_id, sizeof pci->bus_id);
  if (answer.count > 0) {
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", (unsigned)index_of(device) + 1);
  }
  pci->device_id = (unsigned)answer.numbers[0];
  pci->subsystem_id = (unsigned)answer.numbers[1];
  return error_of(&answer);
}

struct memory_v2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

/* Script: total, reserved, free, used. */
EXPORT int nvmlDeviceGetMemoryInfo_v2(device_t device, struct memory_v2* memory) {
  const struct answer answer = answer_of("nvmlDeviceGetMemoryInfo_v2", index_of(device));
  if (memory->version != (sizeof *memory | 2U << 24U)) {
    return 25; /* ARGUMENT_VERSION_MISMATCH */
  }
  memory->total = answer.numbers[0];
  memory->reserved = answer.numbers[1];
  memory->free = answer.numbers[2];
  memory->used = answer.numbers[3];
  return error_of(&answer);
}

/* Script: total, free, used. */
EXPORT int nvmlDeviceGetBAR1MemoryInfo(device_t device, struct memory* memory) {
  const struct answer answer = answer_of("nvmlDeviceGetBAR1MemoryInfo", index_of(device));
  memory->total = answer.numbers[0];
  memory->free = answer.numbers[1];
  memory->used = answer.numbers[2];
  return error_of(&answer);
}

EXPORT int nvmlDeviceGetTemperature(device_t device, int sensor, unsigned* value) {
  (void)sensor;
  return give_numbers("nvmlDeviceGetTemperature", index_of(device), value, NULL);
}

struct temperature {
  unsigned version, sensor;
  int temperature;
};

EXPORT int nvmlDeviceGetTemperatureV(device_t device, struct temperature* value) {
  return give_numbers("nvmlDeviceGetTemperatureV", index_of(device), (unsigned*)&value->temperature,
                      NULL);
}

/* Script: graphics, SM, memory, video. */
EXPORT int nvmlDeviceGetClockInfo(device_t device, int clock, unsigned* value) {
  const struct answer answer = answer_of("nvmlDeviceGetClockInfo", index_of(device));
  *value = (unsigned)answer.numbers[clock & 3];
  return error_of(&answer);
}

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(device_t device, unsigned long long* bits) {
  const struct answer answer =
      answer_of("nvmlDeviceGetCurrentClocksEventReasons", index_of(device));
  *bits = answer.numbers[0];
  return error_of(&answer);
}

/* Script: gpu, memory. */
EXPORT int nvmlDeviceGetUtilizationRates(device_t device, unsigned* rates) {
  return give_numbers("nvmlDeviceGetUtilizationRates", index_of(device), rates, rates + 1);
}

struct process {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

/* Script: how many; the first pid; the memory of each, 0 = not available. */
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(device_t device, unsigned* count,
                                                   struct process* list) {
  const struct answer answer =
      answer_of("nvmlDeviceGetComputeRunningProcesses_v3", index_of(device));
  const unsigned room = *count;
  *count = (unsigned)answer.numbers[0];
  if (*count > room) {
    return INSUFFICIENT_SIZE;
  }
  for (unsigned i = 0; i < *count; ++i) {
    list[i].pid = (unsigned)answer.numbers[1] + i;
    list[i].used_memory = answer.numbers[2] == 0 ? ~0ULL : answer.numbers[2];
  }
  return error_of(&answer);
}

#endif
