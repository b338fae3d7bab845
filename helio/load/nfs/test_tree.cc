#include "helio/load/nfs/test_tree.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "helio/load/nfs/calls_internal.h"
#include "helio/load/nfs/names.h"
#include "schema/mount_service.h"
#include "schema/nfs3_service.h"

namespace helio::load::nfs {

namespace {

using nfs3::NFS_V3;

// Transfer size while creating files: every current server accepts it.
constexpr std::uint32_t kFillBytes = 1u << 20;
constexpr std::uint32_t kListBytes = 32u << 10;
constexpr std::uint32_t kDirectoryMode = 0755;
constexpr std::uint32_t kFileMode = 0644;

std::string own_name() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return fmt::format("helio-load-{}-{:x}", getpid(), static_cast<std::uint64_t>(now));
}

}  // namespace

Handle::Handle(ByteView bytes) : size_(std::min(bytes.size(), bytes_.size())) {
    std::memcpy(bytes_.data(), bytes.data(), size_);
}

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

Handle walk(transport::Client& client, const Handle& root, const std::string& path) {
    NFS_V3::Client nfs{client};
    const ExportTarget target{path, {}, {}, {}, {}, {}};
    Handle at = root;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view name = std::string_view{path}.substr(begin, end - begin);
        begin = end + 1;
        if (name.empty()) continue;
        at = Handle{insist(target, "LOOKUP", nfs.LOOKUP({{at.wire(), name}})).object.data};
    }
    return at;
}

TestTree::TestTree(const ExportTarget& target, const TestTreePlan& plan, const Content& content)
    : target_(target),
      plan_(plan),
      content_(content),
      client_(target.nfs, target.client),
      name_(own_name()) {
    test_files_.root = mount_export(target_);
    test_files_.entries = plan.entries;
    test_files_.data_bytes = plan.data_bytes;
    ask_limits();
    try {
        create();
    } catch (...) {
        try {
            remove();
        } catch (const Failure&) {
            // Report the first failure.
        }
        throw;
    }
}

TestTree::~TestTree() {
    try {
        remove();
    } catch (const std::exception&) {
        // Destructors must not throw; call remove() to see errors.
    }
}

void TestTree::ask_limits() {
    const auto info =
        insist(target_, "FSINFO", NFS_V3::Client{client_}.FSINFO({test_files_.root.wire()}));
    const auto check = [&](std::uint32_t most, const char* what) {
        if (plan_.transfer_bytes > most)
            throw Failure(Failure::Kind::refused,
                          fmt::format("{}: {} bytes were requested, but the server {} at most {}",
                                      target_.name, plan_.transfer_bytes, what, most));
    };
    if (plan_.read_files > 0) check(info.rtmax, "reads");
    if (plan_.write_files > 0) check(info.wtmax, "writes");
    write_bytes_ = std::clamp(info.wtmax, 1u, kFillBytes);
}

Handle TestTree::make_directory(const Handle& parent, const std::string& name) {
    NFS_V3::Client nfs{client_};
    nfs3::MKDIR3args arguments{{parent.wire(), name}, {}};
    arguments.attributes.mode = kDirectoryMode;
    const auto made = insist(target_, "MKDIR of " + name, nfs.MKDIR(arguments));
    if (made.obj) return Handle{made.obj->data};
    return walk(client_, parent, name);
}

File TestTree::make_file(const Handle& parent, const std::string& name, std::uint64_t size) {
    NFS_V3::Client nfs{client_};
    nfs3::CREATE3args arguments;
    arguments.where = {parent.wire(), name};
    nfs3::sattr3& attributes = arguments.how.emplace_obj_attributes(nfs3::GUARDED);
    attributes.mode = kFileMode;
    if (size > 0) attributes.size = size;
    File file;
    file.name = name;
    const auto made = insist(target_, "CREATE of " + name, nfs.CREATE(arguments));
    const bool given = made.obj.has_value();
    if (given) file.handle = Handle{made.obj->data};
    if (!given) file.handle = walk(client_, parent, name);
    const auto now = insist(target_, "GETATTR of " + name, nfs.GETATTR({file.handle.wire()}));
    file.fileid = now.obj_attributes.fileid;
    file.size = now.obj_attributes.size;
    return file;
}

void TestTree::fill(const File& file, std::uint32_t number) {
    NFS_V3::Client nfs{client_};
    for (std::uint64_t at = 0; at < plan_.data_bytes;) {
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(write_bytes_, plan_.data_bytes - at));
        const auto written = insist(target_, "WRITE to " + file.name,
                                    nfs.WRITE({file.handle.wire(), at, size, nfs3::UNSTABLE,
                                               content_.range(number, at, size)}));
        if (written.count == 0 || written.count > size)
            throw Failure(Failure::Kind::wrong, fmt::format("{}: WRITE of {} bytes wrote {}",
                                                            target_.name, size, written.count));
        at += written.count;
    }
    insist(target_, "COMMIT of " + file.name, nfs.COMMIT({file.handle.wire(), 0, 0}));
}

void TestTree::create() {
    directory_ = make_directory(test_files_.root, name_);
    made_ = true;
    test_files_.files_directory = make_directory(directory_, "files");
    const Handle data_directory = make_directory(directory_, "data");
    test_files_.list_directory = make_directory(directory_, "list");
    test_files_.made_directory = make_directory(directory_, "made");
    // Different sizes, so that an answer about the wrong file is noticed.
    for (std::uint32_t i = 0; i < plan_.files; ++i)
        test_files_.files.push_back(make_file(test_files_.files_directory, entry_name(i), i));
    for (std::uint32_t i = 0; i < plan_.read_files; ++i) {
        test_files_.read_files.push_back(make_file(data_directory, fmt::format("r{:04}", i), 0));
        fill(test_files_.read_files.back(), i);
    }
    for (std::uint32_t i = 0; i < plan_.write_files; ++i)
        test_files_.write_files.push_back(make_file(data_directory, fmt::format("w{:04}", i), 0));
    for (std::uint32_t i = 0; i < plan_.entries; ++i)
        make_file(test_files_.list_directory, entry_name(i), 0);
}

bool TestTree::holds(std::uint32_t write_file, std::uint64_t offset, std::uint32_t size) {
    const File& file = test_files_.write_files[write_file];
    const auto read = insist(target_, "READ of " + file.name,
                             NFS_V3::Client{client_}.READ({file.handle.wire(), offset, size}));
    return read.data.size() == size &&
           !content_.first_difference(write_file, offset, read.data, Content::Look::all);
}

std::vector<std::string> TestTree::names_in(const Handle& directory) {
    NFS_V3::Client nfs{client_};
    std::vector<std::string> names;
    nfs3::READDIR3args arguments;
    arguments.dir = directory.wire();
    arguments.count = kListBytes;
    for (bool end = false; !end;) {
        const auto some = insist(target_, "READDIR", nfs.READDIR(arguments));
        if ((some.reply.entries == nullptr && !some.reply.eof) || names.size() > kEntriesMax)
            throw Failure(Failure::Kind::wrong, target_.name + ": READDIR does not end");
        for (const nfs3::entry3* one = some.reply.entries; one != nullptr; one = one->nextentry) {
            arguments.cookie = one->cookie;
            if (one->name != "." && one->name != "..") names.emplace_back(one->name);
        }
        arguments.cookieverf = some.cookieverf;
        end = some.reply.eof;
    }
    return names;
}

void TestTree::remove_directory(const Handle& parent, const std::string& name,
                                const Handle& directory) {
    NFS_V3::Client nfs{client_};
    for (const std::string& one : names_in(directory))
        insist(target_, "REMOVE of " + one, nfs.REMOVE({{directory.wire(), one}}));
    insist(target_, "RMDIR of " + name, nfs.RMDIR({{parent.wire(), name}}));
}

void TestTree::remove() {
    if (!made_) return;
    made_ = false;
    for (const std::string& name : names_in(directory_)) {
        const Handle directory = walk(client_, directory_, name);
        remove_directory(directory_, name, directory);
    }
    insist(target_, "RMDIR of " + name_,
           NFS_V3::Client{client_}.RMDIR({{test_files_.root.wire(), name_}}));
    // A courtesy: nobody relies on the mount list.
    transport::Client client{target_.mount, target_.client};
    static_cast<void>(mount::MOUNT_V3::Client{client}.UMNT(target_.path));
}

}  // namespace helio::load::nfs
