// SPDX-License-Identifier: Apache-2.0
// Stores 1000 times to a labelled word, then ends in the way that the argument names.
#include <numatch/annotate.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t word;
static volatile uint64_t* const data = &word;
static volatile sig_atomic_t asked;

static void note(int signal) {
  asked = signal;
}

static void* spin(void* argument) {
  for (;;) data[0] = 0;
  return argument;
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  NUMATCH_LABEL(&word, sizeof word, "data");
  for (int i = 0; i < 1000; ++i) data[0] = (uint64_t)i;
  if (strcmp(way, "code") == 0) return 42;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "fault") == 0) *(volatile int*)8 = 1;
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "exit with threads") == 0) {
    pthread_t thread;
    for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, spin, NULL);
    usleep(20000);
    return 6;
  }
  if (strcmp(way, "catch") == 0) signal(SIGINT, note);
  if (strcmp(way, "wait") == 0 || strcmp(way, "catch") == 0) {
    puts("ready");
    fflush(stdout);
    while (!asked) usleep(1000);
    return 5;
  }
  return 1;
}
