// SPDX-License-Identifier: Apache-2.0
//
// A whole program around kernel.cu: launches k0 ... k(KERNELS-1), each of its own translation unit,
// through the CUDA runtime, and prints one JSON object a line:
//
//   {"program":"prog_ok","kernel":"k0","loading":"LAZY","error":0,"value":"ok","image":"80"}
//
// error: the first cudaError_t that is not 0, of launch, synchronize or copy. value: ok, unchanged
// (the output still holds its poison) or wrong; null after an error.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" const void* address_0();
#if KERNELS > 1
extern "C" const void* address_1();
#endif
#if KERNELS > 2
extern "C" const void* address_2();
#endif

static void launch(const char* program, int n, const void* kernel) {
  const char* loading = getenv("CUDA_MODULE_LOADING");
  unsigned host[2] = {0xdeadbeefu, 0xdeadbeefu};
  unsigned* device = nullptr;
  cudaError_t error = cudaMalloc(&device, sizeof host);
  if (error == cudaSuccess) {
    error = cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  }
  if (error == cudaSuccess) {
    void* arguments[] = {&device};
    error = cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceSynchronize();
  }
  if (error == cudaSuccess) {
    error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  }
  cudaGetLastError();
  printf("{\"program\":\"%s\",\"kernel\":\"k%d\",\"loading\":\"%s\",\"error\":%d,", program, n,
         loading ? loading : "default", static_cast<int>(error));
  if (error != cudaSuccess) {
    printf("\"value\":null,\"image\":null}\n");
  } else if (host[0] == 0xdeadbeefu) {
    printf("\"value\":\"unchanged\",\"image\":null}\n");
  } else {
    const char* suffix = host[1] >= 2000 ? "f" : host[1] >= 1000 ? "a" : "";
    printf("\"value\":\"%s\",\"image\":\"%u%s\"}\n", host[0] == 0x600d0000u + n ? "ok" : "wrong",
           host[1] % 1000, suffix);
  }
  fflush(stdout);
  cudaFree(device);
}

int main() {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  launch(PROGRAM, 0, address_0());
#if KERNELS > 1
  launch(PROGRAM, 1, address_1());
#endif
#if KERNELS > 2
  launch(PROGRAM, 2, address_2());
#endif
  return 0;
}
