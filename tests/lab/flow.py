# SPDX-License-Identifier: BSD-3-Clause
"""Runs on two hosts of a lab, by mpirun but without MPI: rank 1 sends as fast as it can to rank 0.

`flow.py SECONDS` prints, from rank 0, the Mbit/s of every half second, and of each rank the share
of a processor that it had while it did nothing but compute for half a second after that.
"""

import json
import os
import socket
import sys
import time

PORT = 7100
STEP = 0.5


def receive(seconds: float) -> list[float]:
    with socket.create_server(("", PORT)) as server:
        connection, _ = server.accept()
    rates = []
    begin = step = time.monotonic()
    got = 0
    while step < begin + seconds:
        got += len(connection.recv(1 << 16))
        now = time.monotonic()
        if now >= step + STEP:
            rates.append(got * 8e-6 / (now - step))
            step, got = now, 0
    return rates


def send(seconds: float) -> None:
    while True:
        try:
            connection = socket.create_connection(("10.9.0.1", PORT), timeout=10)
            break
        except ConnectionRefusedError:
            time.sleep(0.01)
    try:
        while True:
            connection.sendall(bytes(16384))
    except OSError:
        pass


def share_of_processor() -> float:
    begin, used = time.monotonic(), time.process_time()
    while time.monotonic() < begin + STEP:
        pass
    return (time.process_time() - used) / (time.monotonic() - begin)


rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
seconds = float(sys.argv[1])
rates = receive(seconds) if rank == 0 else send(seconds)
print(json.dumps({"rank": rank, "rates": rates, "share": share_of_processor()}), flush=True)
