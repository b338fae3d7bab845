#include "tests/nfs_resilience/crowd.h"

#include <cstdio>

namespace helio::tests {

namespace {

// Removed files are still used for a while: their inodes are soon reused.
constexpr std::size_t kShownMax = 400;

transport::ClientOptions options_of(const Guest::Who& who) {
    transport::ClientOptions out;
    out.credential = rpc::ClientCredential::sys(who.uid, who.uid, {}, "crowd");
    out.udp = who.udp;
    // A repeated WRITE may come after the next one; here nothing gets lost.
    out.retransmit_first = std::chrono::seconds(25);
    out.call_timeout = std::chrono::seconds(60);
    return out;
}

}  // namespace

std::string label_of(const std::string& name) {
    std::string out = name;
    out.resize(kLabelSize - 1, ' ');
    return out + "\n";
}

void Stage::show(const std::shared_ptr<Shown>& file) {
    const std::lock_guard lock{mutex_};
    if (shown_.size() < kShownMax)
        shown_.push_back(file);
    else
        shown_[next_shown_++ % kShownMax] = file;
}

std::shared_ptr<Shown> Stage::pick(std::uint32_t random) {
    const std::lock_guard lock{mutex_};
    return shown_.empty() ? nullptr : shown_[random % shown_.size()];
}

void Stage::fail(const std::string& what) {
    const std::lock_guard lock{mutex_};
    failures_ += what + "\n";
    stopping = true;
}

std::string Stage::failures() {
    const std::lock_guard lock{mutex_};
    return failures_;
}

Guest::Guest(Stage& stage, const std::string& server, const Who& who)
    : stage_(stage),
      who_(who),
      client_(transport::Client::connect(server, options_of(who))),
      random_(who.number) {}

void Guest::run() {
    try {
        while (!stage_.stopping) {
            step();
            stage_.steps.fetch_add(1, std::memory_order_relaxed);
        }
        leave();
    } catch (const Wrong& error) {
        stage_.fail(error.what());
    }
}

void Guest::wrong(const std::string& what) const {
    throw Wrong("guest " + std::to_string(who_.number) + ": " + what);
}

std::string Guest::fresh_name(const char* kind) {
    return std::string(kind) + "-" + std::to_string(who_.number) + "-" + std::to_string(++names_);
}

std::string Guest::random_text(std::size_t size) {
    std::string out(size, 0);
    for (char& one : out) one = static_cast<char>(random_());
    return out;
}

}  // namespace helio::tests
