# SPDX-License-Identifier: BSD-3-Clause
"""The colours of all pictures: one meaning each.

A time's colour is light where it is short and dark where it is long; ECO, the native library,
sending, receiving and waiting look alike in every picture.
"""

import matplotlib

INK, PALE = "#22303c", "#8a97a3"
ECO, NATIVE, AGAIN, WAITED = "#ef8a3c", "#a9b7c6", "#d3dae0", "#e4e9ed"
SEND, RECEIVE = "#f6c177", "#8fc1e3"
SUBNET_FACE, SUBNET_EDGE = "#dcebf5", "#8fb4cc"
TIMES = matplotlib.colormaps["viridis_r"].resampled(256)
