#!/bin/sh
# Installs a build into a temporary prefix, moves it, and builds small programs against it in every supported way.
# usage: run.sh CMAKE BUILD_DIR C_COMPILER
set -eu
cmake=$1 build=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" > "$work/install.log"
mv "$work/first" "$work/usr" # nothing installed may remember its prefix
libdir=$(dirname "$(find "$work/usr" -name libmyriad.so)")

step() { echo "== $*"; }

step "files"
for file in include/myriad/myriad.h "${libdir#"$work/usr/"}/libmyriad.a" "${libdir#"$work/usr/"}/pkgconfig/myriad.pc"; do
    [ -f "$work/usr/$file" ] || { echo "not installed: $file"; exit 1; }
done
readelf -d "$libdir/libmyriad.so" | grep -q 'SONAME.*libmyriad\.so\.[0-9]' || { echo "no versioned soname"; exit 1; }
if grep -rIl "$work/first" "$work/usr"; then echo "the prefix is written into the files above"; exit 1; fi

if [ -x "$work/usr/bin/myriad" ]; then
    step "the program"
    "$work/usr/bin/myriad" info > "$work/info.txt"
    for file in man/man1/myriad.1 bash-completion/completions/myriad zsh/site-functions/_myriad \
        fish/vendor_completions.d/myriad.fish; do
        [ -s "$work/usr/share/$file" ] || { echo "not installed: share/$file"; exit 1; }
    done
fi

step "links of the installed pages"
find "$work/usr/share/doc" -name '*.md' > "$work/pages"
[ "$(wc -l < "$work/pages")" -ge 20 ] || { echo "only these pages are installed:"; cat "$work/pages"; exit 1; }
while read -r page; do
    grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\?:\|^$' > "$work/links" || true
    while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || { echo "not installed: $link, to which $page links"; exit 1; }
    done < "$work/links"
done < "$work/pages"

version=$(sed -n 's/^Version: //p' "$libdir/pkgconfig/myriad.pc")
# same_version PROGRAM: what it prints is the version of the pkg-config file
same_version()
{
    printed=$("$1")
    [ "$printed" = "$version" ] || { echo "printed $printed, expected $version"; exit 1; }
}

step "C and pkg-config"
if command -v pkg-config > /dev/null; then
    export PKG_CONFIG_PATH="$libdir/pkgconfig"
    # shellcheck disable=SC2046 # several words are wanted
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/consumer.c" $(pkg-config --cflags --libs myriad) -o "$work/c_shared"
    LD_LIBRARY_PATH="$libdir" same_version "$work/c_shared"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$here/consumer.c" $(pkg-config --cflags myriad) "$libdir/libmyriad.a" \
        $(pkg-config --static --libs-only-other --libs-only-l myriad | sed 's/-lmyriad//') -o "$work/c_static"
    same_version "$work/c_static"
    printf 'particles: {model: plummer, n: 8}\nintegrator: {name: leapfrog, dt: 0.125}\nrun: {end: 1}\n' > "$work/in.yaml"
    if "$work/usr/bin/myriad" check --quiet "$work/in.yaml"; then # not without libfyaml
        step "runs and pkg-config"
        # shellcheck disable=SC2046
        "$cc" -std=c11 -Wall -Wextra -Werror "$here/consumer_run.c" $(pkg-config --cflags --libs myriad_run) \
            "-Wl,-rpath-link,$libdir" -o "$work/c_run"
        page=$(LD_LIBRARY_PATH="$libdir" "$work/c_run" "$work/in.yaml" "output.directory=$work/run")
        [ -s "$page" ] || { echo "no report: $page"; exit 1; }
    fi
    step "drop-in libraries and pkg-config"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$here/cunbody.c" $(pkg-config --cflags --libs cunbody) "-Wl,-rpath-link,$libdir" -lm -o "$work/cunbody"
    LD_LIBRARY_PATH="$libdir" "$work/cunbody"
    # Fig. A.1 of paper 002 with the pipeline of Fig. A.3, which is compiled when it runs
    # shellcheck disable=SC2046
    "$cc" -std=c11 -DCUNBODY_PIPELINE="\"$here/../paper/fig_a3.pipe\"" "$here/../paper/fig_a1.c" "$here/../paper/drive_a1.c" \
        $(pkg-config --cflags --libs cunbody_api myriad) -lm -o "$work/cunbody_api"
    LD_LIBRARY_PATH="$libdir" "$work/cunbody_api"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$here/grape.c" $(pkg-config --cflags --libs g5 g6) "-Wl,-rpath-link,$libdir" -lm -o "$work/grape"
    LD_LIBRARY_PATH="$libdir" "$work/grape"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$here/../grape/sapporo.c" $(pkg-config --cflags --libs sapporo_light) "-Wl,-rpath-link,$libdir" -lm \
        -o "$work/sapporo"
    LD_LIBRARY_PATH="$libdir" "$work/sapporo"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$here/grape.c" $(pkg-config --cflags g5 g6) "$libdir/libg5.a" "$libdir/libg6.a" "$libdir/libmyriad.a" \
        $(pkg-config --static --libs-only-other --libs-only-l myriad | sed 's/-lmyriad//') -o "$work/grape_static"
    "$work/grape_static"
else
    echo "no pkg-config: skipped"
fi

step "C++"
cxx=$(command -v c++ || command -v g++ || command -v clang++ || true)
if [ -n "$cxx" ]; then
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -x c++ "$here/consumer.c" -x none -I "$work/usr/include" -L "$libdir" -lmyriad \
        -o "$work/cpp"
    LD_LIBRARY_PATH="$libdir" same_version "$work/cpp"
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror "$here/../../examples/hello.cpp" -I "$work/usr/include" -L "$libdir" \
        -lmyriad -o "$work/hello_cpp"
    printed=$(LD_LIBRARY_PATH="$libdir" "$work/hello_cpp")
    case $printed in
    *"at time 0.25"*"did you mean 'gravity'?") ;;
    *) echo "hello.cpp printed: $printed"; exit 1 ;;
    esac
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror "$here/objects.cpp" -I "$work/usr/include" -L "$libdir" -lmyriad \
        -o "$work/objects"
    LD_LIBRARY_PATH="$libdir" "$work/objects"
else
    echo "no C++ compiler: skipped"
fi

step "CMake"
"$cmake" -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_COMPILER="$cc" > "$work/cmake.log" ||
    { cat "$work/cmake.log"; exit 1; }
"$cmake" --build "$work/build" > "$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
same_version "$work/build/consumer"
same_version "$work/build/consumer_static"
echo "the installed copy works"
