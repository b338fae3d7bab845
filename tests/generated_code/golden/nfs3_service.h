// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/handler.h"
#include "schema/nfs3.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

// RFC 1813 §3.
struct NFS_V3 {
    static constexpr std::uint32_t program = 100003u;
    static constexpr std::uint32_t version = 3u;

    enum Procedure : std::uint32_t {
        NULL_ = 0u,
        GETATTR = 1u,
        SETATTR = 2u,
        LOOKUP = 3u,
        ACCESS = 4u,
        READLINK = 5u,
        READ = 6u,
        WRITE = 7u,
        CREATE = 8u,
        MKDIR = 9u,
        SYMLINK = 10u,
        MKNOD = 11u,
        REMOVE = 12u,
        RMDIR = 13u,
        RENAME = 14u,
        LINK = 15u,
        READDIR = 16u,
        READDIRPLUS = 17u,
        FSSTAT = 18u,
        FSINFO = 19u,
        PATHCONF = 20u,
        COMMIT = 21u,
    };

    static const xdr::VersionInfo& info();

    // A server derives from this and overrides, for each procedure it offers, one of two
    // functions or both; the rest is unavailable. X answers at once: it is fast and cannot
    // wait. X_async is a coroutine. With both, X tries without waiting, and hands over by
    // `return call.wait<Result>();`. Arguments are views that live as long as the call,
    // results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        // Nothing.
        virtual void NULL_(xdr::CallContext& call);
        virtual ::helio::Task<void> NULL_async(xdr::CallContext& call);
        // Attributes of a file.
        virtual GETATTR3res GETATTR(xdr::CallContext& call, const GETATTR3args& argument1);
        virtual ::helio::Task<GETATTR3res> GETATTR_async(xdr::CallContext& call, const GETATTR3args& argument1);
        // Changes attributes.
        virtual SETATTR3res SETATTR(xdr::CallContext& call, const SETATTR3args& argument1);
        virtual ::helio::Task<SETATTR3res> SETATTR_async(xdr::CallContext& call, const SETATTR3args& argument1);
        // The file a name stands for.
        virtual LOOKUP3res LOOKUP(xdr::CallContext& call, const LOOKUP3args& argument1);
        virtual ::helio::Task<LOOKUP3res> LOOKUP_async(xdr::CallContext& call, const LOOKUP3args& argument1);
        // What the caller may do.
        virtual ACCESS3res ACCESS(xdr::CallContext& call, const ACCESS3args& argument1);
        virtual ::helio::Task<ACCESS3res> ACCESS_async(xdr::CallContext& call, const ACCESS3args& argument1);
        // Text of a symbolic link.
        virtual READLINK3res READLINK(xdr::CallContext& call, const READLINK3args& argument1);
        virtual ::helio::Task<READLINK3res> READLINK_async(xdr::CallContext& call, const READLINK3args& argument1);
        // Bytes of a file.
        virtual READ3res READ(xdr::CallContext& call, const READ3args& argument1);
        virtual ::helio::Task<READ3res> READ_async(xdr::CallContext& call, const READ3args& argument1);
        // Bytes to a file.
        virtual WRITE3res WRITE(xdr::CallContext& call, const WRITE3args& argument1);
        virtual ::helio::Task<WRITE3res> WRITE_async(xdr::CallContext& call, const WRITE3args& argument1);
        // Makes a regular file.
        virtual CREATE3res CREATE(xdr::CallContext& call, const CREATE3args& argument1);
        virtual ::helio::Task<CREATE3res> CREATE_async(xdr::CallContext& call, const CREATE3args& argument1);
        // Makes a directory.
        virtual MKDIR3res MKDIR(xdr::CallContext& call, const MKDIR3args& argument1);
        virtual ::helio::Task<MKDIR3res> MKDIR_async(xdr::CallContext& call, const MKDIR3args& argument1);
        // Makes a symbolic link.
        virtual SYMLINK3res SYMLINK(xdr::CallContext& call, const SYMLINK3args& argument1);
        virtual ::helio::Task<SYMLINK3res> SYMLINK_async(xdr::CallContext& call, const SYMLINK3args& argument1);
        // Makes a special file.
        virtual MKNOD3res MKNOD(xdr::CallContext& call, const MKNOD3args& argument1);
        virtual ::helio::Task<MKNOD3res> MKNOD_async(xdr::CallContext& call, const MKNOD3args& argument1);
        // Removes a name of a file.
        virtual REMOVE3res REMOVE(xdr::CallContext& call, const REMOVE3args& argument1);
        virtual ::helio::Task<REMOVE3res> REMOVE_async(xdr::CallContext& call, const REMOVE3args& argument1);
        // Removes an empty directory.
        virtual RMDIR3res RMDIR(xdr::CallContext& call, const RMDIR3args& argument1);
        virtual ::helio::Task<RMDIR3res> RMDIR_async(xdr::CallContext& call, const RMDIR3args& argument1);
        // Moves a name, in one step.
        virtual RENAME3res RENAME(xdr::CallContext& call, const RENAME3args& argument1);
        virtual ::helio::Task<RENAME3res> RENAME_async(xdr::CallContext& call, const RENAME3args& argument1);
        // Adds a name.
        virtual LINK3res LINK(xdr::CallContext& call, const LINK3args& argument1);
        virtual ::helio::Task<LINK3res> LINK_async(xdr::CallContext& call, const LINK3args& argument1);
        // Names in a directory.
        virtual READDIR3res READDIR(xdr::CallContext& call, const READDIR3args& argument1);
        virtual ::helio::Task<READDIR3res> READDIR_async(xdr::CallContext& call, const READDIR3args& argument1);
        // Names in a directory with attributes and handles.
        virtual READDIRPLUS3res READDIRPLUS(xdr::CallContext& call, const READDIRPLUS3args& argument1);
        virtual ::helio::Task<READDIRPLUS3res> READDIRPLUS_async(xdr::CallContext& call, const READDIRPLUS3args& argument1);
        // How full the file system is.
        virtual FSSTAT3res FSSTAT(xdr::CallContext& call, const FSSTAT3args& argument1);
        virtual ::helio::Task<FSSTAT3res> FSSTAT_async(xdr::CallContext& call, const FSSTAT3args& argument1);
        // What the file system can do.
        virtual FSINFO3res FSINFO(xdr::CallContext& call, const FSINFO3args& argument1);
        virtual ::helio::Task<FSINFO3res> FSINFO_async(xdr::CallContext& call, const FSINFO3args& argument1);
        // POSIX limits.
        virtual PATHCONF3res PATHCONF(xdr::CallContext& call, const PATHCONF3args& argument1);
        virtual ::helio::Task<PATHCONF3res> PATHCONF_async(xdr::CallContext& call, const PATHCONF3args& argument1);
        // Unstable writes to disk.
        virtual COMMIT3res COMMIT(xdr::CallContext& call, const COMMIT3args& argument1);
        virtual ::helio::Task<COMMIT3res> COMMIT_async(xdr::CallContext& call, const COMMIT3args& argument1);

        const xdr::VersionInfo& info() const final { return NFS_V3::info(); }
        void* service() final { return this; }
    };

    // The same server as a table: a function or a coroutine for each procedure it offers.
    // See helio/xdr/handler.h.
    template <class Context, class Call = xdr::CallContext>
    struct Table {
        xdr::Handler<Context, Call, void()> NULL_{};
        xdr::Handler<Context, Call, GETATTR3res(GETATTR3args)> GETATTR{};
        xdr::Handler<Context, Call, SETATTR3res(SETATTR3args)> SETATTR{};
        xdr::Handler<Context, Call, LOOKUP3res(LOOKUP3args)> LOOKUP{};
        xdr::Handler<Context, Call, ACCESS3res(ACCESS3args)> ACCESS{};
        xdr::Handler<Context, Call, READLINK3res(READLINK3args)> READLINK{};
        xdr::Handler<Context, Call, READ3res(READ3args)> READ{};
        xdr::Handler<Context, Call, WRITE3res(WRITE3args)> WRITE{};
        xdr::Handler<Context, Call, CREATE3res(CREATE3args)> CREATE{};
        xdr::Handler<Context, Call, MKDIR3res(MKDIR3args)> MKDIR{};
        xdr::Handler<Context, Call, SYMLINK3res(SYMLINK3args)> SYMLINK{};
        xdr::Handler<Context, Call, MKNOD3res(MKNOD3args)> MKNOD{};
        xdr::Handler<Context, Call, REMOVE3res(REMOVE3args)> REMOVE{};
        xdr::Handler<Context, Call, RMDIR3res(RMDIR3args)> RMDIR{};
        xdr::Handler<Context, Call, RENAME3res(RENAME3args)> RENAME{};
        xdr::Handler<Context, Call, LINK3res(LINK3args)> LINK{};
        xdr::Handler<Context, Call, READDIR3res(READDIR3args)> READDIR{};
        xdr::Handler<Context, Call, READDIRPLUS3res(READDIRPLUS3args)> READDIRPLUS{};
        xdr::Handler<Context, Call, FSSTAT3res(FSSTAT3args)> FSSTAT{};
        xdr::Handler<Context, Call, FSINFO3res(FSINFO3args)> FSINFO{};
        xdr::Handler<Context, Call, PATHCONF3res(PATHCONF3args)> PATHCONF{};
        xdr::Handler<Context, Call, COMMIT3res(COMMIT3args)> COMMIT{};
    };

    // The context outlives the service.
    template <class Context, class Call = xdr::CallContext>
    class TableService final : public Service {
       public:
        TableService(Context& context, const Table<Context, Call>& table)
            : context_(context), table_(table) {}

        void NULL_(xdr::CallContext& call) override { return table_.NULL_(context_, call); }
        GETATTR3res GETATTR(xdr::CallContext& call, const GETATTR3args& argument1) override { return table_.GETATTR(context_, call, argument1); }
        SETATTR3res SETATTR(xdr::CallContext& call, const SETATTR3args& argument1) override { return table_.SETATTR(context_, call, argument1); }
        LOOKUP3res LOOKUP(xdr::CallContext& call, const LOOKUP3args& argument1) override { return table_.LOOKUP(context_, call, argument1); }
        ACCESS3res ACCESS(xdr::CallContext& call, const ACCESS3args& argument1) override { return table_.ACCESS(context_, call, argument1); }
        READLINK3res READLINK(xdr::CallContext& call, const READLINK3args& argument1) override { return table_.READLINK(context_, call, argument1); }
        READ3res READ(xdr::CallContext& call, const READ3args& argument1) override { return table_.READ(context_, call, argument1); }
        WRITE3res WRITE(xdr::CallContext& call, const WRITE3args& argument1) override { return table_.WRITE(context_, call, argument1); }
        CREATE3res CREATE(xdr::CallContext& call, const CREATE3args& argument1) override { return table_.CREATE(context_, call, argument1); }
        MKDIR3res MKDIR(xdr::CallContext& call, const MKDIR3args& argument1) override { return table_.MKDIR(context_, call, argument1); }
        SYMLINK3res SYMLINK(xdr::CallContext& call, const SYMLINK3args& argument1) override { return table_.SYMLINK(context_, call, argument1); }
        MKNOD3res MKNOD(xdr::CallContext& call, const MKNOD3args& argument1) override { return table_.MKNOD(context_, call, argument1); }
        REMOVE3res REMOVE(xdr::CallContext& call, const REMOVE3args& argument1) override { return table_.REMOVE(context_, call, argument1); }
        RMDIR3res RMDIR(xdr::CallContext& call, const RMDIR3args& argument1) override { return table_.RMDIR(context_, call, argument1); }
        RENAME3res RENAME(xdr::CallContext& call, const RENAME3args& argument1) override { return table_.RENAME(context_, call, argument1); }
        LINK3res LINK(xdr::CallContext& call, const LINK3args& argument1) override { return table_.LINK(context_, call, argument1); }
        READDIR3res READDIR(xdr::CallContext& call, const READDIR3args& argument1) override { return table_.READDIR(context_, call, argument1); }
        READDIRPLUS3res READDIRPLUS(xdr::CallContext& call, const READDIRPLUS3args& argument1) override { return table_.READDIRPLUS(context_, call, argument1); }
        FSSTAT3res FSSTAT(xdr::CallContext& call, const FSSTAT3args& argument1) override { return table_.FSSTAT(context_, call, argument1); }
        FSINFO3res FSINFO(xdr::CallContext& call, const FSINFO3args& argument1) override { return table_.FSINFO(context_, call, argument1); }
        PATHCONF3res PATHCONF(xdr::CallContext& call, const PATHCONF3args& argument1) override { return table_.PATHCONF(context_, call, argument1); }
        COMMIT3res COMMIT(xdr::CallContext& call, const COMMIT3args& argument1) override { return table_.COMMIT(context_, call, argument1); }

       private:
        Context& context_;
        const Table<Context, Call> table_;
    };

    // Results are views into the channel's last reply: valid until its next call.
    class Client final {
       public:
        explicit Client(xdr::Channel& channel) : channel_(channel) {}

        ::helio::Result<void, xdr::CallError> NULL_();
        ::helio::Result<GETATTR3res, xdr::CallError> GETATTR(const GETATTR3args& argument1);
        ::helio::Result<SETATTR3res, xdr::CallError> SETATTR(const SETATTR3args& argument1);
        ::helio::Result<LOOKUP3res, xdr::CallError> LOOKUP(const LOOKUP3args& argument1);
        ::helio::Result<ACCESS3res, xdr::CallError> ACCESS(const ACCESS3args& argument1);
        ::helio::Result<READLINK3res, xdr::CallError> READLINK(const READLINK3args& argument1);
        ::helio::Result<READ3res, xdr::CallError> READ(const READ3args& argument1);
        ::helio::Result<WRITE3res, xdr::CallError> WRITE(const WRITE3args& argument1);
        ::helio::Result<CREATE3res, xdr::CallError> CREATE(const CREATE3args& argument1);
        ::helio::Result<MKDIR3res, xdr::CallError> MKDIR(const MKDIR3args& argument1);
        ::helio::Result<SYMLINK3res, xdr::CallError> SYMLINK(const SYMLINK3args& argument1);
        ::helio::Result<MKNOD3res, xdr::CallError> MKNOD(const MKNOD3args& argument1);
        ::helio::Result<REMOVE3res, xdr::CallError> REMOVE(const REMOVE3args& argument1);
        ::helio::Result<RMDIR3res, xdr::CallError> RMDIR(const RMDIR3args& argument1);
        ::helio::Result<RENAME3res, xdr::CallError> RENAME(const RENAME3args& argument1);
        ::helio::Result<LINK3res, xdr::CallError> LINK(const LINK3args& argument1);
        ::helio::Result<READDIR3res, xdr::CallError> READDIR(const READDIR3args& argument1);
        ::helio::Result<READDIRPLUS3res, xdr::CallError> READDIRPLUS(const READDIRPLUS3args& argument1);
        ::helio::Result<FSSTAT3res, xdr::CallError> FSSTAT(const FSSTAT3args& argument1);
        ::helio::Result<FSINFO3res, xdr::CallError> FSINFO(const FSINFO3args& argument1);
        ::helio::Result<PATHCONF3res, xdr::CallError> PATHCONF(const PATHCONF3args& argument1);
        ::helio::Result<COMMIT3res, xdr::CallError> COMMIT(const COMMIT3args& argument1);

       private:
        xdr::Channel& channel_;
    };

    // A call is sent when it is made; `co_await` gives its result, with the memory it is a
    // view of. Several may be under way.
    class AsyncClient final {
       public:
        explicit AsyncClient(xdr::AsyncChannel& channel) : channel_(channel) {}

        xdr::Call<void> NULL_();
        xdr::Call<GETATTR3res> GETATTR(const GETATTR3args& argument1);
        xdr::Call<SETATTR3res> SETATTR(const SETATTR3args& argument1);
        xdr::Call<LOOKUP3res> LOOKUP(const LOOKUP3args& argument1);
        xdr::Call<ACCESS3res> ACCESS(const ACCESS3args& argument1);
        xdr::Call<READLINK3res> READLINK(const READLINK3args& argument1);
        xdr::Call<READ3res> READ(const READ3args& argument1);
        xdr::Call<WRITE3res> WRITE(const WRITE3args& argument1);
        xdr::Call<CREATE3res> CREATE(const CREATE3args& argument1);
        xdr::Call<MKDIR3res> MKDIR(const MKDIR3args& argument1);
        xdr::Call<SYMLINK3res> SYMLINK(const SYMLINK3args& argument1);
        xdr::Call<MKNOD3res> MKNOD(const MKNOD3args& argument1);
        xdr::Call<REMOVE3res> REMOVE(const REMOVE3args& argument1);
        xdr::Call<RMDIR3res> RMDIR(const RMDIR3args& argument1);
        xdr::Call<RENAME3res> RENAME(const RENAME3args& argument1);
        xdr::Call<LINK3res> LINK(const LINK3args& argument1);
        xdr::Call<READDIR3res> READDIR(const READDIR3args& argument1);
        xdr::Call<READDIRPLUS3res> READDIRPLUS(const READDIRPLUS3args& argument1);
        xdr::Call<FSSTAT3res> FSSTAT(const FSSTAT3args& argument1);
        xdr::Call<FSINFO3res> FSINFO(const FSINFO3args& argument1);
        xdr::Call<PATHCONF3res> PATHCONF(const PATHCONF3args& argument1);
        xdr::Call<COMMIT3res> COMMIT(const COMMIT3args& argument1);

       private:
        xdr::AsyncChannel& channel_;
    };
};

}  // namespace helio::nfs3
