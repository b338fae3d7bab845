#include <array>
#include <cstring>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "helio/load/nfs/v3/v3.h"
#include "schema/nfs3_service.h"

namespace helio::load::nfs::v3 {

namespace {

struct Procedure {
    const char* name;
    std::uint32_t number;
};
// Indexed by Kind, those of version 3.
constexpr std::array<Procedure, 10> kProcedures{{{"NULL", 0},
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

std::string status_name(std::uint32_t status) {
    const auto name = nfs3::to_string(static_cast<nfs3::nfsstat3>(status));
    return name.empty() ? std::to_string(status) : std::string(name);
}

Answer::Attributes attributes_of(const nfs3::fattr3& from) {
    return {from.type == nfs3::NF3REG, from.fileid, from.size};
}

void take(Answer& answer, const nfs3::GETATTR3resok& result) {
    answer.attributes = attributes_of(result.obj_attributes);
}
void take(Answer& answer, const nfs3::LOOKUP3resok& result) {
    if (result.obj_attributes) answer.attributes = attributes_of(*result.obj_attributes);
    answer.handle = result.object.data;
}
void take(Answer& answer, const nfs3::ACCESS3resok& result) { answer.rights = result.access; }
void take(Answer& answer, const nfs3::READ3resok& result) {
    answer.count = result.count;
    answer.eof = result.eof;
    answer.data = result.data;
}
void take(Answer& answer, const nfs3::WRITE3resok& result) {
    answer.count = result.count;
    answer.committed = static_cast<std::uint32_t>(result.committed);
    answer.verifier = result.verf;
}
void take(Answer& answer, const nfs3::CREATE3resok& result) {
    if (result.obj_attributes) answer.attributes = attributes_of(*result.obj_attributes);
}
void take(Answer& answer, const nfs3::READDIRPLUS3resok& result) {
    for (const nfs3::entryplus3* one = result.reply.entries; one != nullptr; one = one->nextentry)
        answer.entries.push_back({one->name, one->cookie, one->name_attributes.has_value()});
    answer.verifier = result.cookieverf;
    answer.eof = result.reply.eof;
}
void take(Answer&, const nfs3::REMOVE3resok&) {}
void take(Answer&, const nfs3::FSINFO3resok&) {}

template <class Result, class Decode>
bool decoded(xdr::Reader& in, Answer& answer, Decode decode) {
    Result result;
    if (!decode(in, result) || !in.finish()) {
        answer.fault = "the result cannot be decoded";
        answer.detail = " (" + xdr::to_string(in.error()) + ")";
        return false;
    }
    if (!result.has_resok()) [[unlikely]] {
        const auto name = nfs3::to_string(result.status());
        answer.fault = name.empty() ? "a status that is not in RFC 1813" : std::string(name);
        return false;
    }
    take(answer, result.resok());
    return true;
}

class CallsV3 final : public Calls {
 public:
    bool write(std::size_t, const Request& request, xdr::Writer& out) override;
    bool read(std::size_t, const Request& request, xdr::Reader& in, Answer& answer) override;
    AfterLoss lost(std::size_t) override { return AfterLoss::go_on; }
};

bool CallsV3::write(std::size_t, const Request& request, xdr::Writer& out) {
    const auto file = [&] { return nfs3::nfs_fh3{request.file->handle.bytes()}; };
    const auto directory = [&] { return nfs3::nfs_fh3{request.directory->bytes()}; };
    const auto where = [&] { return nfs3::diropargs3{directory(), request.name}; };
    switch (request.kind) {
        case Kind::null:
            return true;
        case Kind::getattr:
            return nfs3::encode_GETATTR3args(out, {file()});
        case Kind::lookup:
            return nfs3::encode_LOOKUP3args(out, {where()});
        case Kind::access:
            return nfs3::encode_ACCESS3args(out, {file(), kAccessAsked});
        case Kind::read:
            return nfs3::encode_READ3args(out, {file(), request.offset, request.count});
        case Kind::write:
            return nfs3::encode_WRITE3args(
                out, {file(), request.offset, request.count,
                      static_cast<nfs3::stable_how>(request.stable), request.data});
        case Kind::create: {
            nfs3::CREATE3args arguments;
            arguments.where = where();
            arguments.how.emplace_obj_attributes(nfs3::GUARDED).mode = kFileMode;
            return nfs3::encode_CREATE3args(out, arguments);
        }
        case Kind::remove:
            return nfs3::encode_REMOVE3args(out, {where()});
        case Kind::readdirplus:
            return nfs3::encode_READDIRPLUS3args(
                out, {directory(), request.cookie, request.verifier, request.reply_bytes,
                      request.reply_bytes});
        case Kind::fsinfo:
            return nfs3::encode_FSINFO3args(out, {directory()});
        case Kind::open:
        case Kind::read_opened:
        case Kind::close:
        case Kind::lock:
        case Kind::unlock:
            break;  // program_of() has refused them
    }
    return false;
}

bool CallsV3::read(std::size_t, const Request& request, xdr::Reader& in, Answer& answer) {
    switch (request.kind) {
        case Kind::null:
            if (!in.rest().empty()) answer.fault = "an unexpected result";
            return answer.fault.empty();
        case Kind::getattr:
            return decoded<nfs3::GETATTR3res>(in, answer, nfs3::decode_GETATTR3res);
        case Kind::lookup:
            return decoded<nfs3::LOOKUP3res>(in, answer, nfs3::decode_LOOKUP3res);
        case Kind::access:
            return decoded<nfs3::ACCESS3res>(in, answer, nfs3::decode_ACCESS3res);
        case Kind::read:
            return decoded<nfs3::READ3res>(in, answer, nfs3::decode_READ3res);
        case Kind::write:
            return decoded<nfs3::WRITE3res>(in, answer, nfs3::decode_WRITE3res);
        case Kind::create:
            return decoded<nfs3::CREATE3res>(in, answer, nfs3::decode_CREATE3res);
        case Kind::remove:
            return decoded<nfs3::REMOVE3res>(in, answer, nfs3::decode_REMOVE3res);
        case Kind::readdirplus:
            return decoded<nfs3::READDIRPLUS3res>(in, answer, nfs3::decode_READDIRPLUS3res);
        case Kind::fsinfo:
            return decoded<nfs3::FSINFO3res>(in, answer, nfs3::decode_FSINFO3res);
        case Kind::open:
        case Kind::read_opened:
        case Kind::close:
        case Kind::lock:
        case Kind::unlock:
            break;
    }
    return false;
}

}  // namespace

std::string_view name_of(Kind kind) { return procedure(kind).name; }

Step step_of(Kind kind) {
    const xdr::VersionInfo& nfs = nfs3::NFS_V3::info();
    Step step;
    step.name = fmt::format("nfs3.{}", procedure(kind).name);
    step.program = nfs.program;
    step.version = nfs.version;
    step.procedure = procedure(kind).number;
    step.version_info = &nfs;
    step.info = nfs.procedure(step.procedure);
    if (kind != Kind::null) step.status_name = status_name;
    return step;
}

std::unique_ptr<Calls> make_calls() { return std::make_unique<CallsV3>(); }

}  // namespace helio::load::nfs::v3
