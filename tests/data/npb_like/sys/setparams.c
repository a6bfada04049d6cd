/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  printf("      integer, parameter :: n = %d\n", argv[2][0] == 'S' ? 2000 : 20000);
  return 0;
}
