"""What ECO knows of the network, for mpi4py programs. Without ECO: one level, one cluster.

    from mpi4py import MPI
    import eco_topology
    eco_topology.clusters(MPI.COMM_WORLD)   # [0, 2, 5]: this rank's cluster at each level

Level 0 is the widest; the last ones are the host, its packages, NUMA nodes and shared caches (for
ranks that are bound to one) and the rank itself, where they divide anything.
"""

import ctypes

_loaded = ctypes.CDLL(None)


def _call(name, comm, *arguments):
    """Null where no ECO is loaded; raises ValueError for a rank or level that is not there."""
    function = getattr(_loaded, f"eco_comm_{name}_f", None)
    if function is None:
        return None
    result = ctypes.c_int()
    if function(comm.py2f(), *arguments, ctypes.byref(result)) != 0:
        raise ValueError(f"eco_comm_{name}: no such rank or level")
    return result.value


def levels(comm, rank=None):
    """How many levels the rank (this one) has a cluster at."""
    found = _call("levels", comm, comm.rank if rank is None else rank)
    return 1 if found is None else found


def cluster(comm, level, rank=None):
    """The id of the rank's cluster at a level, the same for all ranks in it."""
    found = _call("cluster", comm, comm.rank if rank is None else rank, level)
    return 0 if found is None else found


def clusters(comm, rank=None):
    """The ids at all its levels."""
    return [cluster(comm, level, rank) for level in range(levels(comm, rank))]


def leader(comm, level, rank=None):
    """The rank that speaks for the cluster."""
    found = _call("leader", comm, comm.rank if rank is None else rank, level)
    return 0 if found is None else found


def nearest(comm, count=None):
    """The other ranks, nearest first."""
    count = comm.size - 1 if count is None else count
    ranks = (ctypes.c_int * max(count, 1))()
    found = _call("nearest", comm, count, ranks)
    if found is None:
        return [(comm.rank + i) % comm.size for i in range(1, min(count + 1, comm.size))]
    return list(ranks[:found])
