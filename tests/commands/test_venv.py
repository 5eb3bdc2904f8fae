# SPDX-License-Identifier: BSD-3-Clause
"""The environments that scripts/bootstrap.sh makes."""

import subprocess
from pathlib import Path

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
