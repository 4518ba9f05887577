/* Runs the programs that the command line names by their symbols, each in a process of its own, and says behind what
   each has printed how it ended. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Generated programs end at once, but the machine may have other things to do. */
enum { SECONDS = 20 };

/* Runs a program, whose symbol has this address; the result is its exit status. */
__attribute__((weak)) int run_program(void *program) { return ((int (*)(void))program)(); }

static int run(const char *name) {
    alarm(SECONDS);
    void *program = dlsym(RTLD_DEFAULT, name);
    int status = program ? run_program(program) : 127;
    fflush(stdout);
    return status;
}

int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) _exit(run(names[i]));
        if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
        if (WIFSIGNALED(status))
            printf("=%s signal %d\n", names[i], WTERMSIG(status));
        else
            printf("=%s status %d\n", names[i], WEXITSTATUS(status));
    }
    return 0;
}
