// Where operations happen: a vfs::FileSystem, or a plain directory through POSIX calls. Each
// describes the result of an operation as text, which must be the same everywhere.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testing/vfs/client.h"
#include "tests/vfs_conformance/backends.h"
#include "tests/vfs_conformance/model/op.h"

namespace helio::tests::model {

struct Person {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::vector<std::uint32_t> groups;
};

class World {
 public:
    virtual ~World() = default;
    virtual std::string run(const Op& op) = 0;
    // The whole tree.
    virtual std::string dump() = 0;
};

// The first person is the superuser, who also looks up files.
std::unique_ptr<World> make_vfs_world(const Backend& backend, const std::vector<Person>& people);
// `switches`: acts as the people, which takes the superuser; otherwise as this process's user.
std::unique_ptr<World> make_local_world(const std::vector<Person>& people, bool switches);

// The wording that both use.
std::string describe(const vfs::Attributes& attributes, bool with_accessed = false);
std::string say(vfs::Status status);
// For a rename, which may fail for several reasons: implementations may report any of them.
std::string say_coarsely(vfs::Status status);
std::string text_for(const Op& op);  // the data for write
std::string digest(std::string_view bytes);
inline std::uint32_t read_count(const Op& op) {
    return static_cast<std::uint32_t>(1 + op.number2 % 3 * 500);
}
inline std::uint64_t truncate_size(const Op& op) { return op.number * op.number2 % 100'000; }

inline constexpr std::uint64_t kFar = 70'000;  // beyond what small files are

}  // namespace helio::tests::model
