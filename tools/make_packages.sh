#!/bin/sh
# Makes the Debian packages. usage: make_packages.sh [BUILD_DIR]   (build-packages)
# The hot loops are all compiled, unless MYR_OPTIONS says otherwise (-DMYR_UNITS=demand: those of plain code, the others
# at their first use, which needs a compiler). Packages are left in BUILD_DIR/packages; lintian looks at them if it is there.
# -DMYR_MAINTAINER="Name <address>" names who answers for them; without it the address is bogus, which lintian is not asked about.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-packages}
# shellcheck disable=SC2086 # several options
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DMYR_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$(cc -dumpmachine)" -DCMAKE_SKIP_INSTALL_RPATH=ON ${MYR_OPTIONS:-}
cmake --build "$build" -j "${JOBS:-$(nproc)}"
# configured where Python has cffi and NumPy; CPack wants the package then
if [ -d "$build/gen/python" ]; then cmake --build "$build" -j "${JOBS:-$(nproc)}" --target python; fi
rm -rf "$build/packages"
(cd "$build" && cpack -G DEB)
if command -v lintian > /dev/null; then lintian --fail-on error --allow-root --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$build"/packages/*.deb; fi
