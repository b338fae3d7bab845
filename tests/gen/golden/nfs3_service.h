// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/program.h"
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

    // A server derives from this and overrides what it offers; the rest is unavailable. Arguments are
    // views that live as long as the call, results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        // Nothing.
        virtual void NULL_(xdr::CallContext& call);
        // Attributes of a file.
        virtual GETATTR3res GETATTR(xdr::CallContext& call, const GETATTR3args& argument1);
        // Changes attributes.
        virtual SETATTR3res SETATTR(xdr::CallContext& call, const SETATTR3args& argument1);
        // The file a name stands for.
        virtual LOOKUP3res LOOKUP(xdr::CallContext& call, const LOOKUP3args& argument1);
        // What the caller may do.
        virtual ACCESS3res ACCESS(xdr::CallContext& call, const ACCESS3args& argument1);
        // Text of a symbolic link.
        virtual READLINK3res READLINK(xdr::CallContext& call, const READLINK3args& argument1);
        // Bytes of a file.
        virtual READ3res READ(xdr::CallContext& call, const READ3args& argument1);
        // Bytes to a file.
        virtual WRITE3res WRITE(xdr::CallContext& call, const WRITE3args& argument1);
        // Makes a regular file.
        virtual CREATE3res CREATE(xdr::CallContext& call, const CREATE3args& argument1);
        // Makes a directory.
        virtual MKDIR3res MKDIR(xdr::CallContext& call, const MKDIR3args& argument1);
        // Makes a symbolic link.
        virtual SYMLINK3res SYMLINK(xdr::CallContext& call, const SYMLINK3args& argument1);
        // Makes a special file.
        virtual MKNOD3res MKNOD(xdr::CallContext& call, const MKNOD3args& argument1);
        // Removes a name of a file.
        virtual REMOVE3res REMOVE(xdr::CallContext& call, const REMOVE3args& argument1);
        // Removes an empty directory.
        virtual RMDIR3res RMDIR(xdr::CallContext& call, const RMDIR3args& argument1);
        // Moves a name, in one step.
        virtual RENAME3res RENAME(xdr::CallContext& call, const RENAME3args& argument1);
        // Adds a name.
        virtual LINK3res LINK(xdr::CallContext& call, const LINK3args& argument1);
        // Names in a directory.
        virtual READDIR3res READDIR(xdr::CallContext& call, const READDIR3args& argument1);
        // Names in a directory with attributes and handles.
        virtual READDIRPLUS3res READDIRPLUS(xdr::CallContext& call, const READDIRPLUS3args& argument1);
        // How full the file system is.
        virtual FSSTAT3res FSSTAT(xdr::CallContext& call, const FSSTAT3args& argument1);
        // What the file system can do.
        virtual FSINFO3res FSINFO(xdr::CallContext& call, const FSINFO3args& argument1);
        // POSIX limits.
        virtual PATHCONF3res PATHCONF(xdr::CallContext& call, const PATHCONF3args& argument1);
        // Unstable writes to disk.
        virtual COMMIT3res COMMIT(xdr::CallContext& call, const COMMIT3args& argument1);

        const xdr::VersionInfo& info() const final { return NFS_V3::info(); }
        xdr::Outcome serve(std::uint32_t procedure, xdr::CallContext& call, xdr::Reader& in,
                           xdr::Writer& out) final;
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
};

}  // namespace helio::nfs3
