# shellcheck shell=bash
# Shared by ./run, ./test and the scripts in tools/. Sourced; leaves the shell in the root of the
# repository, so that every path below is relative to it.
# shellcheck disable=SC2034  # the variables are used by those who source this

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
cd "$root"

# The program of the release build.
helio=build/release/bin/helio

# ninja would start two jobs more than there are processors, and the compiler needs much memory.
jobs=$(nproc)

# A CI user may have no home directory for a compiler cache.
if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DIR=$root/build/ccache
fi

# Paths below the checkout are treated as relative, so that clones share the cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Compile cache misses at once, instead of preprocessing first for a second lookup.
export CCACHE_DEPEND=1

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The build folder of a copied or moved tree contains the old path, and CMake rejects it.
forget_moved_build() {
    local cache=$1/CMakeCache.txt
    if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        rm -rf "$1"
    fi
}

# configure PRESET: does nothing if the preset has been configured since CMakePresets.json was
# changed. (The generated build itself notices an edited CMakeLists.txt.)
configure() {
    local preset=$1 dir=build/$1
    forget_moved_build "$dir"
    if [[ -f $dir/build.ninja && $dir/.configured -nt CMakePresets.json && $dir/.configured -nt tools/common.sh ]]; then
        return
    fi
    cmake --preset "$preset" && touch "$dir/.configured"
}

# Files of the project: those that git tracks or, in an unpacked archive, all. Run by root on a
# user's clone, git would complain about dubious ownership and list nothing.
tracked() {
    if git -c safe.directory='*' rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -c safe.directory='*' ls-files --cached -- "$@"
    else
        local pattern
        for pattern in "$@"; do
            find . -path ./build -prune -o -type f -path "./$pattern" -print
        done | sed 's,^\./,,' | sort -u
    fi
}

# Put before a program built with sanitizers. Those of GCC 12 and Clang 14 place their shadow memory
# where a kernel with more than 28 bits of address randomness (vm.mmap_rnd_bits; 32 on some
# container hosts) may have put the program, and then crash at random. Not every container may
# switch it off.
no_aslr=()
if setarch --addr-no-randomize true 2>/dev/null; then
    no_aslr=(setarch --addr-no-randomize)
fi
