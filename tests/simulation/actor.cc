// Actor: which operation is next, and how answers are judged.
#include "tests/simulation/actor.h"

#include <fmt/format.h>

#include <algorithm>

namespace helio::simulation {

using namespace nfs3;

namespace {
constexpr std::size_t kNames = 5;
constexpr const char* kInner = "inner";
}  // namespace

Actor::Actor(std::string name, const Plan& plan, Dice& dice, Trace& trace, SharedNames& shared)
    : name_(std::move(name)),
      plan_(plan),
      dice_(dice.split()),
      trace_(trace),
      shared_(shared),
      left_(plan.operations) {}

void Actor::compose(Exchange& exchange) {
    if (shared_handle_.empty() || handles_.back().empty())
        prepare();
    else if (listing_)
        list();
    else
        choose();
    trace_.add("actor", name_, text_);
    has_reply_ = false;
    operation_(exchange);
}

void Actor::take_reply(Exchange& exchange) {
    has_reply_ = true;
    is_checked_ = false;
    operation_(exchange);
    if (!is_checked_) fail("the reply is not one: " + rpc::to_text(exchange.why()));
}

void Actor::set(std::string text, Operation operation) {
    text_ = std::move(text);
    operation_ = std::move(operation);
}

bool Actor::judge(nfsstat3 status, nfsstat3 expected) {
    is_checked_ = true;
    trace_.add("actor", name_, "is answered", static_cast<int>(status));
    if (status == expected) return expected == NFS3_OK;
    const bool disk_failed = status == NFS3ERR_IO || status == NFS3ERR_NOSPC;
    if (!disk_failed || plan_.fail_one_in == 0)
        fail(fmt::format("status {} instead of {}", static_cast<int>(status),
                         static_cast<int>(expected)));
    return false;
}

void Actor::fail(const std::string& what) const {
    throw Failure(fmt::format("actor {}: {}: {}", name_, text_, what));
}

void Actor::check(bool good, std::string_view what) const {
    if (!good) fail(std::string(what));
}

void Actor::compare(const File& file, const fattr3& attributes) const {
    check(attributes.type == file.type, "another type");
    check(attributes.nlink == file.links,
          fmt::format("{} links instead of {}", attributes.nlink, file.links));
    if (file.type != NF3DIR)
        check(attributes.size == file.content.size(),
              fmt::format("{} bytes instead of {}", attributes.size, file.content.size()));
    if (file.type != NF3LNK)
        check(attributes.mode == file.mode,
              fmt::format("mode {:o} instead of {:o}", attributes.mode, file.mode));
}

// Learns from a reply's additional attributes of a file.
void Actor::learn(File& file, const post_op_attr& attributes) const {
    check(attributes.has_value(), "without attributes");
    compare(file, *attributes);
    file.changed = attributes->ctime;
}

std::string Actor::random_text(std::size_t size) {
    std::string out;
    while (out.size() < size) out += fmt::format("{:016x}", dice_.word());
    out.resize(size);
    return out;
}

// ---- Where ----

Actor::Place Actor::any_place() {
    return {dice_.below(kDirectories), "n" + std::to_string(dice_.below(kNames))};
}

// One of those that fit, or any other if there is none.
Actor::Place Actor::some_place(const std::function<bool(const File&)>& fits) {
    std::vector<Place> found;
    for (std::size_t i = 0; i < kDirectories; ++i)
        for (const auto& [name, file] : directories_[i])
            if (name != kInner && fits(*file)) found.push_back({i, name});
    return found.empty() ? any_place() : found[dice_.below(found.size())];
}

std::shared_ptr<File> Actor::find(const Place& place) const {
    const auto found = directories_[place.directory].find(place.name);
    return found == directories_[place.directory].end() ? nullptr : found->second;
}

std::shared_ptr<File> Actor::add(const Place& place, ftype3 type, const post_op_fh3& handle,
                                 const post_op_attr& attributes) {
    check(handle.has_value() && attributes.has_value(), "without handle or attributes");
    auto file = std::make_shared<File>();
    file->type = type;
    file->links = type == NF3DIR ? 2 : 1;
    file->mode = attributes->mode;
    file->handle = copy(handle->data);
    file->changed = attributes->ctime;
    directories_[place.directory][place.name] = file;
    return file;
}

void Actor::drop(const Place& place) {
    File& file = *find(place);
    --file.links;
    file.changed.reset();
    directories_[place.directory].erase(place.name);
}

// ---- What ----

void Actor::prepare() {
    if (root_.empty()) return mount();
    if (shared_handle_.empty()) return find_shared();
    if (handles_[0].empty()) return make_directory(0, name_, 0);
    make_directory(0, kInner, 1);
}

void Actor::choose() {
    --left_;
    switch (dice_.below(8)) {
        case 0:
            return list();
        case 1:
            return fight();
        case 2:
        case 3:
        case 4:
            return choose_file();
        default:
            return choose_name();
    }
}

void Actor::choose_name() {
    switch (dice_.below(11)) {
        case 0:
        case 1:
            return create_guarded();
        case 2:
            return create_exclusive();
        case 3:
            return create_unchecked();
        case 4:
            return make_link();
        case 5:
            return make_symlink();
        case 6:
            return make_directory(dice_.below(kDirectories), any_place().name, std::nullopt);
        case 7:
            return remove();
        case 8:
            return remove_directory();
        case 9:
            return lookup();
        default:
            return rename();
    }
}

void Actor::choose_file() {
    switch (dice_.below(9)) {
        case 0:
            return get_attributes();
        case 1:
            return set_mode();
        case 2:
            return set_size();
        case 3:
            return set_guarded();
        case 4:
            return read();
        case 5:
            return read_link();
        case 6:
            return commit();
        default:
            return write();
    }
}

}  // namespace helio::simulation
