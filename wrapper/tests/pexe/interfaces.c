// A program of PNaCl that uses interfaces whose structures and arguments have integers of 64 bits, threads, and jumps.
//
// Compiled by clang for 32 bits, and made an executable by Frazil. It prints a line for each that works.

typedef unsigned address;
typedef long long wide __attribute__((aligned(8)));

int __pexe_setjmp(void *buffer) __attribute__((returns_twice));
void __pexe_longjmp(void *buffer, int value) __attribute__((noreturn));
address __pexe_thread_pointer(void);

static unsigned (*query)(const char *name, void *table, unsigned bytes);

static struct {
  unsigned (*close)(int), (*dup)(int, int *), (*dup2)(int, int), (*read)(int, void *, unsigned, unsigned *),
      (*write)(int, const void *, unsigned, unsigned *), (*seek)(int, long long, int, long long *),
      (*fstat)(int, void *), (*getdents)(int, void *, unsigned, unsigned *), (*fchdir)(int), (*fchmod)(int, unsigned),
      (*fsync)(int), (*fdatasync)(int), (*ftruncate)(int, long long);
} files;
static struct {
  unsigned (*open)(const char *, int, unsigned, int *), (*stat)(const char *, void *);
} names;
static struct {
  void (*exit)(int);
  unsigned (*gettod)(void *), (*clock)(int *), (*nanosleep)(const void *, void *), (*yield)(void),
      (*sysconf)(int, int *);
} basic;
static struct {
  unsigned (*mmap)(void **, unsigned, int, int, int, long long), (*munmap)(void *, unsigned),
      (*mprotect)(void *, unsigned, int);
} memory;
static struct {
  unsigned (*create)(void (*)(void), void *, void *);
  void (*exit)(int *);
  unsigned (*nice)(int);
} threads;
static struct {
  unsigned (*init)(void *);
  address (*get)(void);
} tls;
static struct {
  unsigned (*wait)(volatile int *, int, const void *), (*wake)(volatile int *, int, int *);
} futex;
static struct {
  unsigned (*resolution)(unsigned, void *), (*time)(unsigned, void *);
} clocks;

struct time {
  wide seconds;
  int nanoseconds;
};

struct status {
  wide device, inode;
  unsigned mode, links, user, group;
  wide special_device, size;
  int block_size, blocks;
  wide times[6];
};

static void say(int good, const char *text) {
  unsigned bytes = 0, done;
  while (text[bytes])
    bytes++;
  files.write(1, good ? "+ " : "- ", 2, &done);
  files.write(1, text, bytes, &done);
}

static unsigned char stack[65536] __attribute__((aligned(16)));
static unsigned thread_data[4], first_data[4];
static volatile int reached, left = 1;

static void body(void) {
  int woken;
  reached = __pexe_thread_pointer() == (address)thread_data;
  futex.wake(&reached, 1, &woken);
  threads.exit((int *)&left);
}

static void *buffer[64];

__attribute__((noinline)) static void jump(int depth) {
  volatile char room[64];
  room[0] = (char)depth;
  if (depth)
    jump(depth - 1);
  else
    __pexe_longjmp(buffer, 0);
  room[1] = room[0];
}

static void check_files(const char *path) {
  static struct status status;
  long long place = 0;
  unsigned done;
  int file, flags = 0100 | 01000 | 2;
  say(!names.open(path, flags, 0600, &file), "a file is opened\n");
  say(!files.seek(file, 5000000000LL, 0, &place) && place == 5000000000LL, "it is 5 GB long to seek\n");
  say(!files.write(file, "x", 1, &done) && done == 1, "it is written there\n");
  say(!files.fstat(file, &status) && status.size == 5000000001LL && status.links == 1, "so it says\n");
  say(status.mode == 0100600 && status.times[2] > 1500000000 && status.times[3] < 1000000000, "and when\n");
  say(!files.ftruncate(file, 4294967303LL) && !files.fstat(file, &status) && status.size == 4294967303LL,
      "it is cut\n");
  say(!names.stat(path, &status) && status.size == 4294967303LL, "it is found by name\n");
  unsigned char *mapped = 0;
  say(!memory.mmap((void **)&mapped, 7, 1, 2, file, 4294967296LL) && mapped[6] == 0, "its end is mapped\n");
  say(!memory.munmap(mapped, 7) && !files.close(file), "it is closed\n");
  say(files.close(file) == 9, "but once\n");
}

static void check_threads(void) {
  struct time now, until;
  tls.init(first_data);
  say(tls.get() == (address)first_data, "there is a thread pointer\n");
  say(!threads.create(body, stack + sizeof stack, thread_data), "a thread begins\n");
  while (!reached)
    futex.wait(&reached, 0, 0);
  while (left)
    basic.yield();
  say(__pexe_thread_pointer() == (address)first_data, "it had a thread pointer of its own\n");
  say(!clocks.time(0, &now) && now.seconds > 1500000000, "there is a clock\n");
  until = now;
  until.nanoseconds += 20000000;
  if (until.nanoseconds >= 1000000000) {
    until.nanoseconds -= 1000000000;
    until.seconds++;
  }
  say(futex.wait(&left, 0, &until) == 110, "waiting has an end\n");
  struct time after, pause = {0, 1000};
  clocks.time(0, &after);
  wide passed = (after.seconds - now.seconds) * 1000000000 + after.nanoseconds - now.nanoseconds;
  say(passed >= 20000000, "not too early\n");
  say(!basic.nanosleep(&pause, &after) && after.seconds == 0, "sleeping, too\n");
}

void __pexe_start(unsigned *info) {
  unsigned *word = info + 3 + info[1] + info[2] + 2;
  while (*word != 32)
    word += 2;
  query = (void *)word[1];
  query("nacl-irt-dev-fdio-0.2", &files, sizeof files);
  query("nacl-irt-filename-0.1", &names, sizeof names);
  query("nacl-irt-basic-0.1", &basic, sizeof basic);
  query("nacl-irt-memory-0.3", &memory, sizeof memory);
  query("nacl-irt-thread-0.1", &threads, sizeof threads);
  query("nacl-irt-tls-0.1", &tls, sizeof tls);
  query("nacl-irt-futex-0.1", &futex, sizeof futex);
  query("nacl-irt-clock-0.1", &clocks, sizeof clocks);
  say(query("nacl-irt-nothing", &files, sizeof files) == 0, "what is not there is said not to be\n");
  int value = __pexe_setjmp(buffer);
  if (!value)
    jump(5);
  say(value == 1, "a jump goes back\n");
  check_files((const char *)info[4]);
  check_threads();
  basic.exit(0);
}
