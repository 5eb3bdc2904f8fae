# SPDX-License-Identifier: BSD-3-Clause
"""The environments that scripts/bootstrap.sh makes."""

import shutil
import subprocess
from pathlib import Path

from commands_harness import ECO

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "venv.sh"


def test_an_environment_behind_a_link_is_kept(tmp_path: Path) -> None:
    """Several checkouts share .deps: what one of them made is not deleted by the next."""
    one, other = tmp_path / "one", tmp_path / "other"
    made = one / ".deps" / "mpi"
    (made / "bin").mkdir(parents=True)
    other.mkdir()
    (other / ".deps").symlink_to(one / ".deps")
    pins = tmp_path / "pins.txt"
    pins.write_text("# none\n")
    (made / "bin" / "python").symlink_to("/usr/bin/python3")
    (made / "bin" / "pip").write_text(f"#!{made}/bin/python\n")
    (made / "in-use").touch()
    # `python` of the script stands for what makes environments: it must not be asked for one.
    words = f"""set -eu; source {SCRIPT}; venv_stamp {pins} >{made}/stamp
        eco_python=false; make_venv {other}/.deps/mpi {pins}"""
    run = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert (made / "in-use").exists(), run.stderr
    assert run.returncode == 0, run.stderr


def test_a_path_too_long_for_a_first_line(tmp_path: Path) -> None:
    """Then pip's script names its interpreter in the second: the environment is not made again."""
    made, moved = tmp_path / ("long" * 40), tmp_path / "moved"
    (made / "bin").mkdir(parents=True)
    (made / "bin" / "python").symlink_to("/usr/bin/python3")
    (made / "bin" / "pip").write_text(f"""#!/bin/sh\n'exec' "{made}/bin/python3" "$0" "$@"\n""")
    words = ["bash", "-c", f'source {SCRIPT}; venv_is_here "$0"']
    assert subprocess.run([*words, made], check=False).returncode == 0
    made.rename(moved)
    assert subprocess.run([*words, moved], check=False).returncode == 1
    # Seen under a shorter name, as in a container.
    (moved / "bin" / "pip").write_text(f"#!/elsewhere{moved}/bin/python\n")
    assert subprocess.run([*words, moved], check=False).returncode == 1


def test_places_that_cannot_be_preloaded(tmp_path: Path) -> None:
    scripts = tmp_path / "a b" / "scripts"
    scripts.mkdir(parents=True)
    for name in ("bootstrap.sh", "paths.sh", "venv.sh"):
        (scripts / name).write_text((SCRIPT.parent / name).read_text())
    install = SCRIPT.parent / "install.sh"
    for words in ([scripts / "bootstrap.sh"], [install, tmp_path / "a b"], [install, "/tmp/a:b"]):
        run = subprocess.run(
            ["bash", *map(str, words)], capture_output=True, text=True, check=False
        )
        assert run.returncode == 2
        assert "without space and colon" in run.stderr


def test_only_a_checkout_has_an_environment_three_folders_up(tmp_path: Path) -> None:
    """An installation there would run whatever somebody put above it."""
    decoy = tmp_path / ".venv" / "bin" / "python"
    decoy.parent.mkdir(parents=True)
    decoy.write_text("#!/bin/sh\necho decoy\n")
    decoy.chmod(0o755)
    (tmp_path / "python" / "eco").mkdir(parents=True)
    (tmp_path / "CMakePresets.json").touch()
    place = tmp_path / "sw" / "eco" / "bin"
    place.mkdir(parents=True)
    shutil.copy(ECO, place / "eco")
    run = subprocess.run([place / "eco", "show"], capture_output=True, text=True, check=False)
    assert "decoy" not in run.stdout


def test_uninstall_leaves_what_is_of_others(tmp_path: Path) -> None:
    for name in ("bin/eco", "bin/other", "share/doc/eco/README.md", "lib/eco/libeco.so"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    words = ["bash", str(SCRIPT.parent / "uninstall.sh"), str(tmp_path)]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 2
    assert (tmp_path / "bin/eco").exists()
    (tmp_path / "share").rename(tmp_path / "elsewhere")
    (tmp_path / "share").symlink_to("elsewhere")
    (tmp_path / "lib/eco/installed").write_text("bin/eco\nshare/doc/eco/README.md\n")
    subprocess.run(words, check=True)
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == [
        "bin",
        "bin/other",
        "elsewhere",
        "share",
    ]
