/* SPDX-License-Identifier: Apache-2.0 */
/* Ways in which a program can end or split; argv[1] chooses. */
#include <numatch/annotate.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long mine[1000], theirs[1000], handled[1000];
static volatile sig_atomic_t signals;
static pthread_barrier_t filled;

static void* fill_and_stay(void* nothing) {
  for (int i = 0; i < 1000; ++i) theirs[i] = i;
  pthread_barrier_wait(&filled);
  for (;;) pause();
  return nothing;
}
static void* fill_and_exit(void* nothing) {
  for (int i = 0; i < 1000; ++i) theirs[i] = i;
  pthread_exit(nothing);
}
static void handle(int signal) {
  (void)signal;
  for (int i = 0; i < 10; ++i) handled[i] = i;
  signals = signals + 1;
}

int main(int argc, char** argv) {
  NUMATCH_LABEL(mine, sizeof mine, "mine");
  NUMATCH_LABEL(theirs, sizeof theirs, "theirs");
  NUMATCH_LABEL(handled, sizeof handled, "handled");
  const char* way = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 1000; ++i) mine[i] = i;
  if (!strcmp(way, "threads_alive")) {
    pthread_t thread;
    pthread_barrier_init(&filled, NULL, 2);
    pthread_create(&thread, NULL, fill_and_stay, NULL);
    pthread_barrier_wait(&filled);
    exit(3);
  }
  if (!strcmp(way, "pthread_exit")) {
    pthread_t thread;
    pthread_create(&thread, NULL, fill_and_exit, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
  }
  if (!strcmp(way, "fork")) {
    const pid_t child = fork();
    for (int i = 0; i < 1000; ++i) theirs[i] = i;
    if (child == 0) exit(5);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  if (!strcmp(way, "exec")) {
    execl(argv[0], argv[0], "nothing", (char*)NULL);
    return 1;
  }
  if (!strcmp(way, "start_another")) return system("./program fork") == 5 << 8 ? 0 : 1;
  if (!strcmp(way, "_exit")) _exit(4);
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "killed")) raise(SIGKILL);
  if (!strcmp(way, "signals")) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGALRM, &action, NULL);
    ualarm(200, 200);
    for (long i = 0; signals < 200; ++i) mine[i % 1000] += theirs[i % 7];
    ualarm(0, 0);
    return 0;
  }
  return argc > 1 ? 9 : 8;
}
