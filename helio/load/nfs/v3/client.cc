#include <string>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "helio/load/nfs/v3/v3.h"
#include "schema/mount_service.h"
#include "schema/nfs3_service.h"

namespace helio::load::nfs::v3 {

namespace {

using nfs3::NFS_V3;

// The root handle of an export, by MOUNT version 3.
Handle mount_export(const ExportTarget& target) {
    transport::ClientOptions options = target.client;
    options.fabric = target.mount_fabric;
    transport::Client client{target.mount, std::move(options)};
    const auto mounted = mount::MOUNT_V3::Client{client}.MNT(target.path);
    const std::string what = fmt::format("MNT of {}", target.path);
    if (!mounted) throw_call_error(target, what, mounted.error());
    if (!mounted->has_mountinfo()) {
        const auto name = mount::to_string(mounted->fhs_status());
        throw Failure(Failure::Kind::refused,
                      fmt::format("{}: {}: {}", target.name, what,
                                  name.empty() ? "an unknown status" : name));
    }
    return Handle{mounted->mountinfo().fhandle};
}

class Client final : public FileClient {
    // The successful arm of a result. Views in it are valid until the next call.
    template <class Outcome>
    auto insist(const std::string& what, const Outcome& outcome) {
        if (!outcome) throw_call_error(target_, what, outcome.error());
        if (!outcome->has_resok())
            throw Failure(
                Failure::Kind::refused,
                fmt::format("{}: {}: {}", target_.name, what,
                            status_text(nfs3::to_string(outcome->status()), outcome->status())));
        return outcome->resok();
    }

 public:
    explicit Client(const ExportTarget& target)
        : target_(target), root_(mount_export(target)), channel_(target.nfs, target.client) {}

    const Handle& root() const override { return root_; }

    TransferLimits limits() override {
        const auto info = insist("FSINFO", nfs_.FSINFO({{root_.bytes()}}));
        return {info.rtmax, info.wtmax};
    }

    Handle look_up(const Handle& directory, const std::string& name) override {
        return Handle{
            insist("LOOKUP of " + name, nfs_.LOOKUP({{{directory.bytes()}, name}})).object.data};
    }

    Handle make_directory(const Handle& parent, const std::string& name) override {
        nfs3::MKDIR3args arguments{{{parent.bytes()}, name}, {}};
        arguments.attributes.mode = kDirectoryMode;
        const auto made = insist("MKDIR of " + name, nfs_.MKDIR(arguments));
        if (made.obj) return Handle{made.obj->data};
        return look_up(parent, name);
    }

    File make_file(const Handle& parent, const std::string& name, std::uint64_t size) override {
        nfs3::CREATE3args arguments;
        arguments.where = {{parent.bytes()}, name};
        nfs3::sattr3& attributes = arguments.how.emplace_obj_attributes(nfs3::GUARDED);
        attributes.mode = kFileMode;
        if (size > 0) attributes.size = size;
        File file;
        file.name = name;
        const auto made = insist("CREATE of " + name, nfs_.CREATE(arguments));
        const bool given = made.obj.has_value();
        if (given) file.handle = Handle{made.obj->data};
        if (!given) file.handle = look_up(parent, name);
        const auto now = insist("GETATTR of " + name, nfs_.GETATTR({{file.handle.bytes()}}));
        file.fileid = now.obj_attributes.fileid;
        file.size = now.obj_attributes.size;
        return file;
    }

    void remove_file(const Handle& parent, const std::string& name) override {
        insist("REMOVE of " + name, nfs_.REMOVE({{{parent.bytes()}, name}}));
    }

    void remove_directory(const Handle& parent, const std::string& name) override {
        insist("RMDIR of " + name, nfs_.RMDIR({{{parent.bytes()}, name}}));
    }

    std::uint32_t write(const File& file, std::uint64_t offset, ByteView data) override {
        return insist("WRITE to " + file.name, nfs_.WRITE({{file.handle.bytes()},
                                                           offset,
                                                           static_cast<std::uint32_t>(data.size()),
                                                           nfs3::UNSTABLE,
                                                           data}))
            .count;
    }

    void commit(const File& file) override {
        insist("COMMIT of " + file.name, nfs_.COMMIT({{file.handle.bytes()}, 0, 0}));
    }

    ByteView read(const File& file, std::uint64_t offset, std::uint32_t size) override {
        return insist("READ of " + file.name, nfs_.READ({{file.handle.bytes()}, offset, size}))
            .data;
    }

    std::vector<Entry> list(const Handle& directory, Place& place, std::uint32_t reply_bytes,
                            WithAttributes attributes) override {
        std::vector<Entry> out;
        const auto take = [&](const auto& listed, const auto& has_attributes) {
            for (const auto* one = listed.reply.entries; one != nullptr; one = one->nextentry) {
                out.push_back({std::string(one->name), has_attributes(*one)});
                place.cookie = one->cookie;
            }
            place.verifier = listed.cookieverf;
            place.end = listed.reply.eof;
        };
        if (attributes == WithAttributes::yes)
            take(insist("READDIRPLUS", nfs_.READDIRPLUS({{directory.bytes()},
                                                         place.cookie,
                                                         place.verifier,
                                                         reply_bytes,
                                                         reply_bytes})),
                 [](const nfs3::entryplus3& one) { return one.name_attributes.has_value(); });
        else
            take(insist("READDIR",
                        nfs_.READDIR(
                            {{directory.bytes()}, place.cookie, place.verifier, reply_bytes})),
                 [](const nfs3::entry3&) { return false; });
        return out;
    }

    std::unique_ptr<Calls> make_calls(std::size_t) override { return v3::make_calls(); }

    void leave() override {
        // A courtesy: nobody relies on the mount list.
        transport::Client client{target_.mount, target_.client};
        static_cast<void>(mount::MOUNT_V3::Client{client}.UMNT(target_.path));
    }

 private:
    const ExportTarget target_;
    const Handle root_;
    transport::Client channel_;
    NFS_V3::Client nfs_{channel_};
};

}  // namespace

std::unique_ptr<FileClient> connect(const ExportTarget& target) {
    return std::make_unique<Client>(target);
}

}  // namespace helio::load::nfs::v3
