// The same random operations on a plain directory, through POSIX calls, and on every back end: each
// result, and the final state, must be the same.
//
//   HELIO_MODEL_SEED=n      one seed only
//   HELIO_MODEL_SECONDS=n   as many seeds as fit, for each back end; 1 otherwise
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/vfs_conformance/model/world.h"

namespace helio::tests::model::model_test {
namespace {

constexpr std::size_t kOps = 300;
constexpr std::size_t kDumpEvery = 25;  // operations

struct Scene {
    std::string name;
    std::function<std::unique_ptr<World>()> make;
    std::vector<Person> people;
    bool switches = false;  // the local directory is used as different users
};

Scene scene_of(const Backend& backend, const std::vector<Person>& people, bool switches) {
    return {backend.name, [=] { return make_vfs_world(backend, people); }, people, switches};
}

// The first disagreement: after how many operations, and what.
struct Disagreement {
    std::size_t after = 0;
    std::string text;
};

std::optional<Disagreement> compare(const Scene& scene, const std::vector<Op>& ops) {
    const auto local = make_local_world(scene.people, scene.switches);
    const auto other = scene.make();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        std::string expected = local->run(ops[i]);
        std::string got = other->run(ops[i]);
        if (expected == got && (i + 1 == ops.size() || i % kDumpEvery == 0)) {
            expected = local->dump();
            got = other->dump();
        }
        if (expected != got)
            return Disagreement{i + 1, "directory: " + expected + "\n" + scene.name + ": " + got};
    }
    return std::nullopt;
}

// Removes operations that are not needed to disagree, larger pieces first.
std::vector<Op> shrunk(const Scene& scene, std::vector<Op> ops) {
    for (std::size_t piece = ops.size() / 2; piece > 0; piece /= 2) {
        for (std::size_t at = 0; at < ops.size();) {
            std::vector<Op> fewer = ops;
            const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            const std::size_t count = std::min(piece, ops.size() - at);
            fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            const auto still = compare(scene, fewer);
            if (still) {
                fewer.resize(still->after);
                ops = std::move(fewer);
            } else {
                at += piece;
            }
        }
    }
    return ops;
}

// In words, or nothing when all agree.
std::string check(const Scene& scene, std::uint64_t seed) {
    auto ops = random_ops(seed, kOps, static_cast<unsigned>(scene.people.size()));
    if (!scene.switches) {
        // An ordinary user cannot open files closed to itself, although servers let the owner.
        for (Op& op : ops) op.mode |= 0600;
    }
    const auto first = compare(scene, ops);
    if (!first) return {};
    ops.resize(first->after);
    ops = shrunk(scene, std::move(ops));
    std::string text = "HELIO_MODEL_SEED=" + std::to_string(seed) + " on " + scene.name +
                       ", shrunk to " + std::to_string(ops.size()) + " operations:\n";
    for (const Op& op : ops) text += "  " + to_text(op) + "\n";
    const auto again = compare(scene, ops);
    return text + (again ? again->text : "which happens now and then: " + first->text);
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string check_seeds(const Scene& scene) {
    if (std::getenv("HELIO_MODEL_SEED")) return check(scene, number_from("HELIO_MODEL_SEED", 0));
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(number_from("HELIO_MODEL_SECONDS", 1));
    std::uint64_t seed = 1;
    for (; std::chrono::steady_clock::now() < end || seed <= 3; ++seed) {
        const std::string wrong = check(scene, seed);
        if (!wrong.empty()) return wrong;
    }
    std::cout << scene.name << ": " << seed - 1 << " seeds of " << kOps << " operations\n";
    return {};
}

class VfsModel : public testing::TestWithParam<Backend> {};

const std::vector<Person> kPeople = {{0, 0, {}}, {1001, 2001, {2001, 2003}}, {1002, 2002, {}}};

TEST_P(VfsModel, AgreesWithADirectory) {
    const bool switches = geteuid() == 0 && GetParam().traits.identities;
    const std::vector<Person> self = {{geteuid(), getegid(), {}}};
    EXPECT_EQ(check_seeds(scene_of(GetParam(), switches ? kPeople : self, switches)), "");
}

// The same as an ordinary user, in a separate process.
TEST_P(VfsModel, AgreesForAnOrdinaryUser) {
    if (geteuid() != 0) GTEST_SKIP() << "the other test is that one";
    if (GetParam().privileged) GTEST_SKIP() << "not to be had";
    std::fflush(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
            setresuid(kNobody, kNobody, kNobody) != 0)
            _exit(2);
        const std::string wrong =
            check_seeds(scene_of(GetParam(), {{kNobody, kNobody, {}}}, false));
        std::cerr << wrong << std::flush;
        std::cout << std::flush;
        _exit(wrong.empty() ? 0 : 1);
    }
    int ended = 0;
    ASSERT_EQ(waitpid(child, &ended, 0), child);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
}

// The quality of the random operations: all of them succeed and fail, in every possible way.
TEST(VfsModelItself, TriesEverything) {
    std::map<Kind, int> good;
    std::map<std::string, int> words;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const auto world = make_vfs_world(backends().front(), kPeople);
        for (const Op& op : random_ops(seed, kOps, 3)) {
            const std::string said = world->run(op);
            if (said.starts_with("ok")) ++good[op.kind];
            ++words[said];
        }
    }
    for (unsigned kind = 0; kind < static_cast<unsigned>(Kind::kCount); ++kind) {
        if (static_cast<Kind>(kind) == Kind::set_guarded_wrong) continue;
        EXPECT_GT(good[static_cast<Kind>(kind)], 10) << kind;
    }
    using vfs::Status;
    for (const Status status :
         {Status::not_found, Status::exists, Status::not_empty, Status::invalid,
          Status::access_denied, Status::not_permitted, Status::is_a_directory,
          Status::not_a_directory, Status::guard_mismatch})
        EXPECT_GT(words[say(status)], 5) << say(status);
    EXPECT_GT(words["where: " + say(Status::stale)], 5);
}

// And a back end that is wrong now and then is found out, with few words.
class Liar final : public World {
 public:
    std::string run(const Op& op) override {
        Op another = op;
        if (op.kind == Kind::rename && op.number % 20 == 0) another.name2 = (op.name2 + 1) % kNames;
        return world_->run(another);
    }
    std::string dump() override { return world_->dump(); }

 private:
    std::unique_ptr<World> world_ =
        make_vfs_world(backends().front(), {{geteuid(), getegid(), {}}});
};

TEST(VfsModelItself, FindsALiar) {
    const Scene scene{
        "liar", [] { return std::make_unique<Liar>(); }, {{geteuid(), getegid(), {}}}, false};
    std::string found;
    for (std::uint64_t seed = 1; seed < 50 && found.empty(); ++seed) found = check(scene, seed);
    EXPECT_NE(found.find("rename"), std::string::npos) << found;
    EXPECT_LE(std::count(found.begin(), found.end(), '\n'), 25) << found;
}

INSTANTIATE_TEST_SUITE_P(All, VfsModel, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::model::model_test
