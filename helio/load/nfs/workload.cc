#include "helio/load/nfs/workload.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include <fmt/format.h>

namespace helio::load::nfs {

namespace {

constexpr std::array<std::string_view, kOperations> kOperationNames{
    "null",   "getattr",     "lookup", "access", "read",      "write",
    "create", "readdirplus", "mixed",  "open",   "open-read", "lock"};

struct Share {
    Kind kind;
    std::uint32_t weight;
};
// A client at work in a tree: 10 of 100 calls are not one of the four usual ones.
constexpr std::array<Share, 9> kMixed{{{Kind::getattr, 40},
                                       {Kind::lookup, 20},
                                       {Kind::read, 20},
                                       {Kind::write, 10},
                                       {Kind::access, 4},
                                       {Kind::create, 2},
                                       {Kind::remove, 2},
                                       {Kind::readdirplus, 1},
                                       {Kind::fsinfo, 1}}};

// One READ in this many is compared whole: 1 MiB takes as long as generating 30 calls.
constexpr std::uint64_t kWholeEvery = 64;
// Written ranges remembered for reading back.
constexpr std::size_t kWrittenMax = 4096;

std::vector<Share> shares_of(Operation operation) {
    switch (operation) {
        case Operation::null:
            return {{Kind::null, 1}};
        case Operation::getattr:
            return {{Kind::getattr, 1}};
        case Operation::lookup:
            return {{Kind::lookup, 1}};
        case Operation::access:
            return {{Kind::access, 1}};
        case Operation::read:
            return {{Kind::read, 1}};
        case Operation::write:
            return {{Kind::write, 1}};
        case Operation::create:
            return {{Kind::create, 1}, {Kind::remove, 1}};
        case Operation::readdirplus:
            return {{Kind::readdirplus, 1}};
        case Operation::open:
            return {{Kind::open, 1}, {Kind::close, 1}};
        case Operation::open_read:
            return {{Kind::open, 1}, {Kind::read_opened, 1}, {Kind::close, 1}};
        case Operation::lock:
            return {{Kind::lock, 1}, {Kind::unlock, 1}};
        case Operation::mixed:
            break;
    }
    return {kMixed.begin(), kMixed.end()};
}

}  // namespace

std::string_view to_text(Operation operation) {
    return kOperationNames[static_cast<std::size_t>(operation)];
}

std::optional<Operation> operation_named(std::string_view word) {
    const auto* const found = std::find(kOperationNames.begin(), kOperationNames.end(), word);
    if (found == kOperationNames.end()) return std::nullopt;
    return static_cast<Operation>(found - kOperationNames.begin());
}

bool needs_state(Operation operation) {
    return operation == Operation::open || operation == Operation::open_read ||
           operation == Operation::lock;
}

Program program_of(Operation operation, Version version) {
    HELIO_ASSERT(version != Version::v3 || !needs_state(operation));
    Program program{version, {}, {}};
    for (const Share& share : shares_of(operation)) {
        program.steps.push_back(step_of(version, share.kind));
        program.steps.back().weight = share.weight;
        program.kinds.push_back(share.kind);
    }
    return program;
}

namespace {
// Unique over all rounds: a round leaves files that the next one, with new callers, must not use.
std::atomic<std::uint32_t> next_number = 0;
}  // namespace

Caller::Caller(const TestFiles& test_files, const Content& content, const Program& program,
               const TransferOptions& transfer, std::unique_ptr<Calls> calls,
               const SlotRange& range, std::optional<ServerCpu> server)
    : test_files_(test_files),
      content_(content),
      transfer_(transfer),
      version_(program.version),
      kinds_(program.kinds),
      calls_(std::move(calls)),
      range_(range),
      order_(lay_out(program.steps)),
      number_(next_number.fetch_add(1, std::memory_order_relaxed)),
      slots_(range.count, Slot{test_files.entries}),
      random_(range.thread),
      server_(server) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        step_of_[static_cast<std::size_t>(kinds_[i])] = static_cast<std::uint16_t>(i);
        if (kinds_[i] == Kind::read_opened) reads_opened_ = true;
    }
    order_at_ = range.thread % order_.size();
}

std::uint32_t Caller::random(std::uint32_t below) {
    return below == 0 ? 0 : static_cast<std::uint32_t>(random_.up_to(below - 1));
}

// ---- Calls ----

void Caller::place_transfer(Slot& slot, std::uint32_t bytes, const std::vector<File>& files) {
    const std::uint64_t data = test_files_.data_bytes;
    const std::uint64_t blocks = std::max<std::uint64_t>(1, data / bytes);
    Request& request = slot.request;
    if (transfer_.pattern == Pattern::random) {
        slot.file = random(static_cast<std::uint32_t>(files.size()));
        request.offset =
            std::uint64_t{
                random(static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, UINT32_MAX)))} *
            bytes;
    } else {
        slot.file = static_cast<std::uint32_t>(cursor_ / blocks % files.size());
        request.offset = cursor_ % blocks * bytes;
        ++cursor_;
    }
    request.file = &files[slot.file];
    request.count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, data - request.offset));
}

// Each slot has a file of its own, if there are enough, and locks bytes between those that are
// locked for the whole run. No two slots ever want the same byte.
void Caller::place_lock(std::size_t index) {
    Slot& slot = slots_[index];
    const std::size_t number = range_.first + index;
    slot.file = static_cast<std::uint32_t>(number % test_files_.files.size());
    slot.request.file = &test_files_.files[slot.file];
    const auto places = static_cast<std::uint32_t>(test_files_.locks_per_file / range_.total);
    slot.request.offset = 2 * (std::uint64_t{random(places)} * range_.total + number) + 1;
    slot.request.count = 1;
}

void Caller::pick_file(Slot& slot, const std::vector<File>& files, const Handle& directory) {
    slot.file = random(static_cast<std::uint32_t>(files.size()));
    slot.request.file = &files[slot.file];
    slot.request.directory = &directory;
    slot.request.name = files[slot.file].name;
}

void Caller::name_made(std::size_t index) {
    Slot& slot = slots_[index];
    const auto end = fmt::format_to_n(slot.made_name.begin(), slot.made_name.size(),
                                      "made-{:x}-{:x}-{:x}", number_, index, made_count_++);
    slot.made_size = std::min(end.size, slot.made_name.size());
}

// The next of the mix. What a slot has made, opened or locked, it removes, closes or unlocks.
Kind Caller::next_kind(const Slot& slot) {
    const Kind kind = kinds_[order_[order_at_]];
    if (++order_at_ == order_.size()) order_at_ = 0;
    switch (kind) {
        case Kind::create:
        case Kind::remove:
            return slot.has_made ? Kind::remove : Kind::create;
        case Kind::open:
        case Kind::read_opened:
        case Kind::close:
            if (!slot.has_open) return Kind::open;
            return reads_opened_ && !slot.has_read ? Kind::read_opened : Kind::close;
        case Kind::lock:
        case Kind::unlock:
            return slot.has_lock ? Kind::unlock : Kind::lock;
        default:
            return kind;
    }
}

std::uint16_t Caller::choose(std::size_t index) {
    Slot& slot = slots_[index];
    if (!slot.repeat) {
        slot.request.kind = next_kind(slot);
        fill_in(index);
    }
    slot.repeat = false;
    return step_of_[static_cast<std::size_t>(slot.request.kind)];
}

void Caller::fill_in(std::size_t index) {
    Slot& slot = slots_[index];
    Request& request = slot.request;
    switch (request.kind) {
        case Kind::getattr:
        case Kind::lookup:
        case Kind::access:
            pick_file(slot, test_files_.files, test_files_.files_directory);
            break;
        case Kind::read:
            place_transfer(slot, transfer_.read_bytes, test_files_.read_files);
            break;
        case Kind::write:
            place_transfer(slot, transfer_.write_bytes, test_files_.write_files);
            request.stable = transfer_.stable;
            request.data = content_.range(slot.file, request.offset, request.count);
            break;
        case Kind::create:
            name_made(index);
            [[fallthrough]];
        case Kind::remove:
            request.directory = &test_files_.made_directory;
            request.name = slot.made();
            break;
        case Kind::readdirplus:
            request.directory = &test_files_.list_directory;
            request.reply_bytes = transfer_.reply_bytes;
            break;
        case Kind::fsinfo:
            request.directory = &test_files_.root;
            break;
        case Kind::open:
            if (reads_opened_)
                pick_file(slot, test_files_.read_files, test_files_.data_directory);
            else
                pick_file(slot, test_files_.files, test_files_.files_directory);
            break;
        case Kind::read_opened: {
            const std::uint32_t blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                test_files_.data_bytes / transfer_.read_bytes, 1, UINT32_MAX));
            request.offset = std::uint64_t{random(blocks)} * transfer_.read_bytes;
            request.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                transfer_.read_bytes, test_files_.data_bytes - request.offset));
            break;
        }
        case Kind::lock:
            place_lock(index);
            break;
        case Kind::unlock:
        case Kind::close:
        case Kind::null:
            break;
    }
}

bool Caller::write(std::size_t index, xdr::Writer& out) {
    return calls_->write(index, slots_[index].request, out);
}

void Caller::restart_listing(Slot& slot) {
    slot.request.cookie = 0;
    slot.request.verifier = {};
    static_cast<void>(slot.names.finish());
}

void Caller::failed(std::size_t index) {
    Slot& slot = slots_[index];
    slot.repeat = calls_->lost(index) == Calls::AfterLoss::repeat;
    if (slot.repeat) return;
    // Unknown whether it was created or removed: use another name next time. Restart the listing.
    slot.has_made = false;
    restart_listing(slot);
}

void Caller::begin_measuring() {
    if (server_) cpu_before_ = server_->now();
}

void Caller::end_measuring() {
    if (server_) seen_.server_cpu = server_->now() - cpu_before_;
}

// ---- Answers ----

const char* Caller::wrong(const Slot& slot, const std::string& what, const std::string& detail) {
    const std::string sentence = fmt::format("{}: {}", name_of(version_, slot.request.kind), what);
    if (seen_.wrong++ == 0) seen_.first_wrong = sentence + detail;
    return words_.try_emplace(sentence, sentence).first->second.c_str();
}

const char* Caller::check(std::size_t index, ByteView results, std::span<const ByteView> bulk) {
    Slot& slot = slots_[index];
    arena_.reset();
    xdr::Reader in{results, arena_, xdr::Mode::strict};
    in.take_bulk_from(bulk);
    answer_.attributes.reset();
    answer_.handle = {};
    answer_.entries.clear();
    answer_.repeat = false;
    // If it cannot be removed, closed or unlocked, that is reported once.
    if (slot.request.kind == Kind::remove) slot.has_made = false;
    if (slot.request.kind == Kind::close) slot.has_open = false;
    if (slot.request.kind == Kind::unlock) slot.has_lock = false;
    const char* fault = nullptr;
    if (calls_->read(index, slot.request, in, answer_)) [[likely]] {
        fault = check_answer(slot);
    } else {
        fault = wrong(slot, answer_.fault, answer_.detail);
        answer_.fault.clear();
        answer_.detail.clear();
        slot.repeat = answer_.repeat;
    }
    if (fault != nullptr && slot.request.kind == Kind::readdirplus) restart_listing(slot);
    return fault;
}

const char* Caller::check_answer(Slot& slot) {
    switch (slot.request.kind) {
        case Kind::getattr:
            return check_attributes(slot);
        case Kind::lookup:
            return check_lookup(slot);
        case Kind::access:
            return check_access(slot);
        case Kind::read_opened:
            slot.has_read = true;
            [[fallthrough]];
        case Kind::read:
            return check_read(slot);
        case Kind::write:
            return check_write(slot);
        case Kind::create:
            return check_create(slot);
        case Kind::readdirplus:
            return check_listing(slot);
        case Kind::open:
            return check_open(slot);
        case Kind::lock:
            slot.has_lock = true;
            return nullptr;
        case Kind::null:
        case Kind::remove:
        case Kind::fsinfo:
        case Kind::close:
        case Kind::unlock:
            return nullptr;
    }
    return nullptr;
}

const char* Caller::check_attributes(Slot& slot) {
    const File& file = *slot.request.file;
    const auto& now = answer_.attributes;
    if (!now) return wrong(slot, "no attributes");
    if (now->regular && now->fileid == file.fileid && now->size == file.size) return nullptr;
    return wrong(slot, "attributes of another file",
                 fmt::format(": fileid {} size {}, not {} and {}", now->fileid, now->size,
                             file.fileid, file.size));
}

const char* Caller::check_lookup(Slot& slot) {
    const File& file = *slot.request.file;
    // A file may have several handles, but only one fileid.
    const ByteView handle = file.handle.bytes();
    const bool same = answer_.attributes ? answer_.attributes->fileid == file.fileid
                                         : std::equal(handle.begin(), handle.end(),
                                                      answer_.handle.begin(), answer_.handle.end());
    if (same && !answer_.handle.empty()) return nullptr;
    return wrong(slot, "another file", " than " + file.name);
}

const char* Caller::check_open(Slot& slot) {
    slot.has_open = true;
    slot.has_read = false;
    return check_lookup(slot);
}

const char* Caller::check_access(Slot& slot) {
    if ((answer_.rights & ~kAccessAsked) != 0) return wrong(slot, "rights that were not requested");
    // The run created the file itself.
    if ((answer_.rights & kAccessRead) == 0) return wrong(slot, "the owner may not read");
    return nullptr;
}

const char* Caller::check_read(Slot& slot) {
    const Request& request = slot.request;
    const auto where = [&] {
        return fmt::format(" (file {}, {} bytes at {}: count {}, {} bytes)", slot.file,
                           request.count, request.offset, answer_.count, answer_.data.size());
    };
    if (answer_.count != answer_.data.size())
        return wrong(slot, "count is not the size of the data", where());
    if (answer_.count != request.count)
        return wrong(slot, "not the number of bytes requested", where());
    if (answer_.eof && request.offset + request.count < test_files_.data_bytes)
        return wrong(slot, "end of file reported too early", where());
    const bool whole = reads_++ % kWholeEvery == 0;
    const auto differs = content_.first_difference(
        slot.file, request.offset, answer_.data, whole ? Content::Look::all : Content::Look::some);
    if (differs)
        return wrong(slot, "data that differs from what was written",
                     fmt::format(" (file {}, byte {})", slot.file, request.offset + *differs));
    if (whole) ++seen_.read_whole;
    return nullptr;
}

const char* Caller::check_write(Slot& slot) {
    if (answer_.count != slot.request.count)
        return wrong(slot, "not the number of bytes sent",
                     fmt::format(" ({} of {})", answer_.count, slot.request.count));
    if (answer_.committed < static_cast<std::uint32_t>(transfer_.stable) ||
        answer_.committed > static_cast<std::uint32_t>(Stability::file_sync))
        return wrong(slot, "less stable than requested");
    if (!verifier_) verifier_ = answer_.verifier;
    if (*verifier_ != answer_.verifier) {
        verifier_ = answer_.verifier;
        return wrong(slot, "the write verifier changed: the server lost unstable data");
    }
    if (written_.size() < kWrittenMax) written_.push_back({slot.file, slot.request.offset});
    return nullptr;
}

const char* Caller::check_create(Slot& slot) {
    slot.has_made = true;
    if (answer_.attributes && !answer_.attributes->regular)
        return wrong(slot, "not a regular file");
    return nullptr;
}

const char* Caller::check_listing(Slot& slot) {
    if (answer_.entries.empty() && !answer_.eof)
        return wrong(slot, "neither an entry nor end of directory");
    for (const Answer::Entry& one : answer_.entries) {
        const NameFault fault = slot.names.add(one.name);
        if (fault == NameFault::twice) return wrong(slot, "a duplicate name in one listing");
        if (fault != NameFault::none) return wrong(slot, "a name that was never created");
        slot.request.cookie = one.cookie;
    }
    slot.request.verifier = answer_.verifier;
    if (!answer_.eof) return nullptr;
    slot.request.cookie = 0;
    slot.request.verifier = {};
    if (slot.names.finish() != NameFault::none) return wrong(slot, "the listing is incomplete");
    ++seen_.listings;
    return nullptr;
}

}  // namespace helio::load::nfs
