/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an allocator of its own, itself instrumented, that counts how often it is entered
   while it is already active: a callback that allocated memory would be caught. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char arena[1 << 20];
static size_t used;
static int active, nested, calls;

void* malloc(size_t bytes) {
  if (active++) ++nested;
  ++calls;
  used = (used + 15) & ~(size_t)15;
  void* made = arena + used + 16;
  memcpy(arena + used, &bytes, sizeof bytes);
  used += bytes + 16;
  --active;
  return used < sizeof arena ? made : NULL;
}
void free(void* memory) {
  (void)memory;
}
void* calloc(size_t count, size_t bytes) {
  void* made = malloc(count * bytes);
  return made ? memset(made, 0, count * bytes) : NULL;
}
void* realloc(void* old, size_t bytes) {
  void* made = malloc(bytes);
  size_t before = 0;
  if (old && made) {
    memcpy(&before, (char*)old - 16, sizeof before);
    memcpy(made, old, before < bytes ? before : bytes);
  }
  return made;
}

int main(void) {
  const int before = calls;
  volatile char* block = malloc(1000);
  const int one = calls - before;
  for (int i = 0; i < 1000; ++i) block[i] = (char)i; /* a thousand callbacks */
  const int none = calls - before - one;
  char text[64];
  const int length = snprintf(text, sizeof text, "%d nested, %d + %d calls\n", nested, one, none);
  return write(1, text, (size_t)length) == length ? 0 : 1;
}
