// SPDX-License-Identifier: Apache-2.0
#include "os/parallel.h"

#include <windows.h>

#include <algorithm>
#include <bit>

namespace plumb {
namespace {

unsigned count_cores() {
  // Beyond 64 processors there are several groups, and a mask tells of one only.
  DWORD_PTR allowed = 0;
  DWORD_PTR present = 0;
  if (::GetActiveProcessorGroupCount() == 1 &&
      ::GetProcessAffinityMask(::GetCurrentProcess(), &allowed, &present)) {
    return static_cast<unsigned>(std::max(1, std::popcount(allowed)));
  }
  return std::max(1U, static_cast<unsigned>(::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

}  // namespace

unsigned usable_cores() {
  static const unsigned cores = count_cores();
  return cores;
}

}  // namespace plumb
