# SPDX-License-Identifier: BSD-3-Clause
"""Where profiles are kept, and how a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import stat
import sys
import tempfile
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.profile import Profile, read

PICTURES = (".svg", ".png", ".pdf")
PAGE = ".html"


def folder() -> Path:
    """Where `eco exec` looks for a profile that holds its host."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "eco" / "profiles"


def name(profile: Profile) -> str:
    """The same hosts, the same name: measured again, a network keeps one profile."""
    digest = hashlib.sha256("\n".join(sorted(profile.hosts)).encode()).hexdigest()[:8]
    first = re.sub(r"[^A-Za-z0-9.-]", "_", profile.hosts[0])[:40].lstrip(".") or "host"
    return f"{first}-{len(profile.hosts)}-{digest}.json"


def path(profile: Profile) -> Path:
    """Where its copy is."""
    return folder() / name(profile)


def look(path: Path, code: ExitCode = ExitCode.USAGE) -> os.stat_result | None:
    """What is there, links followed; None if nothing is. EcoError with this code if that cannot be
    known: a folder that may not be looked into, a name too long, links in a circle."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise EcoError(f"{path} cannot be looked at: {error.strerror}", code) from None


def is_file(path: Path, code: ExitCode = ExitCode.USAGE) -> bool:
    """As of Path, with the errors of `look`."""
    found = look(path, code)
    return found is not None and stat.S_ISREG(found.st_mode)


def check_writable(path: Path) -> None:
    """Before minutes of measuring, not after."""
    found = look(path)
    if found and stat.S_ISDIR(found.st_mode):
        raise EcoError(f"{path} is a folder; name a file in it", ExitCode.USAGE)
    if found and not stat.S_ISREG(found.st_mode):
        raise EcoError(f"{path} is not a regular file; name another", ExitCode.USAGE)
    target = path.resolve().parent  # of a link: what it points to is written
    around = look(target)
    if around is None or not stat.S_ISDIR(around.st_mode):
        raise EcoError(f"{path}: there is no folder {target}", ExitCode.USAGE)
    if not os.access(target, os.W_OK | os.X_OK):
        raise EcoError(f"{path}: the folder {target} cannot be written to", ExitCode.USAGE)
    if found and not os.access(path, os.W_OK):
        raise EcoError(f"{path} is read-only; name another file", ExitCode.USAGE)


def check_picture(path: Path, page: bool = False) -> None:
    """As check_writable, for a file whose ending says its format; with `page` HTML as well."""
    ending = path.suffix.lower()
    if page and ending == PAGE:
        check_writable(path)
        return
    if ending not in PICTURES:
        endings = ".svg, .png, .pdf or .html" if page else ".svg, .png or .pdf"
        raise EcoError(f"--plot {path}: the file name must end in {endings}", ExitCode.USAGE)
    if importlib.util.find_spec("matplotlib") is None:
        raise EcoError(
            f"--plot needs Matplotlib, which {sys.executable} has not: "
            "python -m pip install matplotlib, or the package python3-matplotlib",
            ExitCode.ENVIRONMENT,
        )
    check_writable(path)


def write(path: Path, content: str | bytes) -> None:
    """Into a temporary file beside it, then renamed."""
    data = content.encode() if isinstance(content, str) else content
    path = path.resolve()  # a link stays one; what it points to is replaced
    try:
        # With all of a long name, its own name would be too long.
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise


def prepare() -> None:
    """The store's folder, before minutes of measuring."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder(), error) from None
    if not os.access(folder(), os.W_OK | os.X_OK):
        raise EcoError(
            f"{folder()} cannot be written to; name a file with -o, or set XDG_DATA_HOME",
            ExitCode.ENVIRONMENT,
        )


def keep(profile: Profile, text: str) -> Path:
    """A copy in the store."""
    prepare()
    path = folder() / name(profile)
    write(path, text)
    return path


def refresh(profile: Profile, text: str) -> Path | None:
    """Bring the store's copy up to date, if it is of the same measurement."""
    path = folder() / name(profile)
    with contextlib.suppress(EcoError):
        if is_file(path) and read(path).created == profile.created:
            write(path, text)
            return path
    return None


class Unwritten(EcoError):
    """The file that was asked for could not be written. kept: where the profile is instead."""

    def __init__(self, message: str, code: ExitCode, kept: Path | None) -> None:
        super().__init__(message, code)
        self.kept = kept


def write_or_keep(path: Path, profile: Profile, text: str, is_newest: bool) -> None:
    """As write; what minutes of measuring found is not lost if that fails (a quota, a server that
    is gone), but kept in the store. is_newest: nothing there is newer for these hosts, and programs
    may find it; else it is kept under a name that nothing searches for."""
    try:
        write(path, text)
    except EcoError as error:
        try:
            kept = keep(profile, text) if is_newest else _keep_beside(profile, text)
        except EcoError as other:
            why = f"nor could the profile be kept elsewhere: {other.message}"
            raise Unwritten(f"{error.message}; {why}", error.code, None) from None
        why = f"the profile is in {kept} instead"
        raise Unwritten(f"{error.message}; {why}", error.code, kept) from None


def _keep_beside(profile: Profile, text: str) -> Path:
    """In the store, but not for a copy of another measurement."""
    kept = refresh(profile, text)
    if kept is None:
        prepare()
        kept = folder() / f"{name(profile)}.unwritten"
        write(kept, text)
    return kept


def usual() -> Path:
    """ECO_PROFILE, or the newest profile in the user's own folder."""
    named = os.environ.get("ECO_PROFILE")
    found = Path(named) if named else newest()
    if found is None:
        raise EcoError(
            "no network has been measured yet: run `eco measure` first, or name a profile with "
            "--topology",
            ExitCode.BAD_INPUT,
        )
    return found


def newest_first() -> list[Path]:
    """All profiles there, by when they were written; without what cannot be examined, as a link to
    nothing, and what is no file."""
    found: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder().glob("*.json"):
            with contextlib.suppress(EcoError):
                status = look(path)
                if status and stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def newest() -> Path | None:
    """What was measured last."""
    return next(iter(newest_first()), None)


def _unwritable(path: Path, error: OSError) -> EcoError:
    return EcoError(f"{path} cannot be written: {error.strerror}", ExitCode.ENVIRONMENT)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
