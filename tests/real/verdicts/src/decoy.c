// SPDX-License-Identifier: Apache-2.0
//
// A host library without GPU code that holds the container's magic three times, each time with
// something after it that no container has. A reader must find none.

const struct {
  unsigned magic;
  unsigned short version, header;
  unsigned long long size;
  unsigned char body[64];
} decoy[3] __attribute__((aligned(16))) = {
    {0xba55ed50u, 2, 16, 64, {0}},                             // wrong version
    {0xba55ed50u, 1, 16, 1ull << 40, {0}},                     // longer than the file
    {0xba55ed50u, 1, 16, 64, {2, 0, 1, 1, 64, 0, 0, 0, 8, 0}}  // entry runs past the container
};
