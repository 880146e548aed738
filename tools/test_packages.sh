#!/bin/sh
# Installs the Debian packages in a clean root, tries them, and removes them. As root.
# usage: test_packages.sh PACKAGES_DIR [MIRROR]
# The root is made by debootstrap (Debian: debootstrap) in a temporary folder, with the suite of this machine.
set -eu
packages=$(realpath "$1")
mirror=${2:-}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" $mirror > "$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/" 2> /dev/null || true
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -c "$1"; }

inside 'cat /var/lib/dpkg/status | grep -c ^Package: > /before'
inside 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config > /install.log 2>&1' ||
    { tail -n 20 "$root/install.log"; exit 1; }
echo "== installed: $(inside 'dpkg -l | awk "/myriad/ { print \$2 }" | tr "\n" " "')"
inside 'cd /root && printf "particles: {model: plummer, n: 64}\nrun: {end: 0.125}\noutput: {format: csv}\nsweep: {particles.seed: 1..2}\n" > in.yaml &&
    myriad sweep in.yaml --quiet && test -s in/sweep.html && myriad run in/0002/report.html --quiet'
echo "== the program runs a sweep and repeats a report"
inside 'cd /root && printf "#include <myriad/myriad.h>\n#include <stdio.h>\nint main(void) { return puts(myr_version()) < 0; }\n" > a.c &&
    gcc a.c $(pkg-config --cflags --libs myriad) -o a && ./a'
echo "== a C program is linked against it"
# The page of a run that has ended, from its files: 200 with its token, 403 without. curl comes for this.
inside 'apt-get install -y -qq --no-install-recommends curl > /curl.log 2>&1' || { tail -n 20 "$root/curl.log"; exit 1; }
inside 'cd /root && { myriad watch in/0001 > watch.txt 2>&1 & watch=$!; } && k=0 &&
    while ! grep -q "127.0.0.1:[0-9]*/#" watch.txt && [ $k -lt 100 ]; do sleep 0.1; k=$((k + 1)); done
    address=$(grep -o "http://127.0.0.1:[0-9]*/#[0-9a-f]*" watch.txt) || { cat watch.txt; exit 1; }
    code() { curl -s -o /dev/null -w "%{http_code}" "$@"; }
    with=$(code -H "X-Myriad-Token: ${address#*#}" "${address%%#*}page") without=$(code "${address%%#*}page")
    kill -INT $watch; wait $watch || true
    [ "$with $without" = "200 403" ] || { echo "the live page answered $with and $without"; exit 1; }'
echo "== the live page is served, to those who have its token"
inside 'test ! -e /usr/lib/python3/dist-packages/myriad || python3 -c "import myriad; print(myriad.__version__)"'
inside 'dpkg -l | awk "/myriad/ { print \$2 }" | xargs apt-get purge -y -qq > /remove.log 2>&1'
left=$(inside 'find / -xdev -iname "*myriad*" ! -path "/packages/*" ! -path "/proc/*" ! -path "/root/*" ! -path "/var/cache/*" ! -path "/var/log/*"')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "== removed without a trace"
