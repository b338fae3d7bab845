// What generated programs speak: a service is a table of procedures over one virtual class, a
// client is a stub over a Channel. Neither knows sockets, credentials or message headers; those
// belong to whoever owns the CallContext and the Channel.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "helio/base/result.h"
#include "helio/xdr/error.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::xdr {

// How a call ended, as far as arguments and results are concerned. The envelope turns it into
// accept_stat (RFC 5531 §9) or another protocol's words.
enum class Outcome : std::uint8_t {
    success,
    procedure_unavailable,  // no such procedure, or the service does not implement it
    garbage_arguments,      // the argument bytes do not fit the schema
    system_error,           // the result does not fit the schema, or there is no memory
    unreachable,            // clients only: no answer came
};

// One call, as a procedure sees it. Transports derive from it to add who is calling.
class CallContext {
 public:
    explicit CallContext(Arena& arena) : arena_(&arena) {}
    virtual ~CallContext() = default;

    // Memory that lives until the reply has been sent: results may point into it.
    Arena& arena() { return *arena_; }

    Outcome outcome() const { return outcome_; }
    void set_outcome(Outcome outcome) { outcome_ = outcome; }

    // What a procedure that is not implemented returns.
    template <class T>
    T unavailable() {
        outcome_ = Outcome::procedure_unavailable;
        return T();
    }

 private:
    Arena* arena_;
    Outcome outcome_ = Outcome::success;
};

// `@word argument` from the schema's comments.
struct ProcedureNote {
    std::string_view word;
    std::string_view argument;
};

struct ProcedureInfo {
    std::uint32_t number = 0;
    std::string_view name;        // NFSPROC3_READ
    std::string_view short_name;  // READ
    bool idempotent = false;      // @idempotent: running it twice is as good as once
    std::span<const ProcedureNote> notes;
    // Arguments from `in`, the call, results to `out`. `service` is the version's own Service.
    Outcome (*serve)(void* service, CallContext& call, Reader& in, Writer& out) = nullptr;

    const ProcedureNote* note(std::string_view word) const {
        for (const ProcedureNote& one : notes)
            if (one.word == word) return &one;
        return nullptr;
    }
};

struct VersionInfo {
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::string_view program_name;
    std::string_view version_name;
    std::span<const ProcedureInfo> procedures;  // by number, gaps left out

    const ProcedureInfo* procedure(std::uint32_t number) const {
        // Numbers are dense nearly everywhere: the place is the number, or a little before it.
        std::size_t at = number < procedures.size() ? number : procedures.size();
        if (at < procedures.size() && procedures[at].number == number) return &procedures[at];
        while (at > 0)
            if (procedures[--at].number == number) return &procedures[at];
        return nullptr;
    }
};

// One version of one program, as a server keeps it in its table.
class ServiceBase {
 public:
    virtual ~ServiceBase() = default;
    virtual const VersionInfo& info() const = 0;
    virtual Outcome serve(std::uint32_t procedure, CallContext& call, Reader& in, Writer& out) = 0;
};

// Why a call through a stub gave no result.
struct CallError {
    Outcome outcome = Outcome::unreachable;
    DecodeError detail;  // when arguments or results did not fit
};

// Where a client stub's calls go. Arguments are written where they are sent from, results read
// where they arrived; they are valid until the next begin().
class Channel {
 public:
    virtual ~Channel() = default;
    virtual Writer& begin(const VersionInfo& version, const ProcedureInfo& procedure) = 0;
    // Sends what was written and waits; nullptr when there is no result, and why() then says why.
    virtual Reader* exchange() = 0;
    virtual CallError why() const = 0;
};

}  // namespace helio::xdr
