# SPDX-License-Identifier: BSD-3-Clause
"""Where profiles are kept, and how a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
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


def check_writable(path: Path) -> None:
    """Before minutes of measuring, not after."""
    target = path.parent if path.parent != Path() else Path.cwd()
    if path.is_dir():
        raise EcoError(f"{path} is a folder; name a file in it", ExitCode.USAGE)
    if path.exists() and not path.is_file():
        raise EcoError(f"{path} is not a regular file; name another", ExitCode.USAGE)
    if not target.is_dir():
        raise EcoError(f"{path}: there is no folder {target}", ExitCode.USAGE)
    if not os.access(target, os.W_OK | os.X_OK):
        raise EcoError(f"{path}: the folder {target} cannot be written to", ExitCode.USAGE)
    if path.exists() and not os.access(path, os.W_OK):
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
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
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
        if path.exists() and read(path).created == profile.created:
            write(path, text)
            return path
    return None


def newest() -> Path | None:
    """What was measured last."""
    with contextlib.suppress(OSError):
        return max(folder().glob("*.json"), key=lambda path: path.stat().st_mtime, default=None)
    return None


def _unwritable(path: Path, error: OSError) -> EcoError:
    return EcoError(f"{path} cannot be written: {error.strerror}", ExitCode.ENVIRONMENT)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
