// SPDX-License-Identifier: Apache-2.0
// Children are other processes: what they do is not in the trace, and they do not end it.
#include <numatch/annotate.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t word;
static volatile uint64_t* const data = &word;

static void store(uint64_t count) {
  while (count > 0) {
    data[0] = count;
    --count;
  }
}

static void* idle(void* argument) {
  return argument;
}

int main(void) {
  NUMATCH_LABEL(&word, sizeof word, "data");
  store(10);
  const pid_t plain = fork();
  if (plain == 0) {
    store(1000);
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    pthread_join(thread, NULL);
    _exit(3);
  }
  int status = 0;
  if (waitpid(plain, &status, 0) != plain || WEXITSTATUS(status) != 3) return 1;
  const pid_t replaced = fork();
  if (replaced == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(9);
  }
  if (waitpid(replaced, &status, 0) != replaced || WEXITSTATUS(status) != 0) return 2;
  const pid_t at_exit = fork();
  if (at_exit == 0) return 4;
  if (waitpid(at_exit, &status, 0) != at_exit || WEXITSTATUS(status) != 4) return 3;
  store(20);
  return 0;
}
