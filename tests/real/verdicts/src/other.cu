// SPDX-License-Identifier: Apache-2.0
//
// The other half of a relocatable pair: kernel.cu with CALLS_OTHER gets its number through here.

__device__ __noinline__ unsigned other(unsigned value) { return value; }
