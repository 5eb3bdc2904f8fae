// SPDX-License-Identifier: BSD-3-Clause
/* Preloaded by the lab, never by ECO itself: lets MPI launchers and ranks share few processors. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { POLLS_BEFORE_SLEEP = 20 };

typedef int (*epoll_wait_fn)(int, struct epoll_event*, int, int);
typedef int (*setpgid_fn)(pid_t, pid_t);
typedef int (*mkstemp_fn)(char*);
typedef ssize_t (*read_fn)(int, void*, size_t);
typedef void* (*disconnect_fn)(void*);
typedef unsigned (*progress_fn)(void*);
typedef void (*destroy_fn)(void*);

#define NEXT(type, name)                                                                           \
    static type next;                                                                              \
    if (next == NULL) next = (type)dlsym(RTLD_NEXT, name)

static void* worker;      /* UCX's, while it lives */
static int disconnecting; /* MPI_Finalize has begun to close connections */

/* Launchers and their proxies need this, what they start does not. A launcher may be a wrapper
 * around the real one, and a shell may stand before a proxy: those pass it on. */
__attribute__((constructor)) static void launcher_only(void) {
    char path[4096] = "";
    const char* before = getenv("ECO_LAB_PRELOAD_BEFORE");
    if (before == NULL || readlink("/proc/self/exe", path, sizeof path - 1) < 0) return;
    const char* name = strrchr(path, '/');
    name = name == NULL ? path : name + 1;
    if (strncmp(name, "prte", 4) != 0 && strncmp(name, "orte", 4) != 0 &&
        strncmp(name, "hydra_pmi", 9) != 0)
        return;
    if (*before != '\0')
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv("ECO_LAB_PRELOAD_BEFORE");
}

/* MPICH 5's proxy leaves a file of each job in /tmp; in the lab's own folder it goes with the lab.
 */
int mkstemp(char* template) {
    static const char theirs[] = "/tmp/hydra_hwloc_xmlfile_XXXXXX";
    static const char ours[] = "/run/eco-lab/tmp/hwloc_XXXXXX";
    NEXT(mkstemp_fn, "mkstemp");
    _Static_assert(sizeof ours <= sizeof theirs, "written over the caller's text");
    if (strcmp(template, theirs) == 0 && access("/run/eco-lab/tmp", W_OK) == 0)
        memcpy(template, ours, sizeof ours);
    return next(template);
}

/* Open MPI's launcher sets a child's group twice, in parent and child, and warns when the child
 * was faster: EACCES says that it has done its part. */
int setpgid(pid_t pid, pid_t group) {
    NEXT(setpgid_fn, "setpgid");
    int result = next(pid, group);
    if (result != 0 && errno == EACCES && pid == group) return 0;
    return result;
}

/* MPICH 4.0 never yields: a rank that polls in vain keeps the others from the processor. */
int epoll_wait(int fd, struct epoll_event* events, int most, int timeout) {
    NEXT(epoll_wait_fn, "epoll_wait");
    static __thread int idle;
    int result = next(fd, events, most, timeout);
    if (timeout != 0 || result != 0) {
        idle = 0;
    } else if (++idle >= POLLS_BEFORE_SLEEP) {
        struct timespec shortest = {0, 1};
        int before = errno;
        nanosleep(&shortest, NULL);
        errno = before;
        idle = 0;
    }
    return result;
}

/* In MPI_Finalize MPICH 4.0 closes its UCX connections and then waits for its launcher without
 * answering peers which still close theirs; they wait forever. Answer while waiting. */
unsigned ucp_worker_progress(void* handle) {
    NEXT(progress_fn, "ucp_worker_progress");
    worker = handle;
    return next(handle);
}

void ucp_worker_destroy(void* handle) {
    NEXT(destroy_fn, "ucp_worker_destroy");
    worker = NULL;
    next(handle);
}

void* ucp_disconnect_nb(void* endpoint) {
    NEXT(disconnect_fn, "ucp_disconnect_nb");
    disconnecting = 1;
    return next(endpoint);
}

ssize_t read(int fd, void* buffer, size_t size) {
    NEXT(read_fn, "read");
    static __thread int inside;
    if (disconnecting && worker != NULL && !inside) {
        struct pollfd one = {.fd = fd, .events = POLLIN};
        inside = 1;
        while (worker != NULL && poll(&one, 1, 0) == 0) ucp_worker_progress(worker);
        inside = 0;
    }
    return next(fd, buffer, size);
}
