// Calls: the wire format of the calls that a Caller makes. A Caller decides what to ask for and
// knows what the answer has to be; an implementation of Calls, one per version of NFS, encodes the
// request and decodes the answer. It also has what the version keeps per slot: at version 4, the
// place in a session and the slot's open file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/load/nfs/files.h"
#include "helio/load/plan.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::load::nfs {

enum class Kind : std::uint8_t {
    null,
    getattr,
    lookup,
    access,
    read,
    write,
    create,
    remove,
    readdirplus,
    fsinfo,
    // Version 4 only. The last four go by the state that the slot has.
    open,
    read_opened,
    close,
    lock,
    unlock,
};
inline constexpr std::size_t kKinds = 15;

// As on the wire, in both versions.
enum class Stability : std::uint8_t { unstable, data_sync, file_sync };
using Verifier = std::array<std::byte, 8>;
inline constexpr std::uint32_t kAccessRead = 1, kAccessModify = 4, kAccessExtend = 8;
// The rights that ACCESS asks for.
inline constexpr std::uint32_t kAccessAsked = kAccessRead | kAccessModify | kAccessExtend;

// One call of a slot. The pointers are to values that stay while it is in flight.
struct Request {
    Kind kind = Kind::null;
    const File* file = nullptr;         // the file that it is about
    const Handle* directory = nullptr;  // LOOKUP, OPEN, CREATE, REMOVE, READDIR: where
    std::string_view name;              // there
    std::uint64_t offset = 0;           // of a READ, WRITE or lock
    std::uint32_t count = 0;
    ByteView data;  // of a WRITE
    Stability stable = Stability::unstable;
    std::uint64_t cookie = 0;  // of a listing
    Verifier verifier{};
    std::uint32_t reply_bytes = 0;
};

// The answer, if its status is success: the members that belong to the kind of the request. Views
// are valid as long as the reply.
struct Answer {
    struct Attributes {
        bool regular = false;
        std::uint64_t fileid = 0;
        std::uint64_t size = 0;
    };
    struct Entry {
        std::string_view name;
        std::uint64_t cookie = 0;
        bool has_attributes = false;
    };
    std::optional<Attributes> attributes;
    ByteView handle;
    std::uint32_t rights = 0;
    std::uint32_t count = 0;
    ByteView data;
    bool eof = false;
    std::uint32_t committed = 0;
    Verifier verifier{};
    std::vector<Entry> entries;

    // Otherwise: what is wrong, as one of few strings, and more about this case.
    std::string fault;
    std::string detail;
    // The slot's next call has to be this one again.
    bool repeat = false;
};

class Calls {
 public:
    virtual ~Calls() = default;

    // False: out of memory.
    virtual bool write(std::size_t slot, const Request& request, xdr::Writer& out) = 0;
    // Decodes a reply. False: `answer` has a fault.
    virtual bool read(std::size_t slot, const Request& request, xdr::Reader& in,
                      Answer& answer) = 0;
    // The call had no answer, so nobody knows whether it was executed. Must the slot repeat it?
    enum class AfterLoss : std::uint8_t { go_on, repeat };
    virtual AfterLoss lost(std::size_t slot) = 0;
    // After the run, on the thread that made it: releases what the slots hold.
    virtual void release() {}
};

// The procedure of a kind, for the load engine and its report.
Step step_of(Version version, Kind kind);
// "GETATTR", as messages name it.
std::string_view name_of(Version version, Kind kind);

}  // namespace helio::load::nfs
