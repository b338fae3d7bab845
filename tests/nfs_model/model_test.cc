// Random events of several clients, against a server without sockets and the model. One seed again,
// with its minimised trace:
//
//     nfs_model_test --seed=4711
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tests/nfs_model/direct_subject.h"
#include "tests/nfs_model/runs.h"

namespace helio::tests::model::model_test {
namespace {

std::uint64_t first_seed = 1;
std::uint64_t last_seed = 2000;
constexpr std::size_t kEvents = 150;

TEST(NfsModel, RandomEvents) {
    const MakeSubject make = [] { return std::make_unique<DirectSubject>(); };
    std::set<std::pair<nfs4::nfs_opnum4, nfs4::nfsstat4>> seen;
    std::size_t events = 0;
    for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
        const std::vector<Event> all = random_events(seed, kEvents);
        Outcome run = run_events(make, all);
        events += run.events;
        seen.merge(run.seen);
        if (!run.wrong) continue;
        run = run_events(make, minimised(make, all));
        ADD_FAILURE() << "seed " << seed << ": " << run.wrong.value_or("not when it is shorter")
                      << "\n"
                      << fmt::format("{}", fmt::join(run.trace, "\n"))
                      << "\nTo see it again: nfs_model_test --seed=" << seed;
        return;
    }
    fmt::print("{} seeds, {} events, {} kinds of answers\n", last_seed - first_seed + 1, events,
               seen.size());
    if (first_seed == last_seed) return;
    // Else nothing much would have been tested.
    using namespace nfs4;
    for (const auto& one : std::initializer_list<std::pair<nfs_opnum4, nfsstat4>>{
             {OP_EXCHANGE_ID, NFS4ERR_CLID_INUSE},
             {OP_CREATE_SESSION, NFS4ERR_SEQ_MISORDERED},
             {OP_SEQUENCE, NFS4ERR_BADSESSION},
             {OP_SEQUENCE, NFS4ERR_SEQ_FALSE_RETRY},
             {OP_DESTROY_CLIENTID, NFS4ERR_CLIENTID_BUSY},
             {OP_RECLAIM_COMPLETE, NFS4ERR_COMPLETE_ALREADY},
             {OP_OPEN, NFS4_OK},
             {OP_OPEN, NFS4ERR_SHARE_DENIED},
             {OP_OPEN, NFS4ERR_GRACE},
             {OP_OPEN, NFS4ERR_NO_GRACE},
             {OP_OPEN, NFS4ERR_RECLAIM_BAD},
             {OP_OPEN_DOWNGRADE, NFS4_OK},
             {OP_CLOSE, NFS4ERR_OLD_STATEID},
             {OP_READ, NFS4ERR_LOCKED},
             {OP_WRITE, NFS4ERR_OPENMODE},
             {OP_LOCK, NFS4_OK},
             {OP_LOCK, NFS4ERR_DENIED},
             {OP_LOCK, NFS4ERR_OPENMODE},
             {OP_LOCKT, NFS4ERR_DENIED},
             {OP_LOCKU, NFS4_OK},
             {OP_FREE_STATEID, NFS4_OK},
             {OP_FREE_STATEID, NFS4ERR_LOCKS_HELD}})
        EXPECT_TRUE(seen.contains(one)) << one.first << " " << nfs::text_of(one.second);
}

bool take_argument(std::string_view argument) {
    const auto number = [](std::string_view text) {
        return std::strtoull(std::string(text).c_str(), nullptr, 10);
    };
    if (argument.starts_with("--seed=")) {
        first_seed = last_seed = number(argument.substr(7));
        return true;
    }
    const std::size_t dash = argument.find('-', 8);
    if (!argument.starts_with("--seeds=") || dash == argument.npos) return false;
    first_seed = number(argument.substr(8, dash - 8));
    last_seed = number(argument.substr(dash + 1));
    return true;
}

}  // namespace
}  // namespace helio::tests::model::model_test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        if (helio::tests::model::model_test::take_argument(argv[i])) continue;
        std::fprintf(stderr, "usage: %s [--seed=N | --seeds=FROM-TO]\n", argv[0]);
        return 2;
    }
    return RUN_ALL_TESTS();
}
