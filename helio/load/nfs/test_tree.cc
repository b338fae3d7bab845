#include "helio/load/nfs/test_tree.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "helio/load/nfs/names.h"

namespace helio::load::nfs {

namespace {

// Transfer size while creating files: every current server accepts it.
constexpr std::uint32_t kFillBytes = 1u << 20;
constexpr std::uint32_t kListBytes = 32u << 10;

std::string own_name() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return fmt::format("helio-load-{}-{:x}", getpid(), static_cast<std::uint64_t>(now));
}

}  // namespace

TestTree::TestTree(const ExportTarget& target, const TestTreePlan& plan, const Content& content)
    : target_(target), plan_(plan), content_(content), client_(connect(target)), name_(own_name()) {
    test_files_.root = client_->root();
    test_files_.entries = plan.entries;
    test_files_.data_bytes = plan.data_bytes;
    try {
        ask_limits();
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
    const FileClient::TransferLimits limits = client_->limits();
    const auto check = [&](std::uint32_t most, const char* what) {
        if (plan_.transfer_bytes > most)
            throw Failure(Failure::Kind::refused,
                          fmt::format("{}: {} bytes were requested, but the server {} at most {}",
                                      target_.name, plan_.transfer_bytes, what, most));
    };
    if (plan_.read_files > 0) check(limits.read_bytes, "reads");
    if (plan_.write_files > 0) check(limits.write_bytes, "writes");
    write_bytes_ = std::clamp(limits.write_bytes, 1u, kFillBytes);
}

void TestTree::fill(const File& file, std::uint32_t number) {
    for (std::uint64_t at = 0; at < plan_.data_bytes;) {
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(write_bytes_, plan_.data_bytes - at));
        const std::uint32_t written = client_->write(file, at, content_.range(number, at, size));
        if (written == 0 || written > size)
            throw Failure(Failure::Kind::wrong, fmt::format("{}: WRITE of {} bytes wrote {}",
                                                            target_.name, size, written));
        at += written;
    }
    client_->commit(file);
}

void TestTree::create_data(const Handle& directory) {
    for (std::uint32_t i = 0; i < plan_.read_files; ++i) {
        File& file = test_files_.read_files.emplace_back(
            client_->make_file(directory, fmt::format("r{:04}", i), 0));
        client_->open(file);
        fill(file, i);
    }
    for (std::uint32_t i = 0; i < plan_.write_files; ++i)
        client_->open(test_files_.write_files.emplace_back(
            client_->make_file(directory, fmt::format("w{:04}", i), 0)));
}

void TestTree::hold_locks() {
    for (File& file : test_files_.files) client_->open(file);
    const auto files = static_cast<std::uint32_t>(test_files_.files.size());
    test_files_.locks_per_file = (plan_.locks + files - 1) / files;
    client_->hold_locks(test_files_.files, plan_.locks);
}

void TestTree::create() {
    directory_ = client_->make_directory(test_files_.root, name_);
    made_ = true;
    test_files_.files_directory = client_->make_directory(directory_, "files");
    test_files_.data_directory = client_->make_directory(directory_, "data");
    test_files_.list_directory = client_->make_directory(directory_, "list");
    test_files_.made_directory = client_->make_directory(directory_, "made");
    // Different sizes, so that an answer about the wrong file is noticed.
    for (std::uint32_t i = 0; i < plan_.files; ++i)
        test_files_.files.push_back(
            client_->make_file(test_files_.files_directory, entry_name(i), i));
    create_data(test_files_.data_directory);
    for (std::uint32_t i = 0; i < plan_.entries; ++i)
        client_->make_file(test_files_.list_directory, entry_name(i), 0);
    if (plan_.open_files) hold_locks();
}

bool TestTree::holds(std::uint32_t write_file, std::uint64_t offset, std::uint32_t size) {
    const ByteView read = client_->read(test_files_.write_files[write_file], offset, size);
    return read.size() == size &&
           !content_.first_difference(write_file, offset, read, Content::Look::all);
}

std::vector<std::string> TestTree::names_in(const Handle& directory) {
    std::vector<std::string> names;
    FileClient::Place place;
    while (!place.end) {
        const auto some =
            client_->list(directory, place, kListBytes, FileClient::WithAttributes::no);
        if ((some.empty() && !place.end) || names.size() > kEntriesMax)
            throw Failure(Failure::Kind::wrong, target_.name + ": READDIR does not end");
        for (const FileClient::Entry& one : some)
            if (one.name != "." && one.name != "..") names.push_back(one.name);
    }
    return names;
}

void TestTree::remove_directory(const Handle& parent, const std::string& name,
                                const Handle& directory) {
    for (const std::string& one : names_in(directory)) client_->remove_file(directory, one);
    client_->remove_directory(parent, name);
}

void TestTree::close_all() {
    client_->release_locks();
    for (auto* const files :
         {&test_files_.files, &test_files_.read_files, &test_files_.write_files})
        for (File& file : *files) client_->close(file);
}

void TestTree::remove() {
    if (made_) {
        made_ = false;
        close_all();
        for (const std::string& name : names_in(directory_))
            remove_directory(directory_, name, client_->look_up(directory_, name));
        client_->remove_directory(test_files_.root, name_);
    }
    if (connected_) {
        connected_ = false;
        client_->leave();
    }
}

}  // namespace helio::load::nfs
