// SPDX-License-Identifier: BSD-3-Clause
/* What programs do beside their collectives: hazards HOW. Ends with "all ok" on rank 0.
       fork      a child of each rank ends by exit()
       exec      a child of each rank starts a program
       signals   a timer's signal comes all the time
       leftovers attributes whose keyvals, groups whose communicators, are freed before MPI_Finalize
       handles   communicators made and freed in turn, one often with the handle of the one before
       keyvals   whether ECO's own keyval is free again when MPI_Finalize calls the program back
       roots R N   R rounds of all ranks as roots in turn, with N sizes
       threads   many threads, each with communicators of its own, that ask for levels as well
       frees     types and operators are freed by who holds a lock that an operator waits for
       atexit    collectives, and MPI_Finalize, when the program's own variables are gone */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eco.h"

static int wrong;
/* Says where, the first few times. */
#define WRONG_IF(bad)                                                                              \
    do {                                                                                           \
        if ((bad) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 10)                         \
            fprintf(stderr, "hazards.c, line %d: %s\n", __LINE__, #bad);                           \
    } while (0)
static volatile sig_atomic_t signals;

static void count_signal(int number) {
    (void)number;
    signals++;
}

/* A broadcast, a sum and a gather with this root. */
static void collectives(MPI_Comm comm, int root, int count, int* data, int* all) {
    int rank, size, mine = count, sum = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int n = 0; n < count; n++) data[n] = rank == root ? root + n : -1;
    MPI_Bcast(data, count, MPI_INT, root, comm);
    for (int n = 0; n < count; n++) WRONG_IF(data[n] != root + n);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    WRONG_IF(sum != count * size);
    mine = rank + count;
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm);
    for (int r = 0; rank == root && r < size; r++) WRONG_IF(all[r] != r + count);
}

static void some(MPI_Comm comm, int turns) {
    static int data[20000], all[1000];
    int size;
    MPI_Comm_size(comm, &size);
    for (int turn = 0; turn < turns; turn++)
        collectives(comm, turn % size, turn % 3 ? 5 : 20000, data, all);
}

static void child(int starts) {
    int status = -1;
    fflush(NULL);
    pid_t id = fork();
    if (id == 0 && starts) execlp("sh", "sh", "-c", "exit 0", NULL);
    if (id == 0) exit(0);
    waitpid(id, &status, 0);
    WRONG_IF(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

/* Without what is shared with other ranks: the library's buffers for messages between them, of
   which it takes more the more messages have ever been under way at once. */
static long own_memory(void) {
    char line[256];
    long kilobytes = 0;
    FILE* file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "RssAnon: %ld", &kilobytes);
    if (file) fclose(file);
    return kilobytes;
}

static void roots(MPI_Comm comm, int rounds, int sizes) {
    static int data[4096], all[1000];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    long early = 0;
    for (int turn = 0; turn < rounds * size * sizes; turn++) {
        int root = turn % size, count = 16 * (1 + turn / size % sizes);
        MPI_Bcast(data, count, MPI_INT, root, comm);
        if (turn % 10 == 0) MPI_Reduce(data, all, 1, MPI_INT, MPI_MAX, root, comm);
        if (turn == size * sizes - 1) early = own_memory();
    }
    if (rank == 0) printf("grew by %ld kB\n", own_memory() - early);
}

enum { crew = 6, comms_each = 12 };
static MPI_Comm comms[crew * comms_each];
static pthread_barrier_t together;
static MPI_Errhandler own_handler;
static volatile int working = crew;
static int levels_of_world, others_of_world, nearest_of_world[64];

static void* work(void* argument) {
    int me = (int)(size_t)argument, *data = malloc(4096 * sizeof(int)), all[64];
    for (int c = 0; c < crew * comms_each; c++) {
        int rank, levels, nearest[64], found;
        MPI_Comm_rank(comms[c], &rank);
        pthread_barrier_wait(&together);
        /* All ask at once for what nobody knows yet, while its own thread begins to use it. */
        if (c % crew == me) collectives(comms[c], 0, 700, data, all);
        ECO_Comm_levels(comms[c], rank, &levels);
        ECO_Comm_nearest(comms[c], 64, nearest, &found);
        WRONG_IF(levels != levels_of_world || found != others_of_world);
        for (int n = 0; n < found; n++) WRONG_IF(nearest[n] != nearest_of_world[n]);
    }
    for (int turn = 0; turn < 8; turn++)
        for (int c = me; c < crew * comms_each; c += crew)
            collectives(comms[c], turn % 2, 4096 >> turn, data, all);
    free(data);
    __atomic_sub_fetch(&working, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* A handler that is set stays set. */
static void* watch(void* argument) {
    while (working) {
        MPI_Errhandler now;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, own_handler);
        for (int look = 0; look < 20; look++) {
            MPI_Comm_get_errhandler(MPI_COMM_SELF, &now);
            WRONG_IF(now != own_handler);
            MPI_Errhandler_free(&now);
        }
        usleep(50);
    }
    return argument;
}

static void say_nothing(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }

static void threads(void) {
    pthread_t all[crew + 1];
    MPI_Group group;
    MPI_Comm_create_errhandler(say_nothing, &own_handler);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    for (int c = 0; c < crew * comms_each; c++)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, c, &comms[c]);
    MPI_Group_free(&group);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ECO_Comm_levels(MPI_COMM_WORLD, rank, &levels_of_world);
    ECO_Comm_nearest(MPI_COMM_WORLD, 64, nearest_of_world, &others_of_world);
    pthread_barrier_init(&together, NULL, crew);
    for (int t = 0; t < crew; t++) pthread_create(&all[t], NULL, work, (void*)(size_t)t);
    pthread_create(&all[crew], NULL, watch, NULL);
    for (int t = 0; t <= crew; t++) pthread_join(all[t], NULL);
    for (int c = 0; c < crew * comms_each; c++) MPI_Comm_free(&comms[c]);
    MPI_Errhandler_free(&own_handler);
}

static pthread_mutex_t interpreter = PTHREAD_MUTEX_INITIALIZER;
static volatile int adding = 1;

/* As one in Python, which takes the interpreter's lock. */
static void add_in_turn(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)type;
    pthread_mutex_lock(&interpreter);
    for (int n = 0; n < *length; n++) ((int*)inout)[n] += ((int*)in)[n];
    pthread_mutex_unlock(&interpreter);
}

static void* free_types(void* argument) {
    while (adding) {
        MPI_Datatype type;
        MPI_Op op;
        MPI_Type_contiguous(3, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Op_create(add_in_turn, 1, &op);
        pthread_mutex_lock(&interpreter);
        usleep(2000); /* operators wait meanwhile */
        MPI_Type_free(&type);
        MPI_Op_free(&op);
        WRONG_IF(type != MPI_DATATYPE_NULL || op != MPI_OP_NULL);
        pthread_mutex_unlock(&interpreter);
        usleep(100);
    }
    return argument;
}

static void frees(MPI_Comm comm) {
    int rank, size, sum[100], ones[100];
    pthread_t thread;
    MPI_Op op;
    MPI_Comm other;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_dup(comm, &other);
    MPI_Op_create(add_in_turn, 1, &op);
    for (int n = 0; n < 100; n++) ones[n] = 1;
    pthread_create(&thread, NULL, free_types, NULL);
    for (int turn = 0; turn < 60; turn++) {
        MPI_Request requests[2];
        MPI_Datatype every_other;
        int pairs[200];
        for (int n = 0; n < 200; n++) pairs[n] = rank == 0 ? turn : -1;
        MPI_Type_vector(100, 1, 2, MPI_INT, &every_other);
        MPI_Type_commit(&every_other);
        MPI_Iallreduce(ones, sum, 100, MPI_INT, op, comm, &requests[0]);
        MPI_Ibcast(pairs, 1, every_other, 0, comm, &requests[1]);
        pthread_mutex_lock(&interpreter);
        MPI_Type_free(&every_other); /* which the call needs */
        pthread_mutex_unlock(&interpreter);
        MPI_Barrier(other); /* its progress runs the operator */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int n = 0; n < 100; n++) WRONG_IF(sum[n] != size);
        for (int n = 0; n < 199; n++) WRONG_IF(pairs[n] != (rank == 0 || n % 2 == 0 ? turn : -1));
    }
    adding = 0;
    pthread_join(thread, NULL);
    MPI_Op_free(&op);
    MPI_Comm_free(&other);
}

static void at_the_very_end(void) {
    int rank, all_wrong;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    some(MPI_COMM_WORLD, 20);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(all_wrong ? "wrong" : "all ok");
    fflush(stdout);
    MPI_Finalize();
    if (all_wrong) _exit(1);
}

static int deleted;

static int count_deleted(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm;
    (void)keyval;
    (void)extra;
    deleted += *(int*)value;
    return MPI_SUCCESS;
}

/* What stays: an attribute of a communicator that lives to the end, and one of MPI_COMM_SELF, whose
   callback MPI_Finalize calls before anything else. */
static void leave(MPI_Comm comm) {
    static int one = 1, hundred = 100;
    int keyval, rank;
    MPI_Group world, part;
    MPI_Comm inside, copy;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &keyval, NULL);
    MPI_Comm_split(comm, rank % 2, rank, &inside);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_set_attr(inside, keyval, &one);
    MPI_Comm_set_attr(copy, keyval, &one);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &hundred);
    MPI_Comm_group(inside, &part);
    MPI_Comm_group(comm, &world);
    MPI_Comm_free_keyval(&keyval);
    some(inside, 5);
    some(copy, 5);
    MPI_Comm_free(&inside);
    WRONG_IF(deleted != 1);
    MPI_Group_free(&part);
    MPI_Group_free(&world);
    some(copy, 5);
    MPI_Comm_free(&copy);
    WRONG_IF(deleted != 2);
}

/* Of all ranks, in reverse order, and of half of them. */
static void handles(MPI_Comm comm, int rounds) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int round = 0; round < rounds; round++) {
        MPI_Comm one;
        MPI_Comm_split(comm, round % 3 == 2 ? rank % 2 : 0, round % 3 == 1 ? -rank : rank, &one);
        some(one, 3);
        MPI_Comm_free(&one);
    }
}

static int at_the_end = MPI_KEYVAL_INVALID;

static int make_keyval(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm, (void)keyval, (void)value, (void)extra;
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &at_the_end,
                                  NULL);
}

/* Libraries give out the number that became free last, or the lowest one: ECO's, which is below the
   last of the program's, as no communicator holds it any more: MPI_COMM_WORLD had no collective. */
static int keyvals(void) {
    static int value;
    int before, after, rank;
    MPI_Comm copy;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, make_keyval, &before, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, before, &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    some(copy, 5);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &after, NULL);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    const int ok = !wrong && before < after && at_the_end < after;
    if (!ok) fprintf(stderr, "%d and %d, at the end %d\n", before, after, at_the_end);
    if (rank == 0 && ok) puts("all ok");
    return 0; /* a launcher that has to end the other ranks may not end itself */
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    int rank, all_wrong = 0, provided = MPI_THREAD_SINGLE;
    const int threaded = !strcmp(how, "threads") || !strcmp(how, "frees");
    if (!strcmp(how, "atexit")) atexit(at_the_very_end);
    if (threaded)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    if (!strcmp(how, "keyvals")) return keyvals();
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    if (!strcmp(how, "fork") || !strcmp(how, "exec"))
        for (int turn = 0; turn < 3; turn++) {
            some(comm, 10);
            child(!strcmp(how, "exec"));
            some(comm, 10);
        }
    if (!strcmp(how, "signals")) {
        struct itimerval often = {{0, 700}, {0, 700}};
        struct sigaction action = {.sa_handler = count_signal};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
        some(comm, 60);
        memset(&often, 0, sizeof often);
        setitimer(ITIMER_REAL, &often, NULL);
        WRONG_IF(signals == 0);
    }
    if (!strcmp(how, "leftovers")) leave(comm);
    if (!strcmp(how, "handles")) handles(comm, 30);
    if (!strcmp(how, "roots")) roots(comm, atoi(argv[2]), atoi(argv[3]));
    if (!strcmp(how, "threads") && provided == MPI_THREAD_MULTIPLE) threads();
    if (!strcmp(how, "frees") && provided == MPI_THREAD_MULTIPLE) frees(comm);
    if (!strcmp(how, "atexit")) {
        some(comm, 20);
        return 0;
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) puts(all_wrong ? "wrong" : "all ok");
    MPI_Finalize();
    if (!strcmp(how, "leftovers")) all_wrong += deleted != 102;
    return all_wrong != 0;
}
