# SPDX-License-Identifier: BSD-3-Clause
"""What ECO knows of the network, for mpi4py programs, and several multicasts at once. Without ECO:
one level, one cluster, and messages go straight from each source to each destination.

    from mpi4py import MPI
    import eco_topology
    eco_topology.clusters(MPI.COMM_WORLD)   # [0, 2, 5]: this rank's cluster at each level

Level 0 is the widest; the last ones are the host, its packages, NUMA nodes and shared caches (for
ranks that are bound to one) and the rank itself, where they divide anything. In a program that was
initialised for fewer threads than mpi4py asks for (MPI_THREAD_MULTIPLE), all this is known from the
first collective on MPI.COMM_WORLD on.
"""

import ctypes

_loaded = ctypes.CDLL(None)


def _call(name, comm, *arguments):
    """None where no ECO is loaded."""
    function = getattr(_loaded, f"eco_comm_{name}_f", None)
    if function is None:
        return None
    result = ctypes.c_int()
    if function(comm.py2f(), *arguments, ctypes.byref(result)) != 0:
        raise _missing(name)
    return result.value


def _missing(name):
    return ValueError(f"eco_comm_{name}: no such rank or level")


def _of_rank(name, alone, comm, rank, *level):
    """`alone`: the answer without ECO. Raises ValueError for a rank or level that is not there."""
    rank = comm.rank if rank is None else rank
    found = _call(name, comm, rank, *level)
    if found is not None:
        return found
    if any(level) or not 0 <= rank < comm.size:
        raise _missing(name)
    return alone


def levels(comm, rank=None):
    """How many levels the rank (this one) has a cluster at."""
    return _of_rank("levels", 1, comm, rank)


def cluster(comm, level, rank=None):
    """The id of the rank's cluster at a level, the same for all ranks in it."""
    return _of_rank("cluster", 0, comm, rank, level)


def clusters(comm, rank=None):
    """The ids at all its levels."""
    return [cluster(comm, level, rank) for level in range(levels(comm, rank))]


def leader(comm, level, rank=None):
    """The leader of the cluster: the rank that sends and receives for it."""
    return _of_rank("leader", 0, comm, rank, level)


def nearest(comm, count=None):
    """The other ranks, nearest first."""
    count = comm.size - 1 if count is None else count
    ranks = (ctypes.c_int * max(count, 1))()
    found = _call("nearest", comm, count, ranks)
    if found is None:
        return [(comm.rank + i) % comm.size for i in range(1, min(count + 1, comm.size))]
    return list(ranks[:found])


def multicast(comm, messages, buffers):
    """Sends several messages at once, each (source, bytes, destinations): ECO_Multicast of eco.h.

    Collective: all ranks give the same messages. buffers[m] is message m's at its source and its
    destinations (bytes-like, NumPy arrays), of no meaning elsewhere. Raises ValueError.
    """
    _check(comm.size, messages)
    if len(buffers) != len(messages):
        raise ValueError(f"{len(buffers)} buffers for {len(messages)} messages")
    sources = [source for source, _, _ in messages]
    sizes = [size for _, size, _ in messages]
    flat = [to for _, _, destinations in messages for to in destinations]
    if hasattr(_loaded, "eco_multicast_f"):

        def array(kind, values):
            return (kind * max(len(values), 1))(*values)

        taken = ctypes.c_int()
        code = _loaded.eco_multicast_f(
            len(messages),
            array(ctypes.c_int, sources),
            array(ctypes.c_ssize_t, sizes),
            array(ctypes.c_int, [len(destinations) for _, _, destinations in messages]),
            array(ctypes.c_int, flat),
            array(ctypes.c_void_p, _addresses(comm.rank, messages, buffers)),
            comm.py2f(),
            ctypes.byref(taken),
        )
        if code != 0:
            raise RuntimeError(f"eco_multicast failed with MPI's error code {code}")
        if taken.value:
            return
    own = comm.Dup()
    requests = []
    for (source, size, destinations), data in zip(messages, buffers):
        if comm.rank == source and size:
            part = memoryview(data).cast("B")[:size]
            requests += [own.Isend(part, to) for to in destinations]
        elif comm.rank in destinations and size:
            requests.append(own.Irecv(memoryview(data).cast("B")[:size], source))
    for request in requests:
        request.Wait()
    own.Free()


def _check(ranks, messages):
    for number, (source, size, destinations) in enumerate(messages):
        if size < 0:
            raise ValueError(f"message {number}: {size} bytes; give 0 or more")
        for rank in (source, *destinations):
            if not 0 <= rank < ranks:
                raise ValueError(f"message {number}: {rank} is not a rank of the communicator")
        if source in destinations:
            raise ValueError(f"message {number}: rank {source} is its source and a destination")
        if len(set(destinations)) < len(destinations):
            raise ValueError(f"message {number}: a destination is named twice")


def _addresses(me, messages, buffers):
    """Where this rank's buffers lie; each must hold its message."""
    from mpi4py import MPI

    view = getattr(MPI, "buffer", None) or MPI.memory
    found = []
    for number, (source, size, destinations) in enumerate(messages):
        if size == 0 or (me != source and me not in destinations):
            found.append(None)
            continue
        memory = view.frombuffer(buffers[number], readonly=me == source)
        if memory.nbytes < size:
            raise ValueError(f"message {number}: {memory.nbytes} bytes of room for {size}")
        found.append(memory.address)
    return found
