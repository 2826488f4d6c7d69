/*
 * Spawns as many programs, one after the other, as each 32-bit number on standard input says, and
 * answers with that number. The program is the first argument; its stdio is /dev/null.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  posix_spawn_file_actions_t actions;
  uint32_t count;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (argc < 2 || null < 0 || posix_spawn_file_actions_init(&actions) != 0) {
    return 2;
  }
  for (int fd = 0; fd < 3; fd++) {
    if (posix_spawn_file_actions_adddup2(&actions, null, fd) != 0) {
      return 2;
    }
  }
  while (read(0, &count, sizeof count) == sizeof count) {
    for (uint32_t i = 0; i < count; i++) {
      pid_t pid;
      int status;
      if (posix_spawn(&pid, argv[1], &actions, 0, argv + 1, environ) != 0) {
        return 3;
      }
      if (waitpid(pid, &status, 0) != pid || status != 0) {
        return 4;
      }
    }
    if (write(1, &count, sizeof count) != sizeof count) {
      return 5;
    }
  }
  return 0;
}
