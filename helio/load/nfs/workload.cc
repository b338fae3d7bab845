#include "helio/load/nfs/workload.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "schema/nfs3_service.h"

namespace helio::load::nfs {

namespace {

constexpr std::array<std::string_view, kOperations> kOperationNames{
    "null", "getattr", "lookup", "access", "read", "write", "create", "readdirplus", "mixed"};

struct Procedure {
    const char* name;
    std::uint32_t number;
};
// Indexed by Kind.
constexpr std::array<Procedure, kKinds> kProcedures{{{"NULL", 0},
                                                     {"GETATTR", 1},
                                                     {"LOOKUP", 3},
                                                     {"ACCESS", 4},
                                                     {"READ", 6},
                                                     {"WRITE", 7},
                                                     {"CREATE", 8},
                                                     {"REMOVE", 12},
                                                     {"READDIRPLUS", 17},
                                                     {"FSINFO", 19}}};

const Procedure& procedure(Kind kind) { return kProcedures[static_cast<std::size_t>(kind)]; }

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
constexpr std::uint32_t kAsked = nfs3::ACCESS3_READ | nfs3::ACCESS3_MODIFY | nfs3::ACCESS3_EXTEND;

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

namespace {
std::string status_name(std::uint32_t status) {
    const auto name = nfs3::to_string(static_cast<nfs3::nfsstat3>(status));
    return name.empty() ? std::to_string(status) : std::string(name);
}
}  // namespace

Program program_of(Operation operation) {
    Program program;
    const xdr::VersionInfo& nfs = nfs3::NFS_V3::info();
    for (const Share& share : shares_of(operation)) {
        Step step;
        step.name = fmt::format("nfs3.{}", procedure(share.kind).name);
        step.program = nfs.program;
        step.version = nfs.version;
        step.procedure = procedure(share.kind).number;
        step.version_info = &nfs;
        step.info = nfs.procedure(step.procedure);
        step.weight = share.weight;
        if (share.kind != Kind::null) step.status_name = status_name;
        program.steps.push_back(std::move(step));
        program.kinds.push_back(share.kind);
    }
    return program;
}

namespace {
// Unique over all rounds: a round leaves files that the next one, with new callers, must not use.
std::atomic<std::uint32_t> next_number = 0;
}  // namespace

Caller::Caller(const TestFiles& test_files, const Content& content, const Program& program,
               const TransferOptions& transfer, std::uint32_t thread, std::size_t slots,
               std::optional<ServerCpu> server)
    : test_files_(test_files),
      content_(content),
      transfer_(transfer),
      kinds_(program.kinds),
      order_(lay_out(program.steps)),
      number_(next_number.fetch_add(1, std::memory_order_relaxed)),
      slots_(slots, Slot{test_files.entries}),
      random_(thread),
      server_(server) {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
        step_of_[static_cast<std::size_t>(kinds_[i])] = static_cast<std::uint16_t>(i);
    order_at_ = thread % order_.size();
}

std::uint32_t Caller::random(std::uint32_t below) {
    return below == 0 ? 0 : static_cast<std::uint32_t>(random_.up_to(below - 1));
}

// ---- Calls ----

void Caller::place_transfer(Slot& slot, std::uint32_t bytes, std::uint32_t files) {
    const std::uint64_t data = test_files_.data_bytes;
    const std::uint64_t blocks = std::max<std::uint64_t>(1, data / bytes);
    if (transfer_.pattern == Pattern::random) {
        slot.file = random(files);
        slot.offset =
            std::uint64_t{
                random(static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, UINT32_MAX)))} *
            bytes;
    } else {
        slot.file = static_cast<std::uint32_t>(cursor_ / blocks % files);
        slot.offset = cursor_ % blocks * bytes;
        ++cursor_;
    }
    slot.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, data - slot.offset));
}

void Caller::name_made(std::size_t index) {
    Slot& slot = slots_[index];
    const auto end = fmt::format_to_n(slot.made_name.begin(), slot.made_name.size(),
                                      "made-{:x}-{:x}-{:x}", number_, index, made_count_++);
    slot.made_size = std::min(end.size, slot.made_name.size());
}

std::uint16_t Caller::choose(std::size_t index) {
    Slot& slot = slots_[index];
    slot.kind = kinds_[order_[order_at_]];
    if (++order_at_ == order_.size()) order_at_ = 0;
    switch (slot.kind) {
        case Kind::getattr:
        case Kind::lookup:
        case Kind::access:
            slot.file = random(static_cast<std::uint32_t>(test_files_.files.size()));
            break;
        case Kind::read:
            place_transfer(slot, transfer_.read_bytes,
                           static_cast<std::uint32_t>(test_files_.read_files.size()));
            break;
        case Kind::write:
            place_transfer(slot, transfer_.write_bytes,
                           static_cast<std::uint32_t>(test_files_.write_files.size()));
            break;
        case Kind::create:
        case Kind::remove:  // each slot creates and removes its own file in turn
            slot.kind = slot.has_made ? Kind::remove : Kind::create;
            if (!slot.has_made) name_made(index);
            break;
        case Kind::null:
        case Kind::readdirplus:
        case Kind::fsinfo:
            break;
    }
    return step_of_[static_cast<std::size_t>(slot.kind)];
}

bool Caller::write(std::size_t index, xdr::Writer& out) {
    const Slot& slot = slots_[index];
    const auto file = [&] { return test_files_.files[slot.file].handle.wire(); };
    const auto made = [&] {
        return nfs3::diropargs3{test_files_.made_directory.wire(), slot.made()};
    };
    switch (slot.kind) {
        case Kind::null:
            return true;
        case Kind::getattr:
            return nfs3::encode_GETATTR3args(out, {file()});
        case Kind::lookup:
            return nfs3::encode_LOOKUP3args(
                out, {{test_files_.files_directory.wire(), test_files_.files[slot.file].name}});
        case Kind::access:
            return nfs3::encode_ACCESS3args(out, {file(), kAsked});
        case Kind::read:
            return nfs3::encode_READ3args(
                out, {test_files_.read_files[slot.file].handle.wire(), slot.offset, slot.count});
        case Kind::write:
            return nfs3::encode_WRITE3args(
                out, {test_files_.write_files[slot.file].handle.wire(), slot.offset, slot.count,
                      transfer_.stable, content_.range(slot.file, slot.offset, slot.count)});
        case Kind::create: {
            nfs3::CREATE3args arguments;
            arguments.where = made();
            arguments.how.emplace_obj_attributes(nfs3::GUARDED).mode = 0644;
            return nfs3::encode_CREATE3args(out, arguments);
        }
        case Kind::remove:
            return nfs3::encode_REMOVE3args(out, {made()});
        case Kind::readdirplus:
            return nfs3::encode_READDIRPLUS3args(
                out, {test_files_.list_directory.wire(), slot.cookie, slot.verifier,
                      transfer_.reply_bytes, transfer_.reply_bytes});
        case Kind::fsinfo:
            return nfs3::encode_FSINFO3args(out, {test_files_.root.wire()});
    }
    return false;
}

void Caller::failed(std::size_t index) {
    Slot& slot = slots_[index];
    // Unknown whether it was created or removed: use another name next time. Restart the listing.
    slot.has_made = false;
    slot.cookie = 0;
    slot.verifier = {};
    static_cast<void>(slot.names.finish());
}

void Caller::begin_measuring() {
    if (server_) cpu_before_ = server_->now();
}

void Caller::end_measuring() {
    if (server_) seen_.server_cpu = server_->now() - cpu_before_;
}

// ---- Answers ----

const char* Caller::wrong(const Slot& slot, const std::string& what, const std::string& detail) {
    const std::string sentence = fmt::format("{}: {}", procedure(slot.kind).name, what);
    if (seen_.wrong++ == 0) seen_.first_wrong = sentence + detail;
    return words_.try_emplace(sentence, sentence).first->second.c_str();
}

template <class Result, class Decode, class Check>
const char* Caller::checked(Slot& slot, ByteView results, Decode decode, Check more) {
    arena_.reset();
    xdr::Reader in{results, arena_, xdr::Mode::strict};
    in.take_bulk_from(bulk_);
    Result result;
    if (!decode(in, result) || !in.finish())
        return wrong(slot, "the result cannot be decoded", " (" + xdr::to_string(in.error()) + ")");
    if (!result.has_resok()) [[unlikely]] {
        const auto name = nfs3::to_string(result.status());
        return wrong(slot, name.empty() ? "a status that is not in RFC 1813" : std::string(name));
    }
    if constexpr (std::is_invocable_v<Check>)
        return more();
    else
        return (this->*more)(slot, result.resok());
}

const char* Caller::check(std::size_t index, ByteView results, std::span<const ByteView> bulk) {
    Slot& slot = slots_[index];
    bulk_ = bulk;
    const auto nothing = [] { return static_cast<const char*>(nullptr); };
    switch (slot.kind) {
        case Kind::null:
            return results.empty() ? nullptr : wrong(slot, "an unexpected result");
        case Kind::getattr:
            return checked<nfs3::GETATTR3res>(slot, results, nfs3::decode_GETATTR3res,
                                              &Caller::check_getattr);
        case Kind::lookup:
            return checked<nfs3::LOOKUP3res>(slot, results, nfs3::decode_LOOKUP3res,
                                             &Caller::check_lookup);
        case Kind::access:
            return checked<nfs3::ACCESS3res>(slot, results, nfs3::decode_ACCESS3res,
                                             &Caller::check_access);
        case Kind::read:
            return checked<nfs3::READ3res>(slot, results, nfs3::decode_READ3res,
                                           &Caller::check_read);
        case Kind::write:
            return checked<nfs3::WRITE3res>(slot, results, nfs3::decode_WRITE3res,
                                            &Caller::check_write);
        case Kind::create:
            return checked<nfs3::CREATE3res>(slot, results, nfs3::decode_CREATE3res,
                                             &Caller::check_create);
        case Kind::remove:
            slot.has_made = false;  // if it does not exist, that is reported once
            return checked<nfs3::REMOVE3res>(slot, results, nfs3::decode_REMOVE3res, nothing);
        case Kind::readdirplus: {
            const char* const fault = checked<nfs3::READDIRPLUS3res>(
                slot, results, nfs3::decode_READDIRPLUS3res, &Caller::check_listing);
            if (fault != nullptr) failed(index);
            return fault;
        }
        case Kind::fsinfo:
            return checked<nfs3::FSINFO3res>(slot, results, nfs3::decode_FSINFO3res, nothing);
    }
    return nullptr;
}

const char* Caller::check_getattr(Slot& slot, const nfs3::GETATTR3resok& result) {
    const File& file = test_files_.files[slot.file];
    const nfs3::fattr3& now = result.obj_attributes;
    if (now.type == nfs3::NF3REG && now.fileid == file.fileid && now.size == file.size)
        return nullptr;
    return wrong(slot, "attributes of another file",
                 fmt::format(": fileid {} size {}, not {} and {}", now.fileid, now.size,
                             file.fileid, file.size));
}

const char* Caller::check_lookup(Slot& slot, const nfs3::LOOKUP3resok& result) {
    const File& file = test_files_.files[slot.file];
    // A file may have several handles, but only one fileid.
    const ByteView handle = file.handle.wire().data;
    const bool same = result.obj_attributes
                          ? result.obj_attributes->fileid == file.fileid
                          : std::equal(handle.begin(), handle.end(), result.object.data.begin(),
                                       result.object.data.end());
    if (same && !result.object.data.empty()) return nullptr;
    return wrong(slot, "another file", " than " + file.name);
}

const char* Caller::check_access(Slot& slot, const nfs3::ACCESS3resok& result) {
    if ((result.access & ~kAsked) != 0) return wrong(slot, "rights that were not requested");
    // The run created the file itself.
    if ((result.access & nfs3::ACCESS3_READ) == 0) return wrong(slot, "the owner may not read");
    return nullptr;
}

const char* Caller::check_read(Slot& slot, const nfs3::READ3resok& result) {
    const auto where = [&] {
        return fmt::format(" (file {}, {} bytes at {}: count {}, {} bytes)", slot.file, slot.count,
                           slot.offset, result.count, result.data.size());
    };
    if (result.count != result.data.size())
        return wrong(slot, "count is not the size of the data", where());
    if (result.count != slot.count)
        return wrong(slot, "not the number of bytes requested", where());
    if (result.eof && slot.offset + slot.count < test_files_.data_bytes)
        return wrong(slot, "end of file reported too early", where());
    const bool whole = reads_++ % kWholeEvery == 0;
    const auto differs = content_.first_difference(
        slot.file, slot.offset, result.data, whole ? Content::Look::all : Content::Look::some);
    if (differs)
        return wrong(slot, "data that differs from what was written",
                     fmt::format(" (file {}, byte {})", slot.file, slot.offset + *differs));
    if (whole) ++seen_.read_whole;
    return nullptr;
}

const char* Caller::check_write(Slot& slot, const nfs3::WRITE3resok& result) {
    if (result.count != slot.count)
        return wrong(slot, "not the number of bytes sent",
                     fmt::format(" ({} of {})", result.count, slot.count));
    if (result.committed < transfer_.stable || result.committed > nfs3::FILE_SYNC)
        return wrong(slot, "less stable than requested");
    if (!verifier_) verifier_ = result.verf;
    if (*verifier_ != result.verf) {
        verifier_ = result.verf;
        return wrong(slot, "the write verifier changed: the server lost unstable data");
    }
    if (written_.size() < kWrittenMax) written_.push_back({slot.file, slot.offset});
    return nullptr;
}

const char* Caller::check_create(Slot& slot, const nfs3::CREATE3resok& result) {
    slot.has_made = true;
    if (result.obj_attributes && result.obj_attributes->type != nfs3::NF3REG)
        return wrong(slot, "not a regular file");
    return nullptr;
}

const char* Caller::check_listing(Slot& slot, const nfs3::READDIRPLUS3resok& result) {
    if (result.reply.entries == nullptr && !result.reply.eof)
        return wrong(slot, "neither an entry nor end of directory");
    for (const nfs3::entryplus3* one = result.reply.entries; one != nullptr; one = one->nextentry) {
        const NameFault fault = slot.names.add(one->name);
        if (fault == NameFault::twice) return wrong(slot, "a duplicate name in one listing");
        if (fault != NameFault::none) return wrong(slot, "a name that was never created");
        slot.cookie = one->cookie;
    }
    slot.verifier = result.cookieverf;
    if (!result.reply.eof) return nullptr;
    slot.cookie = 0;
    slot.verifier = {};
    if (slot.names.finish() != NameFault::none) return wrong(slot, "the listing is incomplete");
    ++seen_.listings;
    return nullptr;
}

}  // namespace helio::load::nfs
