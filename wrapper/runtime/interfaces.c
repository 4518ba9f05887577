// The interfaces that PNaCl's executables ask for by name, on the system calls of Linux.
//
// The order of functions in each table, the names, and the layouts of structures are those of Native Client's public
// headers (irt.h, irt_dev.h, and the headers of its C library), as data: words of 32 bits for addresses, sizes and
// int; 64 bits for times in seconds, offsets in files, devices and inodes. All functions return 0 or a number of errno,
// but those that never return and tls_get.
//
// Not there: what needs a browser (ppapi), dynamic code, and handlers of exceptions. Asking for them gives 0, as for
// any name that is not known.

#define _GNU_SOURCE
// Where long has 32 bits, too.
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64
#include "pexe.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_BYTES = 65536 };

// Integers in structures, which 8 divides the addresses of, whatever the machine's convention.
typedef int64_t own_int64 __attribute__((aligned(8)));
typedef uint64_t own_uint64 __attribute__((aligned(8)));

static uint32_t result(long value) { return value < 0 ? (uint32_t)errno : 0; }

// A number that a call gives besides.
static uint32_t give(long value, address place) {
  if (value < 0)
    return (uint32_t)errno;
  *(uint32_t *)pointer(place) = (uint32_t)value;
  return 0;
}

// basic

struct own_timespec {
  own_int64 seconds;
  int32_t nanoseconds;
};

struct own_timeval {
  own_int64 seconds;
  int32_t microseconds;
};

static struct timespec from_own(const struct own_timespec *own) {
  return (struct timespec){.tv_sec = own->seconds, .tv_nsec = own->nanoseconds};
}

static void to_own(struct own_timespec *own, const struct timespec *time) {
  own->seconds = time->tv_sec;
  own->nanoseconds = (int32_t)time->tv_nsec;
}

static void basic_exit(int32_t status) {
  fflush(NULL);
  _exit(status);
}

static uint32_t basic_gettod(address place) {
  struct timeval now;
  if (gettimeofday(&now, NULL) < 0)
    return (uint32_t)errno;
  struct own_timeval *own = pointer(place);
  own->seconds = now.tv_sec;
  own->microseconds = (int32_t)now.tv_usec;
  return 0;
}

static uint32_t basic_clock(address place) {
  *(int32_t *)pointer(place) = (int32_t)clock();
  return 0;
}

static uint32_t basic_nanosleep(address wanted, address left) {
  struct timespec request = from_own(pointer(wanted)), rest = {0};
  long outcome = nanosleep(&request, &rest);
  uint32_t error = result(outcome);
  if (left)
    to_own(pointer(left), &rest);
  return error;
}

static uint32_t basic_sched_yield(void) { return result(sched_yield()); }

static uint32_t basic_sysconf(int32_t name, address place) {
  enum { PROCESSORS = 1, PAGE_SIZE = 2, FILE_ACCESS = 3, LIST_MAPPINGS = 4 };
  int32_t value;
  switch (name) {
  case PROCESSORS:
    value = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    break;
  case PAGE_SIZE:
    value = PAGE_BYTES;
    break;
  case FILE_ACCESS:
  case LIST_MAPPINGS:
    value = 1;
    break;
  default:
    return EINVAL;
  }
  *(int32_t *)pointer(place) = value;
  return 0;
}

// fdio

struct own_stat {
  own_int64 device;
  own_uint64 inode;
  uint32_t mode, links, user, group;
  own_int64 special_device;
  own_int64 size;
  int32_t block_size, blocks;
  own_int64 accessed, accessed_nanoseconds;
  own_int64 modified, modified_nanoseconds;
  own_int64 changed, changed_nanoseconds;
};

static uint32_t give_stat(long outcome, const struct stat *found, address place) {
  if (outcome < 0)
    return (uint32_t)errno;
  struct own_stat *own = pointer(place);
  *own = (struct own_stat){
      .device = (int64_t)found->st_dev,
      .inode = found->st_ino,
      .mode = found->st_mode,
      .links = (uint32_t)found->st_nlink,
      .user = found->st_uid,
      .group = found->st_gid,
      .special_device = (int64_t)found->st_rdev,
      .size = found->st_size,
      .block_size = (int32_t)found->st_blksize,
      .blocks = (int32_t)found->st_blocks,
      .accessed = found->st_atim.tv_sec,
      .accessed_nanoseconds = found->st_atim.tv_nsec,
      .modified = found->st_mtim.tv_sec,
      .modified_nanoseconds = found->st_mtim.tv_nsec,
      .changed = found->st_ctim.tv_sec,
      .changed_nanoseconds = found->st_ctim.tv_nsec,
  };
  return 0;
}

static uint32_t fdio_close(int32_t file) { return result(close(file)); }
static uint32_t fdio_dup(int32_t file, address place) { return give(dup(file), place); }
static uint32_t fdio_dup2(int32_t file, int32_t other) { return result(dup2(file, other)); }

static uint32_t fdio_read(int32_t file, address buffer, uint32_t count, address place) {
  return give(read(file, pointer(buffer), count), place);
}

static uint32_t fdio_write(int32_t file, address buffer, uint32_t count, address place) {
  return give(write(file, pointer(buffer), count), place);
}

static uint32_t fdio_seek(int32_t file, int64_t offset, int32_t whence, address place) {
  off_t now = lseek(file, offset, whence);
  if (now < 0)
    return (uint32_t)errno;
  *(int64_t *)pointer(place) = now;
  return 0;
}

static uint32_t fdio_fstat(int32_t file, address place) {
  struct stat found;
  return give_stat(fstat(file, &found), &found, place);
}

struct own_dirent {
  own_uint64 inode;
  own_int64 offset;
  uint16_t bytes;
  char name[];
};

// Entries as the system gives them, written in the program's layout; what does not fit is read again next time.
static uint32_t fdio_getdents(int32_t file, address buffer, uint32_t count, address place) {
  struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t kind;
    char name[];
  };
  char theirs[2048] __attribute__((aligned(8)));
  size_t room = count < sizeof theirs ? count : sizeof theirs;
  long bytes = syscall(SYS_getdents64, file, theirs, room);
  if (bytes < 0)
    return (uint32_t)errno;
  char *out = pointer(buffer);
  uint32_t written = 0;
  for (long at = 0; at < bytes;) {
    const struct entry *entry = (const struct entry *)(theirs + at);
    // Theirs have one byte more before the name, so that these fit wherever theirs do.
    size_t name = strlen(entry->name) + 1;
    size_t own_bytes = (offsetof(struct own_dirent, name) + name + 7) / 8 * 8;
    struct own_dirent *own = (struct own_dirent *)(out + written);
    own->inode = entry->inode;
    own->offset = entry->offset;
    own->bytes = (uint16_t)own_bytes;
    memcpy(own->name, entry->name, name);
    written += (uint32_t)own_bytes;
    at += entry->bytes;
  }
  *(uint32_t *)pointer(place) = written;
  return 0;
}

static uint32_t fdio_fchdir(int32_t file) { return result(fchdir(file)); }
static uint32_t fdio_fchmod(int32_t file, uint32_t mode) { return result(fchmod(file, mode)); }
static uint32_t fdio_fsync(int32_t file) { return result(fsync(file)); }
static uint32_t fdio_fdatasync(int32_t file) { return result(fdatasync(file)); }
static uint32_t fdio_ftruncate(int32_t file, int64_t length) { return result(ftruncate(file, length)); }

static uint32_t fdio_isatty(int32_t file, address place) {
  *(int32_t *)pointer(place) = isatty(file);
  return 0;
}

// filename

static uint32_t filename_open(address path, int32_t flags, uint32_t mode, address place) {
  return give(open(pointer(path), flags, mode), place);
}

static uint32_t filename_stat(address path, address place) {
  struct stat found;
  return give_stat(stat(pointer(path), &found), &found, place);
}

static uint32_t filename_mkdir(address path, uint32_t mode) { return result(mkdir(pointer(path), mode)); }
static uint32_t filename_rmdir(address path) { return result(rmdir(pointer(path))); }
static uint32_t filename_chdir(address path) { return result(chdir(pointer(path))); }

static uint32_t filename_getcwd(address path, uint32_t bytes) {
  return getcwd(pointer(path), bytes) ? 0 : (uint32_t)errno;
}

static uint32_t filename_unlink(address path) { return result(unlink(pointer(path))); }
static uint32_t filename_truncate(address path, int64_t length) { return result(truncate(pointer(path), length)); }

static uint32_t filename_lstat(address path, address place) {
  struct stat found;
  return give_stat(lstat(pointer(path), &found), &found, place);
}

static uint32_t filename_link(address from, address to) { return result(link(pointer(from), pointer(to))); }
static uint32_t filename_rename(address from, address to) { return result(rename(pointer(from), pointer(to))); }
static uint32_t filename_symlink(address from, address to) { return result(symlink(pointer(from), pointer(to))); }
static uint32_t filename_chmod(address path, uint32_t mode) { return result(chmod(pointer(path), mode)); }
static uint32_t filename_access(address path, int32_t mode) { return result(access(pointer(path), mode)); }

static uint32_t filename_readlink(address path, address buffer, uint32_t count, address place) {
  return give(readlink(pointer(path), pointer(buffer), count), place);
}

static uint32_t filename_utimes(address path, address times) {
  if (!times)
    return result(utimes(pointer(path), NULL));
  const struct own_timeval *own = pointer(times);
  struct timeval both[2];
  for (int i = 0; i < 2; i++)
    both[i] = (struct timeval){.tv_sec = own[i].seconds, .tv_usec = own[i].microseconds};
  return result(utimes(pointer(path), both));
}

// memory

// Pages of the size that programs expect, below 4 GiB. A place that is wished for is taken if it is free.
static uint32_t memory_mmap(address place, uint32_t bytes, int32_t protection, int32_t flags, int32_t file,
                            int64_t offset) {
  address *wished = pointer(place);
  size_t whole = ((size_t)bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  int known = flags & (MAP_SHARED | MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS);
  protection &= PROT_READ | PROT_WRITE;
  if (!bytes)
    return EINVAL;
  if (bytes > UINT32_MAX - 2 * PAGE_BYTES)
    return ENOMEM;
  if (known & MAP_FIXED) {
    void *found = mmap(pointer(*wished), bytes, protection, known, file, offset);
    return found == MAP_FAILED ? (uint32_t)errno : 0;
  }
  char *found = MAP_FAILED;
  if (*wished && *wished % PAGE_BYTES == 0)
    found = mmap(pointer(*wished), whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (found == MAP_FAILED) {
    char *room = mmap(NULL, whole + PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (room == MAP_FAILED)
      return ENOMEM;
    found = (char *)(((uintptr_t)room + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    if (found > room)
      munmap(room, (size_t)(found - room));
    munmap(found + whole, (size_t)(room + PAGE_BYTES - found));
  }
  void *mapped = mmap(found, bytes, protection, known | MAP_FIXED, file, offset);
  if (mapped == MAP_FAILED) {
    uint32_t error = (uint32_t)errno;
    munmap(found, whole);
    return error;
  }
  *wished = number(found);
  return 0;
}

static uint32_t memory_munmap(address place, uint32_t bytes) {
  size_t whole = ((size_t)bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  return result(munmap(pointer(place), whole));
}

static uint32_t memory_mprotect(address place, uint32_t bytes, int32_t protection) {
  return result(mprotect(pointer(place), bytes, protection & (PROT_READ | PROT_WRITE)));
}

// A heap for old programs that have no other.
static uint32_t memory_sysbrk(address place) {
  enum { HEAP_BYTES = 1 << 30 };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static address start, now;
  address *wanted = pointer(place);
  uint32_t error = 0;
  pthread_mutex_lock(&lock);
  if (!start) {
    void *room = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
    if (room != MAP_FAILED)
      start = now = number(room);
  }
  if (!start || *wanted > start + HEAP_BYTES || (*wanted && *wanted < start)) {
    error = ENOMEM;
  } else if (*wanted) {
    // What is given back is zero when it is taken again.
    if (*wanted < now)
      memset(pointer(*wanted), 0, now - *wanted);
    now = *wanted;
  } else {
    *wanted = now;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

// tls

static uint32_t tls_init(address value) {
  pexe_thread_pointer_value = value;
  return 0;
}

static address tls_get(void) { return pexe_thread_pointer_value; }

// thread

struct start {
  address function, stack, thread_pointer;
};

// The place at which the current thread's own stack waits for the end of the program's function.
static __thread void *own_stack;

static void release_stack(void);

static void run(uint32_t function) { ((void (*)(void))pointer(function))(); }

static void *begin(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pexe_thread_pointer_value = start.thread_pointer;
  pexe_enter(start.stack, run, start.function, &own_stack);
  release_stack();
  return NULL;
}

static uint32_t thread_create(address function, address stack, address thread_pointer) {
  struct start *start = malloc(sizeof *start);
  if (!start)
    return ENOMEM;
  *start = (struct start){.function = function, .stack = stack, .thread_pointer = thread_pointer};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, begin, start);
  pthread_attr_destroy(&attributes);
  if (error)
    free(start);
  return (uint32_t)error;
}

// The stack may be given to others as soon as the flag is 0, so that it is written from the thread's own stack.
static __thread address stack_flag;

static void release_stack(void) {
  if (stack_flag)
    __atomic_store_n((int32_t *)pointer(stack_flag), 0, __ATOMIC_SEQ_CST);
}

static void thread_exit(address flag) {
  stack_flag = flag;
  if (own_stack)
    pexe_leave(&own_stack);
  // The first thread, whose end is not that of the program.
  release_stack();
  pthread_exit(NULL);
}

static uint32_t thread_nice(int32_t nice) {
  (void)nice;
  return 0;
}

// futex

// The call whose times are as wide as ours.
static const long FUTEX_CALL =
#ifdef SYS_futex_time64
    sizeof(time_t) > sizeof(long) ? SYS_futex_time64 :
#endif
                                  SYS_futex;

static uint32_t futex_wait_abs(address place, int32_t value, address until) {
  struct timespec time, *limit = NULL;
  if (until) {
    time = from_own(pointer(until));
    limit = &time;
  }
  int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  return result(syscall(FUTEX_CALL, pointer(place), operation, value, limit, NULL, FUTEX_BITSET_MATCH_ANY));
}

static uint32_t futex_wake(address place, int32_t most, address count) {
  return give(syscall(FUTEX_CALL, pointer(place), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, most, NULL, NULL, 0), count);
}

// mutex and cond, which old programs use; their handles are addresses.

static void *low_object(size_t bytes) { return pexe_map_low(bytes); }

static uint32_t mutex_create(address place) {
  pthread_mutex_t *mutex = low_object(sizeof *mutex);
  if (!mutex)
    return ENOMEM;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  int error = pthread_mutex_init(mutex, &kind);
  *(address *)pointer(place) = number(mutex);
  return (uint32_t)error;
}

static uint32_t mutex_destroy(address mutex) {
  int error = pthread_mutex_destroy(pointer(mutex));
  if (!error)
    munmap(pointer(mutex), sizeof(pthread_mutex_t));
  return (uint32_t)error;
}

static uint32_t mutex_lock(address mutex) { return (uint32_t)pthread_mutex_lock(pointer(mutex)); }
static uint32_t mutex_unlock(address mutex) { return (uint32_t)pthread_mutex_unlock(pointer(mutex)); }
static uint32_t mutex_trylock(address mutex) { return (uint32_t)pthread_mutex_trylock(pointer(mutex)); }

static uint32_t cond_create(address place) {
  pthread_cond_t *cond = low_object(sizeof *cond);
  if (!cond)
    return ENOMEM;
  int error = pthread_cond_init(cond, NULL);
  *(address *)pointer(place) = number(cond);
  return (uint32_t)error;
}

static uint32_t cond_destroy(address cond) {
  int error = pthread_cond_destroy(pointer(cond));
  if (!error)
    munmap(pointer(cond), sizeof(pthread_cond_t));
  return (uint32_t)error;
}

static uint32_t cond_signal(address cond) { return (uint32_t)pthread_cond_signal(pointer(cond)); }
static uint32_t cond_broadcast(address cond) { return (uint32_t)pthread_cond_broadcast(pointer(cond)); }

static uint32_t cond_wait(address cond, address mutex) {
  return (uint32_t)pthread_cond_wait(pointer(cond), pointer(mutex));
}

static uint32_t cond_timed_wait_abs(address cond, address mutex, address until) {
  struct timespec time = from_own(pointer(until));
  return (uint32_t)pthread_cond_timedwait(pointer(cond), pointer(mutex), &time);
}

// random, clock, getpid, resource-open, list-mappings

static uint32_t random_get(address buffer, uint32_t count, address place) {
  return give(getrandom(pointer(buffer), count, 0), place);
}

static uint32_t clock_resolution(uint32_t clock, address place) {
  struct timespec found;
  uint32_t error = result(clock_getres((clockid_t)clock, &found));
  if (!error && place)
    to_own(pointer(place), &found);
  return error;
}

static uint32_t clock_time(uint32_t clock, address place) {
  struct timespec found;
  uint32_t error = result(clock_gettime((clockid_t)clock, &found));
  if (!error)
    to_own(pointer(place), &found);
  return error;
}

static uint32_t process_number(address place) { return give(getpid(), place); }
static uint32_t resource_open(address path, address place) { return give(open(pointer(path), O_RDONLY), place); }

struct own_mapping {
  uint32_t start, bytes, protection, most_protection, kind;
};

static uint32_t list_mappings(address regions, uint32_t count, address place) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps)
    return (uint32_t)errno;
  struct own_mapping *own = pointer(regions);
  uint32_t found = 0;
  char line[512];
  while (fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || end > UINT32_MAX)
      continue;
    uint32_t protection = (rights[0] == 'r' ? 1 : 0) | (rights[1] == 'w' ? 2 : 0) | (rights[2] == 'x' ? 4 : 0);
    if (found < count)
      own[found] = (struct own_mapping){(uint32_t)start, (uint32_t)(end - start), protection, 7, 0};
    found++;
  }
  fclose(maps);
  *(uint32_t *)pointer(place) = found;
  return 0;
}

// The tables by name.

#define FUNCTION(name) (const void *)name
#define MOST_FUNCTIONS 16

static const struct interface {
  const char *name;
  const void *functions[MOST_FUNCTIONS + 1];
} INTERFACES[] = {
#define FDIO                                                                                                           \
  FUNCTION(fdio_close), FUNCTION(fdio_dup), FUNCTION(fdio_dup2), FUNCTION(fdio_read), FUNCTION(fdio_write),            \
      FUNCTION(fdio_seek), FUNCTION(fdio_fstat), FUNCTION(fdio_getdents)
#define MORE_FDIO                                                                                                      \
  FUNCTION(fdio_fchdir), FUNCTION(fdio_fchmod), FUNCTION(fdio_fsync), FUNCTION(fdio_fdatasync), FUNCTION(fdio_ftruncate)
#define FILENAME                                                                                                       \
  FUNCTION(filename_open), FUNCTION(filename_stat), FUNCTION(filename_mkdir), FUNCTION(filename_rmdir),                \
      FUNCTION(filename_chdir), FUNCTION(filename_getcwd), FUNCTION(filename_unlink)
    {"nacl-irt-basic-0.1",
     {FUNCTION(basic_exit), FUNCTION(basic_gettod), FUNCTION(basic_clock), FUNCTION(basic_nanosleep),
      FUNCTION(basic_sched_yield), FUNCTION(basic_sysconf)}},
    {"nacl-irt-fdio-0.1", {FDIO}},
    {"nacl-irt-dev-fdio-0.1", {FDIO}},
    {"nacl-irt-dev-fdio-0.2", {FDIO, MORE_FDIO}},
    {"nacl-irt-dev-fdio-0.3", {FDIO, MORE_FDIO, FUNCTION(fdio_isatty)}},
    {"nacl-irt-filename-0.1", {FUNCTION(filename_open), FUNCTION(filename_stat)}},
    {"nacl-irt-dev-filename-0.2", {FILENAME}},
    {"nacl-irt-dev-filename-0.3",
     {FILENAME, FUNCTION(filename_truncate), FUNCTION(filename_lstat), FUNCTION(filename_link),
      FUNCTION(filename_rename), FUNCTION(filename_symlink), FUNCTION(filename_chmod), FUNCTION(filename_access),
      FUNCTION(filename_readlink), FUNCTION(filename_utimes)}},
    {"nacl-irt-memory-0.1", {FUNCTION(memory_sysbrk), FUNCTION(memory_mmap), FUNCTION(memory_munmap)}},
    {"nacl-irt-memory-0.2",
     {FUNCTION(memory_sysbrk), FUNCTION(memory_mmap), FUNCTION(memory_munmap), FUNCTION(memory_mprotect)}},
    {"nacl-irt-memory-0.3", {FUNCTION(memory_mmap), FUNCTION(memory_munmap), FUNCTION(memory_mprotect)}},
    {"nacl-irt-tls-0.1", {FUNCTION(tls_init), FUNCTION(tls_get)}},
    {"nacl-irt-thread-0.1", {FUNCTION(thread_create), FUNCTION(thread_exit), FUNCTION(thread_nice)}},
    {"nacl-irt-futex-0.1", {FUNCTION(futex_wait_abs), FUNCTION(futex_wake)}},
    {"nacl-irt-mutex-0.1",
     {FUNCTION(mutex_create), FUNCTION(mutex_destroy), FUNCTION(mutex_lock), FUNCTION(mutex_unlock),
      FUNCTION(mutex_trylock)}},
    {"nacl-irt-cond-0.1",
     {FUNCTION(cond_create), FUNCTION(cond_destroy), FUNCTION(cond_signal), FUNCTION(cond_broadcast),
      FUNCTION(cond_wait), FUNCTION(cond_timed_wait_abs)}},
    {"nacl-irt-random-0.1", {FUNCTION(random_get)}},
    {"nacl-irt-clock-0.1", {FUNCTION(clock_resolution), FUNCTION(clock_time)}},
    {"nacl-irt-clock_get-0.1", {FUNCTION(clock_resolution), FUNCTION(clock_time)}},
    {"nacl-irt-dev-getpid-0.1", {FUNCTION(process_number)}},
    {"nacl-irt-resource-open-0.1", {FUNCTION(resource_open)}},
    {"nacl-irt-dev-list-mappings-0.1", {FUNCTION(list_mappings)}},
};

uint32_t pexe_interface_query(address name, address table, uint32_t table_bytes) {
  for (size_t i = 0; i < sizeof INTERFACES / sizeof *INTERFACES; i++) {
    const struct interface *interface = &INTERFACES[i];
    if (strcmp(interface->name, pointer(name)) != 0)
      continue;
    uint32_t count = 0;
    while (interface->functions[count])
      count++;
    if (count * sizeof(address) > table_bytes)
      return 0;
    address *out = pointer(table);
    for (uint32_t j = 0; j < count; j++)
      out[j] = number(interface->functions[j]);
    return count * (uint32_t)sizeof(address);
  }
  return 0;
}
