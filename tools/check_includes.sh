#!/bin/sh
# Checks which way includes point. usage: check_includes.sh [source tree]
#   src/       folders know only themselves and those before them in the list below; of two folders inside one folder the
#              later knows the earlier (rooms), and both know the files of the folder around them
#   include/   public headers know only <...>
#   runs/      knows only <...> and headers below runs/
#   cli/       knows only <...> and headers below cli/ and runs/
#   bindings/ examples/   know only <...> and headers of their own folder
# Only domain/ and io/ may call MPI.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
folders="core particles domain kernel accumulator backend method interaction integrator model diagnostic io molecular simulation"
rooms="method/tree method/fmm method/pseudo method/spectral method/mesh method/gaussian method/neighbour
    simulation/ranks simulation/checkpoint simulation/vortex backend/lane backend/pipeline backend/cuda domain/mpi"

# Prints file:line:text of every quoted include below the folders given, without the spaces of the directive.
includes()
{
    find "$@" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' \) \
        -exec grep -nE '^[ 	]*#[ 	]*include' /dev/null {} + 2>/dev/null
}

bad=$(
    includes src | awk -v folders="$folders" -v rooms="$(echo $rooms)" '
        BEGIN {
            n = split(folders, f, " "); for (i = 1; i <= n; i++) rank[f[i]] = i
            n = split(rooms, f, " "); for (i = 1; i <= n; i++) room[f[i]] = i
        }
        {
            split($0, part, ":")
            split(part[1], path, "/")
            from = path[2]
            if (!(from in rank)) { print part[1] ": folder " from " is not in the list of folders"; next }
            if ($0 ~ /<mpi\.h>/ && from != "domain" && from != "io") { print part[1] ":" part[2] ": MPI outside domain/ and io/"; next }
            if (!match($0, /"[^"]+"/)) next
            to = substr($0, RSTART + 1, RLENGTH - 2)
            if (to ~ /\.\./) { print part[1] ":" part[2] ": " to ": no .. in includes"; next }
            inner = to
            if (!sub(/\/[^\/]*$/, "", inner)) next
            here = part[1]
            sub(/^src\//, "", here); sub(/\/[^\/]*$/, "", here)
            if (here ~ /\// && !(here in room)) { print part[1] ": folder " here " is not in the list of rooms"; next }
            if (inner in room && here in room && inner != here && room[inner] > room[here] && substr(inner, 1, index(inner, "/")) == substr(here, 1, index(here, "/"))) {
                print part[1] ":" part[2] ": " here "/ must not know " inner "/"; next
            }
            sub(/\/.*/, "", to)
            if (!(to in rank)) print part[1] ":" part[2] ": " to "/ is not a folder of src/"
            else if (rank[to] > rank[from]) print part[1] ":" part[2] ": " from "/ must not know " to "/"
        }'
    includes include | awk '/"[^"]+"/ { print $0 ": public headers include only <...>" }'
    includes runs cli | while IFS=: read -r file line text; do
        case $text in
        *\"*\"*)
            header=$(printf '%s\n' "$text" | sed 's/[^"]*"\([^"]*\)".*/\1/')
            folder=${file%%/*}
            [ -f "$folder/$header" ] || [ -f "runs/$header" ] || echo "$file:$line: $header: not below $folder/ or runs/"
            ;;
        esac
    done
    includes bindings examples | while IFS=: read -r file line text; do
        case $text in
        *\"*\"*)
            header=$(printf '%s\n' "$text" | sed 's/[^"]*"\([^"]*\)".*/\1/')
            case $header in
            */* | '') echo "$file:$line: $header: only <myriad/...> and headers of the same folder" ;;
            *) [ -f "$(dirname "$file")/$header" ] || echo "$file:$line: $header: not in the same folder" ;;
            esac
            ;;
        esac
    done
)
if [ -n "$bad" ]; then
    printf '%s\n' "$bad" >&2
    exit 1
fi
count=$(includes src include runs cli bindings examples | wc -l)
[ "$count" -gt 0 ] || { echo "check_includes: found no include at all in $PWD" >&2; exit 2; }
echo "check_includes: $count includes point the right way"
