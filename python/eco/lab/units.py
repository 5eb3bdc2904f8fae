# SPDX-License-Identifier: BSD-3-Clause
"""Rates, times and fractions as a scenario writes them."""

import re

_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(k|m|g)?(?:bit|bit/s|bps)", re.IGNORECASE)
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s)", re.IGNORECASE)
_RATE_FACTOR = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_TIME_FACTOR = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_MOMENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|min)", re.IGNORECASE)
_MOMENT_FACTOR = {"ms": 1e-3, "s": 1.0, "min": 60.0}

LOWEST_RATE = 1e4
HIGHEST_RATE = 1e11
LONGEST_DELAY = 10.0
LATEST_MOMENT = 86400.0
MOST_IN_A_ROW = 1000
MOST_SLOW = 1000.0


def parse_rate(value: object) -> float:
    """Bits per second from text such as `10mbit`; ValueError says what is wrong."""
    match = _RATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not a rate (write it as 10mbit, 1gbit or 500kbit)")
    rate = float(match[1]) * _RATE_FACTOR[(match[2] or "").lower()]
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"{value!r} is outside 10kbit to 100gbit")
    return rate


def parse_delay(value: object) -> float:
    """Seconds from text such as `20ms`; ValueError says what is wrong."""
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not a time (write it as 20ms, 500us or 1s)")
    delay = float(match[1]) * _TIME_FACTOR[match[2].lower()]
    if delay > LONGEST_DELAY:
        raise ValueError(f"{value!r} is longer than 10s")
    return delay


def parse_moment(value: object) -> float:
    """Seconds since a start from text such as `5s`; ValueError says what is wrong."""
    match = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not a time (write it as 500ms, 5s or 2min)")
    moment = float(match[1]) * _MOMENT_FACTOR[match[2].lower()]
    if moment > LATEST_MOMENT:
        raise ValueError(f"{value!r} is later than a day")
    return moment


def parse_loss(value: object) -> float:
    """A fraction from `0.01` or `1%`; ValueError says what is wrong."""
    try:
        if isinstance(value, str) and value.strip().endswith("%"):
            loss = float(value.strip()[:-1]) / 100
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
            loss = float(value)
        else:
            raise ValueError
    except ValueError:
        raise ValueError(f"{value!r} is not a loss (write it as 0.01 or 1%)") from None
    if not 0 <= loss < 1:
        raise ValueError(f"{value!r} is outside 0 to 1 (a loss is a fraction of the frames)")
    return loss


def parse_count(value: object) -> int:
    """A whole number from 1 to 1000; ValueError says what is wrong."""
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    if not text.isdecimal() or not 1 <= int(text[:5]) <= MOST_IN_A_ROW:
        raise ValueError(f"{value!r} is not a whole number from 1 to {MOST_IN_A_ROW}")
    return int(text)


def parse_slow(value: object) -> float:
    """Times slower, from 1 (full speed) to 1000; ValueError says what is wrong."""
    text = str(value)
    factor = float(text) if _NUMBER.fullmatch(text) else 0.0
    if not 1 <= factor <= MOST_SLOW:
        raise ValueError(f"slow={value}: must be a number of 1 (full speed) to {MOST_SLOW:g}")
    return factor


def show_rate(rate: float) -> str:
    """Text such as `10 Mbit/s`."""
    for factor, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if rate >= factor:
            return f"{rate / factor:g} {unit}"
    return f"{rate:g} bit/s"


def show_delay(delay: float) -> str:
    """Text such as `20 ms`."""
    return f"{delay * 1e3:g} ms"
