// SPDX-License-Identifier: BSD-3-Clause
/* Every collective with a device's memory on some ranks and the host's on others: devices DRIVER.
   The driver (CUDA's or HIP's, or fake_cuda.c or fake_hip.c) is loaded after the first collective.
   Rank 0 ends with "all ok". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eco.h"

enum { most = 4000 };
static int rank, size, wrong, on_device;
static int *give, *take, host[most], expected[most];

static void must(int code, const char* what) {
    if (code == 0) return;
    printf("rank %d: %s gives %d\n", rank, what, code);
    wrong++;
}

static void* driver;
static void find(void* function, const char* name) {
    *(void**)function = dlsym(driver, name);
    if (!*(void**)function) must(-1, name);
}

/* As cuda.h has it. */
static struct {
    int (*init)(unsigned), (*device)(int*, int), (*retain)(void**, int);
    int (*alloc)(unsigned long long*, size_t), (*push)(void*), (*pop)(void**);
    int (*copy)(unsigned long long, unsigned long long, size_t);
    void* context;
} cuda;

/* As hip_runtime_api.h has it. */
static struct {
    int (*alloc)(void**, size_t), (*copy)(void*, const void*, size_t, int);
    int (*enlist)(void*, size_t, unsigned), (*get)(void);
} hip;

static void load(const char* name) {
    driver = dlopen(name, RTLD_NOW);
    if (!driver) {
        puts(dlerror());
        exit(1);
    }
    if (strstr(name, "hip")) {
        find(&hip.alloc, "hipMalloc"), find(&hip.copy, "hipMemcpy");
        find(&hip.enlist, "hipHostRegister");
        find(&hip.get, "hipGetLastError");
        return;
    }
    int device = 0;
    find(&cuda.init, "cuInit"), find(&cuda.device, "cuDeviceGet");
    find(&cuda.retain, "cuDevicePrimaryCtxRetain"), find(&cuda.alloc, "cuMemAlloc_v2");
    find(&cuda.push, "cuCtxPushCurrent_v2"), find(&cuda.pop, "cuCtxPopCurrent_v2");
    find(&cuda.copy, "cuMemcpy");
    must(cuda.init(0), "cuInit");
    must(cuda.device(&device, 0), "cuDeviceGet");
    must(cuda.retain(&cuda.context, device), "cuDevicePrimaryCtxRetain");
}

/* CUDA's context is this thread's only meanwhile: ECO must find it from the memory. */
static void* make(size_t bytes) {
    void *memory = NULL, *was;
    unsigned long long address = 0;
    if (!on_device) return malloc(bytes);
    if (hip.alloc) {
        must(hip.alloc(&memory, bytes), "hipMalloc");
        return memory;
    }
    cuda.push(cuda.context);
    must(cuda.alloc(&address, bytes), "cuMemAlloc");
    cuda.pop(&was);
    return (void*)address;
}

static void move(void* to, const void* from) {
    const size_t bytes = most * sizeof(int);
    void* was;
    if (!on_device) {
        memcpy(to, from, bytes);
    } else if (hip.alloc) {
        must(hip.copy(to, from, bytes, 4), "hipMemcpy");
    } else {
        cuda.push(cuda.context);
        must(cuda.copy((unsigned long long)to, (unsigned long long)from, bytes), "cuMemcpy");
        cuda.pop(&was);
    }
}

/* HIP remembers the last error: one of the program's stays, and ECO, which asks whose memory a
   buffer of the host is, leaves none. */
static void hip_errors(MPI_Comm comm) {
    for (int made = 0; made < 2; made++) {
        if (hip.alloc && made) hip.copy(host, host, 0, 99);
        MPI_Bcast(host, 100, MPI_INT, 0, comm);
        if (hip.alloc) must(!hip.get() != !made, "what HIP remembers is not the program's: it");
    }
}

/* Memory of the host that the driver knows is the host's. */
static void host_memory(MPI_Comm comm) {
    if (hip.alloc) must(hip.enlist(host, sizeof host, 0), "hipHostRegister");
    for (int n = 0; n < most; n++) host[n] = rank == 1 ? n : -1;
    MPI_Bcast(host, most, MPI_INT, 1, comm);
    for (int n = 0; n < most; n++) must(host[n] != n, "bcast of host memory");
}

/* What rank r gives at place n. */
static int value(int r, int n) { return 1000 * r + n; }

static void begin(void) {
    for (int n = 0; n < most; n++) host[n] = value(rank, n);
    move(give, host);
    for (int n = 0; n < most; n++) host[n] = expected[n] = -5;
    move(take, host);
}

static void end(const char* what, const int* buffer) {
    move(host, buffer);
    for (int n = 0; n < most; n++)
        if (host[n] != expected[n]) {
            printf("rank %d: %s is wrong at %d: %d, not %d\n", rank, what, n, host[n], expected[n]);
            wrong++;
            return;
        }
}

static void rooted(MPI_Comm comm, int root) {
    int counts[64], places[64];
    for (int r = 0; r < size; r++) counts[r] = 3 + r, places[r] = 20 * r + 1;
    begin();
    for (int n = 0; n < most; n++) expected[n] = value(n < 500 ? root : rank, n);
    MPI_Bcast(give, 500, MPI_INT, root, comm);
    end("bcast", give);

    MPI_Datatype every_other;
    MPI_Type_vector(50, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    begin();
    for (int n = 0; n < most; n++) expected[n] = value(n < 100 && n % 2 == 0 ? root : rank, n);
    MPI_Bcast(give, 1, every_other, root, comm);
    end("bcast of a vector", give);
    MPI_Type_free(&every_other);

    begin();
    for (int n = 0; rank == root && n < 10 * size; n++) expected[n] = value(n / 10, n % 10);
    MPI_Gather(give, 10, MPI_INT, take, 10, MPI_INT, root, comm);
    end("gather", take);
    begin();
    for (int r = 0; rank == root && r < size; r++)
        for (int n = 0; n < counts[r]; n++) expected[places[r] + n] = value(r, n);
    MPI_Gatherv(give, counts[rank], MPI_INT, take, counts, places, MPI_INT, root, comm);
    end("gatherv", take);
    begin();
    for (int n = 0; n < 10; n++) expected[n] = value(root, 10 * rank + n);
    MPI_Scatter(give, 10, MPI_INT, take, 10, MPI_INT, root, comm);
    end("scatter", take);
    begin();
    for (int n = 0; n < counts[rank]; n++) expected[n] = value(root, places[rank] + n);
    MPI_Scatterv(give, counts, places, MPI_INT, take, counts[rank], MPI_INT, root, comm);
    end("scatterv", take);
    begin();
    for (int n = 0; rank == root && n < 300; n++)
        expected[n] = 1000 * size * (size - 1) / 2 + size * n;
    MPI_Reduce(give, take, 300, MPI_INT, MPI_SUM, root, comm);
    end("reduce", take);
}

static void to_all(MPI_Comm comm) {
    int counts[64], places[64];
    for (int r = 0; r < size; r++) counts[r] = 3 + r, places[r] = 20 * r + 1;
    begin();
    for (int n = 0; n < 10 * size; n++) expected[n] = value(n / 10, n % 10);
    MPI_Allgather(give, 10, MPI_INT, take, 10, MPI_INT, comm);
    end("allgather", take);
    begin();
    for (int r = 0; r < size; r++)
        for (int n = 0; n < counts[r]; n++) expected[places[r] + n] = value(r, n);
    MPI_Allgatherv(give, counts[rank], MPI_INT, take, counts, places, MPI_INT, comm);
    end("allgatherv", take);
    begin();
    for (int n = 0; n < 10 * size; n++) expected[n] = value(n / 10, 10 * rank + n % 10);
    MPI_Alltoall(give, 10, MPI_INT, take, 10, MPI_INT, comm);
    end("alltoall", take);
    int sends[64];
    for (int r = 0; r < size; r++) sends[r] = 3 + rank;
    begin();
    for (int r = 0; r < size; r++)
        for (int n = 0; n < counts[r]; n++) expected[places[r] + n] = value(r, places[rank] + n);
    MPI_Alltoallv(give, sends, places, MPI_INT, take, counts, places, MPI_INT, comm);
    end("alltoallv", take);
    begin();
    for (int n = 0; n < 700; n++) expected[n] = 1000 * size * (size - 1) / 2 + size * n;
    MPI_Allreduce(give, take, 700, MPI_INT, MPI_SUM, comm);
    end("allreduce", take);
    begin();
    for (int n = 0; n < most; n++)
        expected[n] = n < 700 ? 1000 * size * (size - 1) / 2 + size * n : value(rank, n);
    MPI_Allreduce(MPI_IN_PLACE, give, 700, MPI_INT, MPI_SUM, comm);
    end("allreduce in place", give);
    begin();
    for (int n = 0; n < 50; n++) expected[n] = 1000 * rank * (rank + 1) / 2 + (rank + 1) * n;
    MPI_Scan(give, take, 50, MPI_INT, MPI_SUM, comm);
    end("scan", take);
    begin();
    for (int n = 0; rank > 0 && n < 50; n++) expected[n] = 1000 * rank * (rank - 1) / 2 + rank * n;
    MPI_Exscan(give, take, 50, MPI_INT, MPI_SUM, comm);
    end("exscan", take);
    begin();
    for (int n = 0; n < 20; n++)
        expected[n] = 1000 * size * (size - 1) / 2 + size * (20 * rank + n);
    MPI_Reduce_scatter_block(give, take, 20, MPI_INT, MPI_SUM, comm);
    end("reduce_scatter_block", take);
}

static void in_parts(MPI_Comm comm) {
    int counts[64], sends[64], places[64], first = 0, ring_size[1] = {size}, periods[1] = {1};
    MPI_Datatype types[64];
    for (int r = 0; r < size; r++) {
        counts[r] = 3 + r, sends[r] = 3 + rank, places[r] = 4 * (20 * r + 1), types[r] = MPI_INT;
        first += r < rank ? counts[r] : 0;
    }
    begin();
    for (int r = 0; r < size; r++)
        for (int n = 0; n < counts[r]; n++) expected[20 * r + 1 + n] = value(r, 20 * rank + 1 + n);
    MPI_Alltoallw(give, sends, places, types, take, counts, places, types, comm);
    end("alltoallw", take);
    begin();
    for (int n = 0; n < counts[rank]; n++)
        expected[n] = 1000 * size * (size - 1) / 2 + size * (first + n);
    MPI_Reduce_scatter(give, take, counts, MPI_INT, MPI_SUM, comm);
    end("reduce_scatter", take);
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, ring_size, periods, 0, &ring);
    begin();
    for (int n = 0; n < 10; n++) {
        expected[n] = value((rank + size - 1) % size, n);
        expected[10 + n] = value((rank + 1) % size, n);
    }
    MPI_Neighbor_allgather(give, 10, MPI_INT, take, 10, MPI_INT, ring);
    end("neighbor_allgather", take);
    MPI_Comm_free(&ring);
    int sources[2] = {0, 1}, degrees[2] = {size - 1, size - 1}, others[128], all = 0;
    MPI_Aint bytes[2] = {400, 400};
    void* buffers[2] = {rank == 0 ? give : take, rank == 1 ? give : take + 200};
    for (int m = 0; m < 2; m++)
        for (int r = 0; r < size; r++)
            if (r != m) others[all++] = r;
    begin();
    for (int n = 0; n < 100; n++) {
        if (rank != 0) expected[n] = value(0, n);
        if (rank != 1) expected[200 + n] = value(1, n);
    }
    ECO_Multicast(2, sources, bytes, degrees, others, buffers, comm);
    end("multicast", take);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    on_device = rank % 2;
    if (on_device) load(argv[1]);
    give = make(most * sizeof(int));
    take = make(most * sizeof(int));
    for (int root = 0; root < 2; root++) rooted(MPI_COMM_WORLD, root);
    to_all(MPI_COMM_WORLD);
    in_parts(MPI_COMM_WORLD);
    hip_errors(MPI_COMM_WORLD);
    host_memory(MPI_COMM_WORLD);
    int all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(all ? "wrong" : "all ok");
    MPI_Finalize();
    return all != 0;
}
