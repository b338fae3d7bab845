// Random operations on a small tree, with so few names that they collide all the time. An operation
// names its object by a path from the root, or as one of a few files that were looked up before and
// are held since, wherever they were moved.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace helio::tests::model {

inline constexpr unsigned kNames = 5;
inline constexpr unsigned kHeld = 4;

enum class Kind : std::uint8_t {
    create_guarded,
    create_unchecked,
    create_truncating,
    create_exclusive,
    make_directory,
    make_symlink,
    make_fifo,
    make_socket,
    make_device,
    remove,
    remove_directory,
    rename,
    link,
    lookup,
    lookup_parent,
    list,
    list_pieces,
    read,
    write,
    write_far,
    truncate,
    set_mode,
    set_owner,
    set_group,
    set_times,
    set_now,
    set_guarded,
    set_guarded_wrong,
    access,
    read_link,
    commit,
    hold,
    kCount
};

struct Place {
    int held = -1;              // one of those held; then the way is empty
    std::vector<unsigned> way;  // names from the root
};

struct Op {
    Kind kind = Kind::lookup;
    unsigned who = 0;  // of the callers
    Place where;
    unsigned name = 0;
    Place where2;  // of rename and link
    unsigned name2 = 0;
    std::uint32_t mode = 0;
    std::uint64_t number = 0;
    std::uint64_t number2 = 0;
};

std::string name_of(unsigned number);
std::string to_text(const Op& op);
std::vector<Op> random_ops(std::uint64_t seed, std::size_t count, unsigned callers);

}  // namespace helio::tests::model
