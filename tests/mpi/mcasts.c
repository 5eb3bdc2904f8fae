/* SPDX-License-Identifier: BSD-3-Clause
 * mcasts CALLS BYTES [stops|dies|waits|floods RANK | pauses SECONDS]: broadcasts from every root in
 * turn and allgathers, each byte looked at. In the middle one rank is stopped for two seconds,
 * dies, or comes late; or on its host somebody floods the job's group with datagrams of its own; or
 * all do nothing for a while. */
#include <arpa/inet.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned char content(int root, int call, int i) {
    return (unsigned char)(31 * root + 7 * call + 3 * i + i / 253);
}

static void check(const unsigned char* bytes, int length, int root, int call, int rank) {
    for (int i = 0; i < length; ++i)
        if (bytes[i] != content(root, call, i)) {
            printf("wrong: rank %d call %d of %d at %d\n", rank, call, root, i);
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
}

static void be_stopped(void) {
    const pid_t me = getpid();
    if (fork() == 0) {
        usleep(100000);
        kill(me, SIGSTOP);
        sleep(2);
        kill(me, SIGCONT);
        _exit(0);
    }
}

/* Of a socket on this host in 239.192.0.0/14, or of IPv6 in ff18::/16; its length, 0 if there is
 * none. */
static socklen_t find_group(struct sockaddr_storage* group, int family) {
    FILE* sockets = fopen(family == AF_INET ? "/proc/net/udp" : "/proc/net/udp6", "r");
    struct sockaddr_in* four = (struct sockaddr_in*)group;
    struct sockaddr_in6* six = (struct sockaddr_in6*)group;
    char line[512];
    unsigned part[4], port;
    int found = 0;
    while (sockets && !found && fgets(line, sizeof line, sockets)) {
        if (family == AF_INET)
            found = sscanf(line, " %*d: %x:%x", part, &port) == 2 &&
                    (ntohl(part[0]) & 0xfffc0000u) == 0xefc00000u;
        else
            found = sscanf(line, " %*d: %8x%8x%8x%8x:%x", part, part + 1, part + 2, part + 3,
                           &port) == 5 &&
                    ntohl(part[0]) >> 16 == 0xff18u;
    }
    if (sockets) fclose(sockets);
    if (!found) return 0;
    group->ss_family = (sa_family_t)family;
    /* Both families have the port in the same place. */
    four->sin_port = htons((unsigned short)port);
    if (family == AF_INET)
        four->sin_addr.s_addr = part[0];
    else
        memcpy(&six->sin6_addr, part, sizeof part);
    return family == AF_INET ? sizeof *four : sizeof *six;
}

/* Empty, cut, foreign, and longer than any: until this process ends. */
static void be_flooded(void) {
    static unsigned char bytes[20000];
    struct sockaddr_storage group = {0};
    socklen_t length = find_group(&group, AF_INET);
    if (!length) length = find_group(&group, AF_INET6);
    if (!length) return;
    if (fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = socket(group.ss_family, SOCK_DGRAM, 0);
    const struct ip_mreqn by = {.imr_ifindex = (int)if_nametoindex("eth0")};
    if (group.ss_family == AF_INET)
        setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof by);
    else
        setsockopt(out, IPPROTO_IPV6, IPV6_MULTICAST_IF, &by.imr_ifindex, sizeof by.imr_ifindex);
    const size_t sizes[] = {0, 1, 47, 48, 200, 1472, 12000};
    for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)rand();
    for (unsigned n = 0;; ++n) {
        sendto(out, bytes + n % 97, sizes[n % 7], 0, (struct sockaddr*)&group, length);
        usleep(1000);
    }
}

int main(int count, char** words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int calls = atoi(words[1]), bytes = atoi(words[2]);
    const char* what = count > 3 ? words[3] : "";
    const int who = count > 4 ? atoi(words[4]) : -1;
    unsigned char* one = malloc((size_t)bytes + 1);
    unsigned char* all = malloc((size_t)bytes * ranks + 1);
    for (int call = 0; call < calls; ++call) {
        const int root = call % ranks;
        if (call == calls / 2 && strcmp(what, "pauses") == 0) sleep((unsigned)who);
        if (call == calls / 2 && rank == who) {
            if (strcmp(what, "stops") == 0) be_stopped();
            if (strcmp(what, "dies") == 0) kill(getpid(), SIGKILL);
            if (strcmp(what, "waits") == 0) sleep(1);
            if (strcmp(what, "floods") == 0) be_flooded();
        }
        for (int i = 0; i < bytes; ++i) one[i] = rank == root ? content(root, call, i) : 0;
        MPI_Bcast(one, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        check(one, bytes, root, call, rank);
        if (call % 4 != 0) continue;
        for (int i = 0; i < bytes; ++i) one[i] = content(rank, call, i);
        memset(all, 0, (size_t)bytes * ranks);
        MPI_Allgather(one, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
        for (int each = 0; each < ranks; ++each)
            check(all + (size_t)bytes * each, bytes, each, call, rank);
    }
    if (rank == 0) printf("ok %d calls of %d bytes\n", calls, bytes);
    free(one);
    free(all);
    MPI_Finalize();
    return 0;
}
