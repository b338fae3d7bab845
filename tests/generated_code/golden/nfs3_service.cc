// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3_service.h"

#include "helio/xdr/plain.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

namespace {

xdr::Outcome serve_NFS_V3_NULL(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    if (!(in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    self.NULL_(call);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<nullptr>(
            self, &NFS_V3::Service::NULL_async, call);
    return xdr::Outcome::success;
}

xdr::Outcome serve_NFS_V3_GETATTR(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    GETATTR3args argument1{};
    if (!(decode_GETATTR3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.GETATTR(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_GETATTR3res>(
            self, &NFS_V3::Service::GETATTR_async, call, call.keep(argument1));
    return encode_GETATTR3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_SETATTR(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    SETATTR3args argument1{};
    if (!(decode_SETATTR3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.SETATTR(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_SETATTR3res>(
            self, &NFS_V3::Service::SETATTR_async, call, call.keep(argument1));
    return encode_SETATTR3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_LOOKUP(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    LOOKUP3args argument1{};
    if (!(decode_LOOKUP3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.LOOKUP(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_LOOKUP3res>(
            self, &NFS_V3::Service::LOOKUP_async, call, call.keep(argument1));
    return encode_LOOKUP3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_ACCESS(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    ACCESS3args argument1{};
    if (!(decode_ACCESS3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.ACCESS(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_ACCESS3res>(
            self, &NFS_V3::Service::ACCESS_async, call, call.keep(argument1));
    return encode_ACCESS3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_READLINK(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    READLINK3args argument1{};
    if (!(decode_READLINK3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.READLINK(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_READLINK3res>(
            self, &NFS_V3::Service::READLINK_async, call, call.keep(argument1));
    return encode_READLINK3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_READ(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    READ3args argument1{};
    if (!(decode_READ3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.READ(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_READ3res>(
            self, &NFS_V3::Service::READ_async, call, call.keep(argument1));
    return encode_READ3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_WRITE(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    WRITE3args argument1{};
    if (!(decode_WRITE3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.WRITE(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_WRITE3res>(
            self, &NFS_V3::Service::WRITE_async, call, call.keep(argument1));
    return encode_WRITE3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_CREATE(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    CREATE3args argument1{};
    if (!(decode_CREATE3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.CREATE(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_CREATE3res>(
            self, &NFS_V3::Service::CREATE_async, call, call.keep(argument1));
    return encode_CREATE3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_MKDIR(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    MKDIR3args argument1{};
    if (!(decode_MKDIR3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.MKDIR(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_MKDIR3res>(
            self, &NFS_V3::Service::MKDIR_async, call, call.keep(argument1));
    return encode_MKDIR3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_SYMLINK(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    SYMLINK3args argument1{};
    if (!(decode_SYMLINK3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.SYMLINK(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_SYMLINK3res>(
            self, &NFS_V3::Service::SYMLINK_async, call, call.keep(argument1));
    return encode_SYMLINK3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_MKNOD(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    MKNOD3args argument1{};
    if (!(decode_MKNOD3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.MKNOD(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_MKNOD3res>(
            self, &NFS_V3::Service::MKNOD_async, call, call.keep(argument1));
    return encode_MKNOD3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_REMOVE(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    REMOVE3args argument1{};
    if (!(decode_REMOVE3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.REMOVE(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_REMOVE3res>(
            self, &NFS_V3::Service::REMOVE_async, call, call.keep(argument1));
    return encode_REMOVE3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_RMDIR(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    RMDIR3args argument1{};
    if (!(decode_RMDIR3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.RMDIR(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_RMDIR3res>(
            self, &NFS_V3::Service::RMDIR_async, call, call.keep(argument1));
    return encode_RMDIR3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_RENAME(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    RENAME3args argument1{};
    if (!(decode_RENAME3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.RENAME(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_RENAME3res>(
            self, &NFS_V3::Service::RENAME_async, call, call.keep(argument1));
    return encode_RENAME3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_LINK(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    LINK3args argument1{};
    if (!(decode_LINK3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.LINK(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_LINK3res>(
            self, &NFS_V3::Service::LINK_async, call, call.keep(argument1));
    return encode_LINK3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_READDIR(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    READDIR3args argument1{};
    if (!(decode_READDIR3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.READDIR(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_READDIR3res>(
            self, &NFS_V3::Service::READDIR_async, call, call.keep(argument1));
    return encode_READDIR3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_READDIRPLUS(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    READDIRPLUS3args argument1{};
    if (!(decode_READDIRPLUS3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.READDIRPLUS(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_READDIRPLUS3res>(
            self, &NFS_V3::Service::READDIRPLUS_async, call, call.keep(argument1));
    return encode_READDIRPLUS3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_FSSTAT(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    FSSTAT3args argument1{};
    if (!(decode_FSSTAT3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.FSSTAT(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_FSSTAT3res>(
            self, &NFS_V3::Service::FSSTAT_async, call, call.keep(argument1));
    return encode_FSSTAT3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_FSINFO(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    FSINFO3args argument1{};
    if (!(decode_FSINFO3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.FSINFO(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_FSINFO3res>(
            self, &NFS_V3::Service::FSINFO_async, call, call.keep(argument1));
    return encode_FSINFO3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_PATHCONF(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    PATHCONF3args argument1{};
    if (!(decode_PATHCONF3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.PATHCONF(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_PATHCONF3res>(
            self, &NFS_V3::Service::PATHCONF_async, call, call.keep(argument1));
    return encode_PATHCONF3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_NFS_V3_COMMIT(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    COMMIT3args argument1{};
    if (!(decode_COMMIT3args(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<NFS_V3::Service*>(service);
    const auto result = self.COMMIT(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_COMMIT3res>(
            self, &NFS_V3::Service::COMMIT_async, call, call.keep(argument1));
    return encode_COMMIT3res(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

namespace table_of_NFS_V3 {
constexpr xdr::ProcedureNote kNotes_NULL[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_GETATTR[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_LOOKUP[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_ACCESS[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_READLINK[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_READ[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_WRITE[] = {{"idempotent", ""}, {"overwrites", ""}};
constexpr xdr::ProcedureNote kNotes_READDIR[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_READDIRPLUS[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_FSSTAT[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_FSINFO[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_PATHCONF[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_COMMIT[] = {{"idempotent", ""}};
constexpr xdr::ProcedureInfo kProcedures[22] = {
    {0u, "NFSPROC3_NULL", "NULL", true, kNotes_NULL, serve_NFS_V3_NULL, false, 0u},
    {1u, "NFSPROC3_GETATTR", "GETATTR", true, kNotes_GETATTR, serve_NFS_V3_GETATTR, false, 88u},
    {2u, "NFSPROC3_SETATTR", "SETATTR", false, {}, serve_NFS_V3_SETATTR, false, 120u},
    {3u, "NFSPROC3_LOOKUP", "LOOKUP", true, kNotes_LOOKUP, serve_NFS_V3_LOOKUP, false, 248u},
    {4u, "NFSPROC3_ACCESS", "ACCESS", true, kNotes_ACCESS, serve_NFS_V3_ACCESS, false, 96u},
    {5u, "NFSPROC3_READLINK", "READLINK", true, kNotes_READLINK, serve_NFS_V3_READLINK, true, 96u},
    {6u, "NFSPROC3_READ", "READ", true, kNotes_READ, serve_NFS_V3_READ, true, 104u},
    {7u, "NFSPROC3_WRITE", "WRITE", true, kNotes_WRITE, serve_NFS_V3_WRITE, false, 136u},
    {8u, "NFSPROC3_CREATE", "CREATE", false, {}, serve_NFS_V3_CREATE, false, 280u},
    {9u, "NFSPROC3_MKDIR", "MKDIR", false, {}, serve_NFS_V3_MKDIR, false, 280u},
    {10u, "NFSPROC3_SYMLINK", "SYMLINK", false, {}, serve_NFS_V3_SYMLINK, false, 280u},
    {11u, "NFSPROC3_MKNOD", "MKNOD", false, {}, serve_NFS_V3_MKNOD, false, 280u},
    {12u, "NFSPROC3_REMOVE", "REMOVE", false, {}, serve_NFS_V3_REMOVE, false, 120u},
    {13u, "NFSPROC3_RMDIR", "RMDIR", false, {}, serve_NFS_V3_RMDIR, false, 120u},
    {14u, "NFSPROC3_RENAME", "RENAME", false, {}, serve_NFS_V3_RENAME, false, 236u},
    {15u, "NFSPROC3_LINK", "LINK", false, {}, serve_NFS_V3_LINK, false, 208u},
    {16u, "NFSPROC3_READDIR", "READDIR", true, kNotes_READDIR, serve_NFS_V3_READDIR, false, xdr::kUnbounded},
    {17u, "NFSPROC3_READDIRPLUS", "READDIRPLUS", true, kNotes_READDIRPLUS, serve_NFS_V3_READDIRPLUS, false, xdr::kUnbounded},
    {18u, "NFSPROC3_FSSTAT", "FSSTAT", true, kNotes_FSSTAT, serve_NFS_V3_FSSTAT, false, 144u},
    {19u, "NFSPROC3_FSINFO", "FSINFO", true, kNotes_FSINFO, serve_NFS_V3_FSINFO, false, 140u},
    {20u, "NFSPROC3_PATHCONF", "PATHCONF", true, kNotes_PATHCONF, serve_NFS_V3_PATHCONF, false, 116u},
    {21u, "NFSPROC3_COMMIT", "COMMIT", true, kNotes_COMMIT, serve_NFS_V3_COMMIT, false, 128u},
};
constexpr xdr::VersionInfo kInfo{100003u, 3u, "NFS_PROGRAM", "NFS_V3", std::span{kProcedures, 22}};
}  // namespace table_of_NFS_V3

}  // namespace

const xdr::VersionInfo& NFS_V3::info() { return table_of_NFS_V3::kInfo; }

void NFS_V3::Service::NULL_(xdr::CallContext& call) { return call.wait<void>(); }
::helio::Task<void> NFS_V3::Service::NULL_async(xdr::CallContext&) { return {}; }
GETATTR3res NFS_V3::Service::GETATTR(xdr::CallContext& call, const GETATTR3args&) { return call.wait<GETATTR3res>(); }
::helio::Task<GETATTR3res> NFS_V3::Service::GETATTR_async(xdr::CallContext&, const GETATTR3args&) { return {}; }
SETATTR3res NFS_V3::Service::SETATTR(xdr::CallContext& call, const SETATTR3args&) { return call.wait<SETATTR3res>(); }
::helio::Task<SETATTR3res> NFS_V3::Service::SETATTR_async(xdr::CallContext&, const SETATTR3args&) { return {}; }
LOOKUP3res NFS_V3::Service::LOOKUP(xdr::CallContext& call, const LOOKUP3args&) { return call.wait<LOOKUP3res>(); }
::helio::Task<LOOKUP3res> NFS_V3::Service::LOOKUP_async(xdr::CallContext&, const LOOKUP3args&) { return {}; }
ACCESS3res NFS_V3::Service::ACCESS(xdr::CallContext& call, const ACCESS3args&) { return call.wait<ACCESS3res>(); }
::helio::Task<ACCESS3res> NFS_V3::Service::ACCESS_async(xdr::CallContext&, const ACCESS3args&) { return {}; }
READLINK3res NFS_V3::Service::READLINK(xdr::CallContext& call, const READLINK3args&) { return call.wait<READLINK3res>(); }
::helio::Task<READLINK3res> NFS_V3::Service::READLINK_async(xdr::CallContext&, const READLINK3args&) { return {}; }
READ3res NFS_V3::Service::READ(xdr::CallContext& call, const READ3args&) { return call.wait<READ3res>(); }
::helio::Task<READ3res> NFS_V3::Service::READ_async(xdr::CallContext&, const READ3args&) { return {}; }
WRITE3res NFS_V3::Service::WRITE(xdr::CallContext& call, const WRITE3args&) { return call.wait<WRITE3res>(); }
::helio::Task<WRITE3res> NFS_V3::Service::WRITE_async(xdr::CallContext&, const WRITE3args&) { return {}; }
CREATE3res NFS_V3::Service::CREATE(xdr::CallContext& call, const CREATE3args&) { return call.wait<CREATE3res>(); }
::helio::Task<CREATE3res> NFS_V3::Service::CREATE_async(xdr::CallContext&, const CREATE3args&) { return {}; }
MKDIR3res NFS_V3::Service::MKDIR(xdr::CallContext& call, const MKDIR3args&) { return call.wait<MKDIR3res>(); }
::helio::Task<MKDIR3res> NFS_V3::Service::MKDIR_async(xdr::CallContext&, const MKDIR3args&) { return {}; }
SYMLINK3res NFS_V3::Service::SYMLINK(xdr::CallContext& call, const SYMLINK3args&) { return call.wait<SYMLINK3res>(); }
::helio::Task<SYMLINK3res> NFS_V3::Service::SYMLINK_async(xdr::CallContext&, const SYMLINK3args&) { return {}; }
MKNOD3res NFS_V3::Service::MKNOD(xdr::CallContext& call, const MKNOD3args&) { return call.wait<MKNOD3res>(); }
::helio::Task<MKNOD3res> NFS_V3::Service::MKNOD_async(xdr::CallContext&, const MKNOD3args&) { return {}; }
REMOVE3res NFS_V3::Service::REMOVE(xdr::CallContext& call, const REMOVE3args&) { return call.wait<REMOVE3res>(); }
::helio::Task<REMOVE3res> NFS_V3::Service::REMOVE_async(xdr::CallContext&, const REMOVE3args&) { return {}; }
RMDIR3res NFS_V3::Service::RMDIR(xdr::CallContext& call, const RMDIR3args&) { return call.wait<RMDIR3res>(); }
::helio::Task<RMDIR3res> NFS_V3::Service::RMDIR_async(xdr::CallContext&, const RMDIR3args&) { return {}; }
RENAME3res NFS_V3::Service::RENAME(xdr::CallContext& call, const RENAME3args&) { return call.wait<RENAME3res>(); }
::helio::Task<RENAME3res> NFS_V3::Service::RENAME_async(xdr::CallContext&, const RENAME3args&) { return {}; }
LINK3res NFS_V3::Service::LINK(xdr::CallContext& call, const LINK3args&) { return call.wait<LINK3res>(); }
::helio::Task<LINK3res> NFS_V3::Service::LINK_async(xdr::CallContext&, const LINK3args&) { return {}; }
READDIR3res NFS_V3::Service::READDIR(xdr::CallContext& call, const READDIR3args&) { return call.wait<READDIR3res>(); }
::helio::Task<READDIR3res> NFS_V3::Service::READDIR_async(xdr::CallContext&, const READDIR3args&) { return {}; }
READDIRPLUS3res NFS_V3::Service::READDIRPLUS(xdr::CallContext& call, const READDIRPLUS3args&) { return call.wait<READDIRPLUS3res>(); }
::helio::Task<READDIRPLUS3res> NFS_V3::Service::READDIRPLUS_async(xdr::CallContext&, const READDIRPLUS3args&) { return {}; }
FSSTAT3res NFS_V3::Service::FSSTAT(xdr::CallContext& call, const FSSTAT3args&) { return call.wait<FSSTAT3res>(); }
::helio::Task<FSSTAT3res> NFS_V3::Service::FSSTAT_async(xdr::CallContext&, const FSSTAT3args&) { return {}; }
FSINFO3res NFS_V3::Service::FSINFO(xdr::CallContext& call, const FSINFO3args&) { return call.wait<FSINFO3res>(); }
::helio::Task<FSINFO3res> NFS_V3::Service::FSINFO_async(xdr::CallContext&, const FSINFO3args&) { return {}; }
PATHCONF3res NFS_V3::Service::PATHCONF(xdr::CallContext& call, const PATHCONF3args&) { return call.wait<PATHCONF3res>(); }
::helio::Task<PATHCONF3res> NFS_V3::Service::PATHCONF_async(xdr::CallContext&, const PATHCONF3args&) { return {}; }
COMMIT3res NFS_V3::Service::COMMIT(xdr::CallContext& call, const COMMIT3args&) { return call.wait<COMMIT3res>(); }
::helio::Task<COMMIT3res> NFS_V3::Service::COMMIT_async(xdr::CallContext&, const COMMIT3args&) { return {}; }

::helio::Result<void, xdr::CallError> NFS_V3::Client::NULL_() {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[0]);
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    if (!(in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return {};
}

xdr::Call<void> NFS_V3::AsyncClient::NULL_() {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[0]);
    call->send();
    return xdr::Call<void>{std::move(call)};
}

::helio::Result<GETATTR3res, xdr::CallError> NFS_V3::Client::GETATTR(const GETATTR3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[1]);
    if (!encode_GETATTR3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    GETATTR3res result{};
    if (!(decode_GETATTR3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<GETATTR3res> NFS_V3::AsyncClient::GETATTR(const GETATTR3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[1]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_GETATTR3args(out, argument1));
    return {std::move(call), decode_GETATTR3res};
}

::helio::Result<SETATTR3res, xdr::CallError> NFS_V3::Client::SETATTR(const SETATTR3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[2]);
    if (!encode_SETATTR3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    SETATTR3res result{};
    if (!(decode_SETATTR3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<SETATTR3res> NFS_V3::AsyncClient::SETATTR(const SETATTR3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[2]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_SETATTR3args(out, argument1));
    return {std::move(call), decode_SETATTR3res};
}

::helio::Result<LOOKUP3res, xdr::CallError> NFS_V3::Client::LOOKUP(const LOOKUP3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[3]);
    if (!encode_LOOKUP3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    LOOKUP3res result{};
    if (!(decode_LOOKUP3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<LOOKUP3res> NFS_V3::AsyncClient::LOOKUP(const LOOKUP3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[3]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_LOOKUP3args(out, argument1));
    return {std::move(call), decode_LOOKUP3res};
}

::helio::Result<ACCESS3res, xdr::CallError> NFS_V3::Client::ACCESS(const ACCESS3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[4]);
    if (!encode_ACCESS3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    ACCESS3res result{};
    if (!(decode_ACCESS3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<ACCESS3res> NFS_V3::AsyncClient::ACCESS(const ACCESS3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[4]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_ACCESS3args(out, argument1));
    return {std::move(call), decode_ACCESS3res};
}

::helio::Result<READLINK3res, xdr::CallError> NFS_V3::Client::READLINK(const READLINK3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[5]);
    if (!encode_READLINK3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    READLINK3res result{};
    if (!(decode_READLINK3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<READLINK3res> NFS_V3::AsyncClient::READLINK(const READLINK3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[5]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_READLINK3args(out, argument1));
    return {std::move(call), decode_READLINK3res};
}

::helio::Result<READ3res, xdr::CallError> NFS_V3::Client::READ(const READ3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[6]);
    if (!encode_READ3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    READ3res result{};
    if (!(decode_READ3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<READ3res> NFS_V3::AsyncClient::READ(const READ3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[6]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_READ3args(out, argument1));
    return {std::move(call), decode_READ3res};
}

::helio::Result<WRITE3res, xdr::CallError> NFS_V3::Client::WRITE(const WRITE3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[7]);
    if (!encode_WRITE3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    WRITE3res result{};
    if (!(decode_WRITE3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<WRITE3res> NFS_V3::AsyncClient::WRITE(const WRITE3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[7]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_WRITE3args(out, argument1));
    return {std::move(call), decode_WRITE3res};
}

::helio::Result<CREATE3res, xdr::CallError> NFS_V3::Client::CREATE(const CREATE3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[8]);
    if (!encode_CREATE3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    CREATE3res result{};
    if (!(decode_CREATE3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<CREATE3res> NFS_V3::AsyncClient::CREATE(const CREATE3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[8]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_CREATE3args(out, argument1));
    return {std::move(call), decode_CREATE3res};
}

::helio::Result<MKDIR3res, xdr::CallError> NFS_V3::Client::MKDIR(const MKDIR3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[9]);
    if (!encode_MKDIR3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    MKDIR3res result{};
    if (!(decode_MKDIR3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<MKDIR3res> NFS_V3::AsyncClient::MKDIR(const MKDIR3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[9]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_MKDIR3args(out, argument1));
    return {std::move(call), decode_MKDIR3res};
}

::helio::Result<SYMLINK3res, xdr::CallError> NFS_V3::Client::SYMLINK(const SYMLINK3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[10]);
    if (!encode_SYMLINK3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    SYMLINK3res result{};
    if (!(decode_SYMLINK3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<SYMLINK3res> NFS_V3::AsyncClient::SYMLINK(const SYMLINK3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[10]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_SYMLINK3args(out, argument1));
    return {std::move(call), decode_SYMLINK3res};
}

::helio::Result<MKNOD3res, xdr::CallError> NFS_V3::Client::MKNOD(const MKNOD3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[11]);
    if (!encode_MKNOD3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    MKNOD3res result{};
    if (!(decode_MKNOD3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<MKNOD3res> NFS_V3::AsyncClient::MKNOD(const MKNOD3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[11]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_MKNOD3args(out, argument1));
    return {std::move(call), decode_MKNOD3res};
}

::helio::Result<REMOVE3res, xdr::CallError> NFS_V3::Client::REMOVE(const REMOVE3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[12]);
    if (!encode_REMOVE3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    REMOVE3res result{};
    if (!(decode_REMOVE3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<REMOVE3res> NFS_V3::AsyncClient::REMOVE(const REMOVE3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[12]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_REMOVE3args(out, argument1));
    return {std::move(call), decode_REMOVE3res};
}

::helio::Result<RMDIR3res, xdr::CallError> NFS_V3::Client::RMDIR(const RMDIR3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[13]);
    if (!encode_RMDIR3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    RMDIR3res result{};
    if (!(decode_RMDIR3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<RMDIR3res> NFS_V3::AsyncClient::RMDIR(const RMDIR3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[13]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_RMDIR3args(out, argument1));
    return {std::move(call), decode_RMDIR3res};
}

::helio::Result<RENAME3res, xdr::CallError> NFS_V3::Client::RENAME(const RENAME3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[14]);
    if (!encode_RENAME3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    RENAME3res result{};
    if (!(decode_RENAME3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<RENAME3res> NFS_V3::AsyncClient::RENAME(const RENAME3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[14]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_RENAME3args(out, argument1));
    return {std::move(call), decode_RENAME3res};
}

::helio::Result<LINK3res, xdr::CallError> NFS_V3::Client::LINK(const LINK3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[15]);
    if (!encode_LINK3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    LINK3res result{};
    if (!(decode_LINK3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<LINK3res> NFS_V3::AsyncClient::LINK(const LINK3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[15]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_LINK3args(out, argument1));
    return {std::move(call), decode_LINK3res};
}

::helio::Result<READDIR3res, xdr::CallError> NFS_V3::Client::READDIR(const READDIR3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[16]);
    if (!encode_READDIR3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    READDIR3res result{};
    if (!(decode_READDIR3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<READDIR3res> NFS_V3::AsyncClient::READDIR(const READDIR3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[16]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_READDIR3args(out, argument1));
    return {std::move(call), decode_READDIR3res};
}

::helio::Result<READDIRPLUS3res, xdr::CallError> NFS_V3::Client::READDIRPLUS(const READDIRPLUS3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[17]);
    if (!encode_READDIRPLUS3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    READDIRPLUS3res result{};
    if (!(decode_READDIRPLUS3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<READDIRPLUS3res> NFS_V3::AsyncClient::READDIRPLUS(const READDIRPLUS3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[17]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_READDIRPLUS3args(out, argument1));
    return {std::move(call), decode_READDIRPLUS3res};
}

::helio::Result<FSSTAT3res, xdr::CallError> NFS_V3::Client::FSSTAT(const FSSTAT3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[18]);
    if (!encode_FSSTAT3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    FSSTAT3res result{};
    if (!(decode_FSSTAT3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<FSSTAT3res> NFS_V3::AsyncClient::FSSTAT(const FSSTAT3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[18]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_FSSTAT3args(out, argument1));
    return {std::move(call), decode_FSSTAT3res};
}

::helio::Result<FSINFO3res, xdr::CallError> NFS_V3::Client::FSINFO(const FSINFO3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[19]);
    if (!encode_FSINFO3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    FSINFO3res result{};
    if (!(decode_FSINFO3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<FSINFO3res> NFS_V3::AsyncClient::FSINFO(const FSINFO3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[19]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_FSINFO3args(out, argument1));
    return {std::move(call), decode_FSINFO3res};
}

::helio::Result<PATHCONF3res, xdr::CallError> NFS_V3::Client::PATHCONF(const PATHCONF3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[20]);
    if (!encode_PATHCONF3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    PATHCONF3res result{};
    if (!(decode_PATHCONF3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<PATHCONF3res> NFS_V3::AsyncClient::PATHCONF(const PATHCONF3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[20]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_PATHCONF3args(out, argument1));
    return {std::move(call), decode_PATHCONF3res};
}

::helio::Result<COMMIT3res, xdr::CallError> NFS_V3::Client::COMMIT(const COMMIT3args& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[21]);
    if (!encode_COMMIT3args(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    COMMIT3res result{};
    if (!(decode_COMMIT3res(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<COMMIT3res> NFS_V3::AsyncClient::COMMIT(const COMMIT3args& argument1) {
    auto call = channel_.begin(NFS_V3::info(), NFS_V3::info().procedures[21]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_COMMIT3args(out, argument1));
    return {std::move(call), decode_COMMIT3res};
}

}  // namespace helio::nfs3
