#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh [PRESET [FOLDER]]: a Debian package of what is built in build/PRESET, in FOLDER (build/deb).
# The Python packages whose versions in Debian are too old lie in it, where only ECO looks. Nothing
# is downloaded; dpkg-deb is all it needs.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release} folder=${2:-build/deb}
scripts/build.sh "$preset" install-parts >"build/$preset/install.log"
mkdir -p "$folder"
root=$(mktemp -d "$folder/root.XXXXXX")
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
umask 022

DESTDIR=$root cmake --install "build/$preset" --prefix /usr --strip >>"build/$preset/install.log"
# Where Debian looks.
mkdir -p "$root/usr/lib/python3/dist-packages" "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/eco/eco_topology.py" "$root/usr/lib/python3/dist-packages/"
mv "$root/usr/share/zsh/site-functions/_eco" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/eco" "$root/usr/share/zsh/site-functions"
rm -r "$root/usr/share/modulefiles" # without it the command is on PATH already
.venv/bin/python packaging/private_packages.py "$root/usr/lib/eco/python" typer rich PyYAML

doc=$root/usr/share/doc/eco-collectives
mv "$root/usr/share/doc/eco" "$doc"
mv "$doc/LICENSE" "$doc/copyright"
mv "$doc/CHANGELOG.md" "$doc/changelog"
gzip -9n "$doc/changelog" "$root"/usr/share/man/man1/*.1

c_library=$(objdump -T "$root"/usr/lib/eco/{*.so,eco-*} "$root/usr/bin/eco" |
    grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n1)
version=$("$root/usr/bin/eco" --version)
python=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: eco-collectives
Version: ${version#eco }
Architecture: $(dpkg --print-architecture)
Maintainer: ECO contributors <eco@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: libc6 (>= ${c_library#GLIBC_}), python3 (>= $python), python3 (<< ${python%.*}.$((${python#*.} + 1))~)
Recommends: openmpi-bin | mpich, python3-matplotlib, iproute2, libhwloc15, libfabric1
Section: science
Priority: optional
Description: topology-aware collectives for unmodified MPI programs
 ECO measures a network once. After that, MPI programs on this network run
 their collectives with algorithms that send few messages over slow links.
 If the algorithm of the MPI library is faster, it runs.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group -Zzstd --build "$root" "$folder" >/dev/null
ls "$folder"/eco-collectives_*.deb
