# shellcheck shell=bash
# What ./run, ./test and the scripts in tools/ share. Sourced; leaves the shell in the root of the
# repository, so that every path below is the path a reader sees in the tree.
# shellcheck disable=SC2034  # the variables are used by those who source this

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
cd "$root"

# The program the release build makes.
helio=build/release/bin/helio

# ninja would start two jobs more than there are processors, and the compiler is hungry.
jobs=$(nproc)

# A CI user may have no home to keep a compiler cache in.
if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DIR=$root/build/ccache
fi

# Paths below the checkout count as relative ones, so that clones share what the cache keeps.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Compile cache misses at once, instead of preprocessing first for a second lookup.
export CCACHE_DEPEND=1

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# A build folder that came with a copied or moved tree names the old place, and CMake refuses it.
forget_moved_build() {
    local cache=$1/CMakeCache.txt
    if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        rm -rf "$1"
    fi
}

# configure PRESET: does nothing when the preset was configured and CMakePresets.json is older than
# that. (An edited CMakeLists.txt is the generated build's own business.)
configure() {
    local preset=$1 dir=build/$1
    forget_moved_build "$dir"
    if [[ -f $dir/build.ninja && $dir/.configured -nt CMakePresets.json && $dir/.configured -nt tools/common.sh ]]; then
        return
    fi
    cmake --preset "$preset" && touch "$dir/.configured"
}

# Files of the project: those that git tracks, or, in an unpacked archive, all.
# Run by root on a user's clone, git would complain about dubious ownership and list nothing.
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

# Put before a program built with sanitizers. Those of GCC 12 and Clang 14 lay their shadow where a
# kernel with more than 28 bits of address randomness (vm.mmap_rnd_bits; 32 on some hosts of
# containers) may have put the program, and then die at random. Not every container may switch it off.
no_aslr=()
if setarch --addr-no-randomize true 2>/dev/null; then
    no_aslr=(setarch --addr-no-randomize)
fi
