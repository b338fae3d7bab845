// PosixExport: a directory served by the posix back end, and another one outside of it. The test's
// parameter selects whether files are found by kernel handles, if the process may use them, or by
// the index alone.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "helio/backend/posix/posix_fs.h"
#include "testing/patience.h"

namespace helio::backend {

class Heap final : public vfs::Memory {
 public:
    std::span<std::byte> take(std::size_t size) override {
        blocks_.emplace_back(size);
        return blocks_.back();
    }
    ByteView borrow(ByteView bytes, std::shared_ptr<const void>) override { return bytes; }
    Payload file(int, std::uint64_t, std::size_t, std::shared_ptr<const void>) override {
        return {};
    }

 private:
    std::vector<std::vector<std::byte>> blocks_;
};

class PosixExport : public testing::TestWithParam<bool> {
 protected:
    PosixExport() {
        std::string name = (std::filesystem::temp_directory_path() / "helio-posix-XXXXXX").string();
        top = mkdtemp(name.data());
        std::filesystem::create_directories(top / "export");
        std::filesystem::create_directories(top / "outside");
        std::ofstream(top / "outside" / "secret") << "secret";
        start();
    }
    ~PosixExport() override {
        files.reset();
        std::filesystem::remove_all(top);
    }

    void start(bool keep_index = true) {
        files.reset();
        files = make_posix_fs({.directory = top / "export",
                               .index_file = keep_index ? (top / "index").string() : "",
                               .kernel_handles = GetParam()});
    }
    std::filesystem::path in(std::string_view name) const { return top / "export" / name; }
    void put(std::string_view name, std::string_view text) { std::ofstream(in(name)) << text; }

    vfs::FileId find(std::string_view path) {
        vfs::FileId at = files->root();
        for (const auto& part : std::filesystem::path(path)) {
            vfs::LookupOut found;
            const vfs::Status status = files->lookup(caller, at, part.string(), found);
            EXPECT_EQ(status, vfs::Status::ok) << path << ": " << vfs::name_of(status);
            at = found.id;
        }
        return at;
    }
    // The contents of the file with an id, or the error.
    std::string text(const vfs::FileId& id) {
        Heap heap;
        vfs::ReadOut out;
        const vfs::Status status =
            again([&] { return files->read(caller, id, 0, 1000, heap, out); });
        return status == vfs::Status::ok ? std::string(as_text(out.data))
                                         : "<" + std::string(vfs::name_of(status)) + ">";
    }

    vfs::Status write(const vfs::FileId& id, std::uint64_t offset, std::string_view bytes) {
        vfs::WriteOut out;
        return files->write(caller, id, offset, as_bytes(bytes), vfs::Stability::unstable, out);
    }
    // Repeats the call until there is an answer, as clients do when they have to try again.
    template <class Call>
    static vfs::Status again(const Call& call) {
        const auto patience = std::chrono::steady_clock::now() + kTestPatience;
        vfs::Status status = call();
        while (status == vfs::Status::busy && std::chrono::steady_clock::now() < patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            status = call();
        }
        return status;
    }
    // Permissions do not stop this user.
    static bool superuser() { return geteuid() == 0; }

    std::filesystem::path top;
    vfs::Caller caller{.uid = geteuid(), .gid = getegid(), .groups = {}};
    std::shared_ptr<vfs::FileSystem> files;
};

inline std::string handles_named(const testing::TestParamInfo<bool>& each) {
    return each.param ? "Kernel" : "Index";
}

}  // namespace helio::backend
