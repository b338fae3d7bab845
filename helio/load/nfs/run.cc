#include "helio/load/nfs/run.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace helio::load::nfs {

namespace {

// Ranges read back after a run of WRITEs.
constexpr std::size_t kReadBackMax = 64;

bool needs_files(Operation operation) {
    return operation == Operation::getattr || operation == Operation::lookup ||
           operation == Operation::access || operation == Operation::open ||
           operation == Operation::lock || operation == Operation::mixed;
}

TestTreePlan tree_plan_for(const Orders& orders) {
    TestTreePlan out;
    out.data_bytes = orders.data_bytes;
    for (const Job& job : orders.jobs) {
        const bool mixed = job.operation == Operation::mixed;
        if (needs_files(job.operation)) out.files = orders.files;
        if (mixed || job.operation == Operation::read || job.operation == Operation::open_read) {
            out.read_files = orders.data_files;
            out.transfer_bytes = std::max(out.transfer_bytes, job.transfer.read_bytes);
        }
        if (mixed || job.operation == Operation::write) {
            out.write_files = orders.data_files;
            out.transfer_bytes = std::max(out.transfer_bytes, job.transfer.write_bytes);
        }
        if (mixed || job.operation == Operation::readdirplus) out.entries = orders.entries;
        if (job.operation == Operation::lock) {
            out.open_files = true;
            out.locks = orders.locks;
        }
    }
    return out;
}

void read_back(Turn& turn, TestTree& test_tree, const std::vector<Caller::Written>& written,
               std::uint32_t bytes) {
    const std::size_t step = std::max<std::size_t>(1, written.size() / kReadBackMax);
    for (std::size_t i = 0; i < written.size(); i += step) {
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(bytes, test_tree.test_files().data_bytes - written[i].offset));
        if (test_tree.holds(written[i].file, written[i].offset, size)) {
            ++turn.read_back;
            continue;
        }
        if (turn.seen.wrong++ == 0)
            turn.seen.first_wrong = fmt::format(
                "WRITE: {} bytes at {} were acknowledged, but READ returns different data", size,
                written[i].offset);
    }
}

Turn take_turn(const Server& server, TestTree& test_tree, const Content& content, const Job& job,
               const Orders& orders, const std::function<bool(const Progress&)>& tick) {
    const Program program = program_of(job.operation, server.target.version);
    std::vector<std::unique_ptr<Caller>> callers;
    Settings settings = orders.load;
    settings.servers = server.target.nfs;
    settings.target = server.target.name;
    settings.client = server.target.client;
    std::size_t slots_before = 0;
    settings.source = [&](std::uint32_t thread, std::size_t slots) -> Source& {
        const SlotRange range{thread, slots_before, slots,
                              std::size_t{orders.load.connections} * orders.load.depth};
        slots_before += slots;
        callers.push_back(std::make_unique<Caller>(
            test_tree.test_files(), content, program, job.transfer,
            test_tree.client().make_calls(slots), range, thread == 0 ? server.cpu : std::nullopt));
        return *callers.back();
    };
    Turn turn{load::run(program.steps, settings, tick), {}, 0};
    std::vector<Caller::Written> written;
    for (const auto& caller : callers) {
        const Seen& seen = caller->seen();
        if (turn.seen.first_wrong.empty()) turn.seen.first_wrong = seen.first_wrong;
        turn.seen.wrong += seen.wrong;
        turn.seen.listings += seen.listings;
        turn.seen.read_whole += seen.read_whole;
        if (seen.server_cpu) turn.seen.server_cpu = seen.server_cpu;
        written.insert(written.end(), caller->written().begin(), caller->written().end());
        if (!turn.report.unreachable) caller->release();
    }
    if (!turn.report.unreachable) test_tree.client().end_run();
    if (!turn.report.unreachable) read_back(turn, test_tree, written, job.transfer.write_bytes);
    return turn;
}

}  // namespace

std::optional<double> Turn::server_us_per_call() const {
    const double calls = report.rate * report.seconds;
    if (!seen.server_cpu || calls < 1) return std::nullopt;
    return static_cast<double>(seen.server_cpu->count()) / 1e3 / calls;
}

bool Turn::right() const {
    return seen.wrong == 0 && report.strays == 0 && report.failed == 0 && report.answered > 0;
}

std::vector<JobResult> run(const Orders& orders, const std::function<bool(const Progress&)>& tick) {
    const Content content;
    std::vector<std::unique_ptr<TestTree>> trees;
    for (const Server& server : orders.servers)
        trees.push_back(std::make_unique<TestTree>(server.target, tree_plan_for(orders), content));
    bool go_on = true;
    const auto watched = [&](const Progress& progress) {
        // The lease of a server whose turn it is not, or that is only sent NULL.
        for (const auto& test_tree : trees) test_tree->client().renew();
        go_on = go_on && (!tick || tick(progress));
        return go_on;
    };
    std::vector<JobResult> results;
    for (const Job& job : orders.jobs) {
        results.push_back({job, std::vector<std::vector<Turn>>(orders.servers.size())});
        for (std::uint32_t round = 0; round < orders.rounds && go_on; ++round)
            for (std::size_t i = 0; i < orders.servers.size() && go_on; ++i)
                results.back().turns[i].push_back(
                    take_turn(orders.servers[i], *trees[i], content, job, orders, watched));
        if (!go_on) break;
    }
    for (const auto& test_tree : trees) test_tree->remove();
    return results;
}

std::optional<double> median(const std::vector<Turn>& turns, const Figure& figure) {
    std::vector<double> all;
    for (const Turn& turn : turns) {
        const auto one = figure(turn);
        if (!one) return std::nullopt;
        all.push_back(*one);
    }
    if (all.empty()) return std::nullopt;
    std::sort(all.begin(), all.end());
    const std::size_t half = all.size() / 2;
    return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

std::optional<double> ratio(const JobResult& result, const Figure& figure) {
    if (result.turns.size() != 2) return std::nullopt;
    std::vector<double> all;
    const std::size_t rounds = std::min(result.turns[0].size(), result.turns[1].size());
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto first = figure(result.turns[0][i]), second = figure(result.turns[1][i]);
        if (!first || !second || *first <= 0) return std::nullopt;
        all.push_back(*second / *first);
    }
    if (all.empty()) return std::nullopt;
    std::sort(all.begin(), all.end());
    const std::size_t half = all.size() / 2;
    return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

Listing list_once(const Server& server, const std::string& path, std::uint32_t reply_bytes) {
    const std::unique_ptr<FileClient> client = connect(server.target);
    const Handle directory = walk(*client, client->root(), path);
    Listing out;
    SeenNames names;
    FileClient::Place place;
    const auto cpu_before = server.cpu ? server.cpu->now() : std::chrono::nanoseconds{};
    const auto begin = std::chrono::steady_clock::now();
    while (!place.end) {
        const auto some =
            client->list(directory, place, reply_bytes, FileClient::WithAttributes::yes);
        ++out.replies;
        if (some.empty() && !place.end)
            throw Failure(Failure::Kind::wrong,
                          fmt::format("{}: the listing of {} has neither an entry nor an end",
                                      server.target.name, path));
        for (const FileClient::Entry& one : some) {
            names.add(one.name);
            if (!one.has_attributes) ++out.without_attributes;
        }
        if (names.count() > kListedMax)
            throw Failure(Failure::Kind::wrong,
                          fmt::format("{}: the listing does not end after {} names",
                                      server.target.name, names.count()));
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (server.cpu)
        out.server_cpu_s = std::chrono::duration<double>(server.cpu->now() - cpu_before).count();
    client->leave();
    out.names = names.count();
    out.duplicates = names.duplicates();
    return out;
}

}  // namespace helio::load::nfs
