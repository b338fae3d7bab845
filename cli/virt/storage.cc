// helio virt pool-list, vol-list, vol-download, vol-upload: storage.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/virt/client/objects.h"
#include "helio/virt/client/transfer.h"
#include "schema/remote_service.h"

namespace helio::cli {
namespace {

using RemoteProgram = remote::REMOTE_PROTOCOL_VERSION;

struct ListFlags {
    std::string pool;
    bool all = false;
    bool json = false;
    bool bytes = false;

    // "100.00 GiB", as in virsh.
    std::string size(std::uint64_t size_in_bytes) const {
        return bytes ? std::to_string(size_in_bytes) : size_text(size_in_bytes);
    }
};

VirtDone run_pool_list(virt::Client& client, const ListFlags& flags) {
    const auto pools = client.run(
        virt::list_pools(client.connection(), flags.all ? virt::Which::all : virt::Which::active));
    if (!pools) return fail(pools.error());
    if (flags.json) {
        print_json_rows(*pools, [](JsonWriter& row, const auto& one) {
            row.member("name", one.pool.name);
            row.member("uuid", virt::to_text(one.pool.uuid));
            row.member("state", virt::pool_state_name(one.state));
            row.member("autostart", one.autostart);
            row.member("persistent", one.persistent);
            row.member("capacity", one.capacity);
            row.member("allocation", one.allocation);
            row.member("available", one.available);
        });
        return kDone;
    }
    std::vector<std::vector<std::string>> rows{
        {"name", "state", "autostart", "persistent", "capacity", "allocation", "available"}};
    for (const auto& one : *pools)
        rows.push_back({escaped(one.pool.name), std::string(virt::pool_state_name(one.state)),
                        one.autostart ? "yes" : "no", one.persistent ? "yes" : "no",
                        flags.size(one.capacity), flags.size(one.allocation),
                        flags.size(one.available)});
    fmt::print("{}", aligned(rows));
    return kDone;
}

Task<Result<std::vector<virt::VolumeRow>, virt::Failure>> volumes_of(
    virt::ClientConnection& connection, std::string word) {
    const auto pool = co_await virt::find_pool(connection, word);
    if (!pool) co_return fail(pool.error());
    auto volumes = co_await virt::list_volumes(connection, *pool);
    co_return volumes;
}

VirtDone run_vol_list(virt::Client& client, const ListFlags& flags) {
    const auto volumes = client.run(volumes_of(client.connection(), flags.pool));
    if (!volumes) return fail(volumes.error());
    if (flags.json) {
        print_json_rows(*volumes, [](JsonWriter& row, const auto& one) {
            row.member("name", one.volume.name);
            row.member("path", one.path);
            row.member("key", one.volume.key);
            row.member("type", virt::volume_type_name(one.type));
            row.member("capacity", one.capacity);
            row.member("allocation", one.allocation);
        });
        return kDone;
    }
    std::vector<std::vector<std::string>> rows{{"name", "type", "capacity", "allocation", "path"}};
    for (const auto& one : *volumes)
        rows.push_back({escaped(one.volume.name), std::string(virt::volume_type_name(one.type)),
                        flags.size(one.capacity), flags.size(one.allocation), escaped(one.path)});
    fmt::print("{}", aligned(rows));
    return kDone;
}

// ---- Content ----

struct TransferFlags {
    std::string volume;
    std::string file;
    std::string pool;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool sparse = false;
};

Task<VirtDone> download(virt::ClientConnection& connection, TransferFlags flags) {
    const auto volume = co_await virt::find_volume(connection, flags.pool, flags.volume);
    if (!volume) co_return fail(volume.error());
    const bool to_stdout = flags.file == "-";
    const Fd file{to_stdout ? dup(STDOUT_FILENO)
                            : ::open(flags.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                                     S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)};
    if (!file) co_return fail(virt::local_failure(flags.file, errno));
    virt::ClientStream stream{connection};
    remote::remote_storage_vol_download_args args;
    args.vol = volume->wire();
    args.offset = flags.offset;
    args.length = flags.length;
    args.flags = flags.sparse ? 1 : 0;  // VIR_STORAGE_VOL_DOWNLOAD_SPARSE_STREAM
    RemoteProgram::AsyncClient remote{stream};
    const auto opened = co_await remote.STORAGE_VOL_DOWNLOAD(args);
    if (!opened) co_return fail(connection.failure(opened.error()));
    const auto bytes = co_await virt::receive_into(stream, file.get());
    if (!bytes) co_return fail(bytes.error());
    if (!to_stdout) fmt::print("{} bytes of {}\n", *bytes, escaped(volume->name));
    co_return kDone;
}

Task<VirtDone> upload(virt::ClientConnection& connection, TransferFlags flags) {
    const Fd file{flags.file == "-" ? dup(STDIN_FILENO)
                                    : ::open(flags.file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file) co_return fail(virt::local_failure(flags.file, errno));
    const auto volume = co_await virt::find_volume(connection, flags.pool, flags.volume);
    if (!volume) co_return fail(volume.error());
    virt::ClientStream stream{connection};
    remote::remote_storage_vol_upload_args args;
    args.vol = volume->wire();
    args.offset = flags.offset;
    args.length = flags.length;
    args.flags = flags.sparse ? 1 : 0;  // VIR_STORAGE_VOL_UPLOAD_SPARSE_STREAM
    RemoteProgram::AsyncClient remote{stream};
    const auto opened = co_await remote.STORAGE_VOL_UPLOAD(args);
    if (!opened) co_return fail(connection.failure(opened.error()));
    const auto bytes = co_await virt::send_from(stream, file.get(), flags.length, flags.sparse);
    if (!bytes) co_return fail(bytes.error());
    fmt::print("{} bytes to {}\n", *bytes, escaped(volume->name));
    co_return kDone;
}

using Transfer = Task<VirtDone> (*)(virt::ClientConnection&, TransferFlags);

void add_transfer(Command& virt, const VirtFlagsRef& common, int& exit_code, const char* name,
                  const char* help, Transfer run) {
    auto flags = std::make_shared<TransferFlags>();
    auto* const verb = virt.add_subcommand(name, help);
    verb->add_option("VOLUME", flags->volume, "name in --pool, or path, or key")->required();
    verb->add_option("FILE", flags->file, "local file; - for standard input or output")->required();
    verb->add_option("--pool", flags->pool, "pool of the volume");
    verb->add_option("--offset", flags->offset, "offset in the volume to start at");
    verb->add_option("--length", flags->length, "number of bytes; 0: all");
    verb->add_flag("--sparse", flags->sparse, "do not transfer holes");
    verb->callback([flags, common, run, &exit_code] {
        exit_code = with_virt(*common, [&](virt::Client& client) {
            return client.run(run(client.connection(), *flags));
        });
    });
}

}  // namespace

void add_virt_storage(Command& virt, VirtFlagsRef flags, int& exit_code) {
    const auto list = std::make_shared<ListFlags>();
    const auto add_list = [&](const char* name, const char* help,
                              VirtDone (*run)(virt::Client&, const ListFlags&)) {
        auto* const verb = virt.add_subcommand(name, help);
        auto* const json = verb->add_flag("--json", list->json, "print JSON");
        verb->add_flag("--bytes", list->bytes, "print sizes in bytes")->excludes(json);
        verb->callback([list, run, flags, &exit_code] {
            exit_code = with_virt(*flags, [&](virt::Client& client) { return run(client, *list); });
        });
        return verb;
    };
    add_list("pool-list", "List storage pools", run_pool_list)
        ->add_flag("--all", list->all, "include inactive pools");
    add_list("vol-list", "List the volumes of a pool", run_vol_list)
        ->add_option("POOL", list->pool, "name or UUID")
        ->required();
    add_transfer(virt, flags, exit_code, "vol-download", "Copy a volume's content to a file",
                 download);
    add_transfer(virt, flags, exit_code, "vol-upload", "Copy a file's content to a volume", upload);
}

}  // namespace helio::cli
