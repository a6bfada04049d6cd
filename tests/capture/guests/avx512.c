// SPDX-License-Identifier: Apache-2.0
int main(void) {
  __asm__ volatile("vpxord %%zmm0, %%zmm0, %%zmm0" ::: "xmm0");
  return 0;
}
