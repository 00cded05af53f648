// SPDX-License-Identifier: Apache-2.0
//
// The one kernel of the corpus: it stores a known number and which image it was compiled into.
//
//   out[0]  0x600d00ff for `k`, 0x600d0000 + N for `kN`
//   out[1]  the virtual architecture that the compiler saw: 90 for compute_90, + 1000 when it was
//           arch-specific (`a`), + 2000 when family-specific (`f`)
//
// Macros that build.py sets:
//   N=<digit>          name it kN in place of k
//   BODY_BELOW=<n>     the body exists only where __CUDA_ARCH__ < n
//   BODY_ONLY_90A      the body exists only for sm_90a (as in code for Hopper's tensor cores)
//   BODY_NOT_90A       the body exists everywhere but for sm_90a
//   KERNEL_BELOW=<n>   the whole kernel exists only where __CUDA_ARCH__ < n
//   KERNEL_NOT_90      the whole kernel exists everywhere but for 9.0; the newest target must have it,
//                      since nvcc takes the host's launch stub from there
//   KERNEL_NOT_90A     the whole kernel exists everywhere but for sm_90a
//   NO_KERNEL          device data, no kernel
//   CALLS_OTHER        the number comes from a device function in other.cu (needs -rdc=true)
//   ADDRESS            export `const void *address_N()` for src/main.cu

#if defined(__clang__) && !defined(__NVCC__)
// clang without CUDA's headers: all that one kernel needs of them.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct dim3 { unsigned x, y, z; };
typedef struct CUstream_st* cudaStream_t;
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, __SIZE_TYPE__, cudaStream_t);
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

#ifdef N
#define NAME JOIN(k, N)
#define VALUE (0x600d0000u + N)
#else
#define NAME k
#define VALUE 0x600d00ffu
#endif

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define IS_90A 1
#else
#define IS_90A 0
#endif

#if IS_90A || defined(__CUDA_ARCH_SPECIFIC__)
#define TAG (__CUDA_ARCH__ / 10 + 1000)
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define TAG (__CUDA_ARCH__ / 10 + 2000)
#elif defined(__CUDA_ARCH__)
#define TAG (__CUDA_ARCH__ / 10)
#endif

#ifdef __CUDA_ARCH__
#if defined(BODY_BELOW) && __CUDA_ARCH__ >= BODY_BELOW + 0
#define NO_BODY
#elif defined(BODY_ONLY_90A) && !IS_90A
#define NO_BODY
#elif defined(BODY_NOT_90A) && IS_90A
#define NO_BODY
#endif
#if defined(KERNEL_BELOW) && __CUDA_ARCH__ >= KERNEL_BELOW + 0
#define NO_KERNEL_HERE
#elif defined(KERNEL_NOT_90) && __CUDA_ARCH__ == 900
#define NO_KERNEL_HERE
#elif defined(KERNEL_NOT_90A) && IS_90A
#define NO_KERNEL_HERE
#endif
#else
#define NO_BODY  // the host pass only makes the launch stub
#endif

#ifdef CALLS_OTHER
extern __device__ unsigned other(unsigned value);
#endif

#ifdef NO_KERNEL
__device__ unsigned table[4] = {1, 2, 3, 4};
#elif !defined(NO_KERNEL_HERE)
extern "C" __global__ void NAME(unsigned* out) {
#ifndef NO_BODY
#ifdef CALLS_OTHER
  out[0] = other(VALUE);
#else
  out[0] = VALUE;
#endif
  out[1] = TAG;
#endif
}
#endif

#if defined(ADDRESS) && !defined(__CUDA_ARCH__)
extern "C" const void* JOIN(address_, N)() { return reinterpret_cast<const void*>(NAME); }
#endif
