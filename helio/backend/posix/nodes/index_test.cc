#include "helio/backend/posix/nodes/index_internal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace helio::backend::index_test {
namespace {

vfs::FileId id_of(std::uint64_t number) {
    vfs::FileId id;
    std::memcpy(id.bytes.data(), &number, 8);
    id.size = 10;
    return id;
}
const vfs::FileId kRoot = id_of(2);

struct IndexTest : testing::Test {
    IndexTest() {
        // In memory if possible: closing an index waits for the disk.
        const std::filesystem::path memory = "/dev/shm";
        const auto where =
            access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
        std::string name = (where / "helio-index-XXXXXX").string();
        directory = mkdtemp(name.data());
        path = directory / "index";
    }
    ~IndexTest() override { std::filesystem::remove_all(directory); }

    std::filesystem::path directory;
    std::string path;
};

std::string name_of(Index& index, std::uint64_t number) {
    const auto places = index.places(id_of(number));
    return places.empty() ? "" : places.front().name;
}

TEST_F(IndexTest, FindsWhatWasNoted) {
    Index index{"", kRoot};
    index.note(id_of(10), 10, kRoot, "ten");
    index.note(id_of(11), 11, id_of(10), "eleven");
    const auto places = index.places(id_of(11));
    ASSERT_EQ(places.size(), 1u);
    EXPECT_EQ(places[0].parent, id_of(10));
    EXPECT_EQ(places[0].inode, 11u);
    EXPECT_EQ(places[0].name, "eleven");
    EXPECT_TRUE(index.places(id_of(12)).empty());
}

// As root, following it would truncate and overwrite any file of the machine.
TEST_F(IndexTest, FollowsNoLink) {
    const std::string victim = (directory / "victim").string();
    std::ofstream{victim} << "precious";
    std::filesystem::create_symlink(victim, path);
    EXPECT_THROW((Index{path, kRoot}), std::runtime_error);
    EXPECT_EQ(std::filesystem::file_size(victim), 8u);
    std::filesystem::remove(path);
    std::filesystem::permissions(directory, std::filesystem::perms::all);
    EXPECT_THROW((Index{path, kRoot}), std::runtime_error);
}

TEST_F(IndexTest, KeepsEveryNameOfAHardLinkedFile) {
    Index index{"", kRoot};
    index.note(id_of(10), 10, kRoot, "a");
    index.note(id_of(10), 10, kRoot, "b");
    index.note(id_of(10), 10, kRoot, "a");  // known already
    ASSERT_EQ(index.places(id_of(10)).size(), 2u);
    EXPECT_EQ(name_of(index, 10), "b");  // the last first
    index.forget(id_of(10), kRoot, "b");
    EXPECT_EQ(name_of(index, 10), "a");
    index.forget(id_of(10), kRoot, "a");
    EXPECT_TRUE(index.places(id_of(10)).empty());
}

// A name in `parent` that the table cannot tell from another name.
std::string name_like(const vfs::FileId& other_parent, std::string_view other,
                      const vfs::FileId& parent) {
    const auto binding = [](const vfs::FileId& in, std::string_view name) {
        return Index::name_hash(in, name) >> 16 & 0xffff;
    };
    for (int i = 0;; ++i)
        if (std::string name = std::to_string(i);
            binding(parent, name) == binding(other_parent, other))
            return name;
}

TEST_F(IndexTest, TellsNamesApartWhenItMust) {
    const std::string like = name_like(kRoot, "old", id_of(5));
    {
        Index index{path, kRoot};
        index.note(id_of(10), 10, kRoot, "old");
        index.note(id_of(10), 10, id_of(5), like);
        EXPECT_EQ(name_of(index, 10), "old");
        index.note_found(id_of(10), 10, id_of(5), like);
        EXPECT_EQ(name_of(index, 10), like);
        EXPECT_EQ(index.size(), 1u);
        index.note_found(id_of(10), 10, id_of(5), like);
        EXPECT_EQ(index.size(), 1u);
    }
    Index again{path, kRoot};
    EXPECT_EQ(name_of(again, 10), like);
}

TEST_F(IndexTest, TakesManyNamesTogether) {
    std::vector<vfs::FileId> ids;
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < 3'000; ++i) {
        ids.push_back(id_of(100 + i));
        names.push_back("name" + std::to_string(i));
    }
    std::vector<Index::SeenName> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) seen.push_back({&ids[i], 100 + i, names[i]});
    {
        Index index{path, kRoot};
        index.note(ids[7], 107, kRoot, names[7]);
        index.note_all(kRoot, {});
        index.note_all(kRoot, std::span{seen}.first(1'000));
        index.note_all(kRoot, seen);
        EXPECT_EQ(index.size(), 3'000u) << "each once";
    }
    Index again{path, kRoot};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto places = again.places(ids[i]);
        ASSERT_EQ(places.size(), 1u) << i;
        EXPECT_EQ(places[0].name, names[i]);
        EXPECT_EQ(places[0].inode, 100 + i);
        EXPECT_EQ(places[0].parent, kRoot);
    }
}

TEST_F(IndexTest, SurvivesADeathWithoutClosing) {
    std::filesystem::path copy = directory / "copy";
    {
        Index index{path, kRoot};
        index.note(id_of(10), 10, kRoot, "ten");
        index.note(id_of(11), 11, kRoot, "gone");
        index.forget(id_of(11), kRoot, "gone");
        std::filesystem::copy_file(path, copy);  // what a process killed now would leave
    }
    Index again{copy, kRoot};
    EXPECT_EQ(name_of(again, 10), "ten");
    EXPECT_TRUE(again.places(id_of(11)).empty());
    EXPECT_FALSE(again.complete());  // the machine may have lost the latest records
}

TEST_F(IndexTest, IsCompleteAfterClosing) {
    { Index index{path, kRoot}; }
    Index again{path, kRoot};
    EXPECT_TRUE(again.complete());
}

TEST_F(IndexTest, OfAnotherRootIsBegunAnew) {
    {
        Index index{path, kRoot};
        index.note(id_of(10), 10, kRoot, "ten");
    }
    Index other{path, id_of(3)};
    EXPECT_TRUE(other.places(id_of(10)).empty());
    EXPECT_FALSE(other.complete());
}

// Every prefix is what some crash would leave: whole records are kept, the rest is cut off.
TEST_F(IndexTest, TakesEveryTruncation) {
    std::vector<std::uintmax_t> ends;
    {
        Index index{path, kRoot};
        for (std::uint64_t i = 10; i < 20; ++i) {
            index.note(id_of(i), i, kRoot, std::string(i, 'x'));
            // A head of 16 bytes, two ids of 10, the name, up to a multiple of 8.
            const std::uintmax_t before = ends.empty() ? 32 : ends.back();
            ends.push_back(before + (16 + 10 + 10 + i + 7) / 8 * 8);
        }
    }
    const auto whole = std::filesystem::file_size(path);
    ASSERT_EQ(whole, ends.back());
    for (std::uintmax_t size = 0; size < whole; ++size) {
        const std::string cut = path + ".cut";
        std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(cut, size);
        {
            Index index{cut, kRoot};
            for (std::uint64_t i = 10; i < 20; ++i)
                EXPECT_EQ(name_of(index, i).size(), ends[i - 10] <= size ? i : 0) << size;
            index.note(id_of(99), 99, kRoot, "new");
        }
        Index again{cut, kRoot};
        EXPECT_EQ(name_of(again, 99), "new") << size;
    }
}

TEST_F(IndexTest, TakesEveryFlippedByte) {
    {
        Index index{path, kRoot};
        for (std::uint64_t i = 10; i < 15; ++i) index.note(id_of(i), i, kRoot, std::to_string(i));
    }
    const auto whole = std::filesystem::file_size(path);
    for (std::uintmax_t at = 0; at < whole; ++at) {
        const std::string bad = path + ".bad";
        std::filesystem::copy_file(path, bad, std::filesystem::copy_options::overwrite_existing);
        {
            std::fstream file(bad, std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(static_cast<std::streamoff>(at));
            const char byte = static_cast<char>(file.get() ^ 0x55);
            file.seekp(static_cast<std::streamoff>(at));
            file.put(byte);
        }
        Index index{bad, kRoot};
        for (std::uint64_t i = 10; i < 15; ++i) {
            const std::string name = name_of(index, i);
            EXPECT_TRUE(name.empty() || name == std::to_string(i)) << at << ": " << name;
        }
    }
}

TEST_F(IndexTest, GrowsAndIsRewritten) {
    constexpr std::uint64_t kFiles = 20'000;
    const auto name = [](std::uint64_t i, std::uint64_t round) {
        return std::string(200, 'n') + std::to_string(i) + "-" + std::to_string(round);
    };
    std::uintmax_t largest = 0;
    {
        Index index{path, kRoot};
        // About 100 MB of names that come and go; few of them stay.
        for (std::uint64_t round = 0; round < 12; ++round)
            for (std::uint64_t i = 0; i < kFiles; ++i) {
                index.note(id_of(100 + i), i, kRoot, name(i, round));
                if (round > 0) index.forget(id_of(100 + i), kRoot, name(i, round - 1));
                if (i % 1000 == 0) index.tidy();
            }
        largest = std::filesystem::file_size(path);
        EXPECT_EQ(index.size(), kFiles);
    }
    EXPECT_LT(largest, 80u << 20);
    Index again{path, kRoot};
    EXPECT_TRUE(again.complete());
    EXPECT_EQ(again.size(), kFiles);
    for (std::uint64_t i = 0; i < kFiles; i += 97)
        EXPECT_EQ(name_of(again, 100 + i), name(i, 11)) << i;
}

// What one thread has done to an index, and must find there whatever the others do. All threads
// give names to the same few files, each its own names, and each has files that no other thread
// knows.
class IndexUser final {
 public:
    IndexUser(Index& index, std::uint64_t number) : index_(index), number_(number) {}

    void run(std::size_t steps) {
        for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
            switch (random_() % 8) {
                case 0:
                case 1:
                case 2:
                    note(any_file(), any_name());
                    break;
                case 3:
                case 4:
                case 5:
                    for (int i = 0; i < 30; ++i) forget(any_file());
                    break;
                case 6:
                    note_many();
                    break;
                default:
                    check(any_file(), index_);
            }
        }
    }

    void check_all(Index& index) const {
        for (const auto& [file, names] : names_) check(file, index);
    }
    std::size_t count() const {
        std::size_t count = 0;
        for (const auto& [file, names] : names_) count += names.size();
        return count;
    }

 private:
    static constexpr std::uint64_t kSharedFiles = 4;
    static constexpr std::uint64_t kOwnFiles = 200;

    std::uint64_t any_file() {
        const std::uint64_t file = random_() % (kSharedFiles + kOwnFiles);
        return file < kSharedFiles ? 100 + file : 1'000 * number_ + file;
    }
    // Long, so that rewriting the log soon pays.
    std::string any_name() {
        return "thread " + std::to_string(number_) + std::string(230, '.') +
               std::to_string(random_() % 6);
    }
    void add(std::uint64_t file, const std::string& name) {
        auto& names = names_[file];
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.insert(names.begin(), name);
    }

    void note(std::uint64_t file, const std::string& name) {
        index_.note(id_of(file), file, kRoot, name);
        add(file, name);
    }
    void note_many() {
        std::vector<vfs::FileId> ids;
        std::vector<std::uint64_t> files;
        const std::string name = any_name();
        for (int i = 0; i < 150; ++i) {
            files.push_back(any_file());
            ids.push_back(id_of(files.back()));
        }
        std::vector<Index::SeenName> seen;
        for (std::size_t i = 0; i < ids.size(); ++i) seen.push_back({&ids[i], files[i], name});
        index_.note_all(kRoot, seen);
        for (const std::uint64_t file : files) add(file, name);
    }
    void forget(std::uint64_t file) {
        auto& names = names_[file];
        for (const std::string& name : names) index_.forget(id_of(file), kRoot, name);
        names.clear();
        index_.forget(id_of(file), kRoot, "never noted");
    }
    void check(std::uint64_t file, Index& index) const {
        std::vector<std::string> own;
        const std::string prefix = "thread " + std::to_string(number_) + ".";
        for (const Index::Place& place : index.places(id_of(file))) {
            EXPECT_EQ(place.parent, kRoot);
            EXPECT_EQ(place.inode, file);
            if (place.name.starts_with(prefix)) own.push_back(place.name);
        }
        const auto expected = names_.find(file);
        ASSERT_EQ(own, expected == names_.end() ? std::vector<std::string>{} : expected->second);
    }

    Index& index_;
    const std::uint64_t number_;
    std::minstd_rand random_{static_cast<unsigned>(number_)};
    std::map<std::uint64_t, std::vector<std::string>> names_;  // of each file, the last first
};

// Until the log has been rewritten, and for some time after that.
TEST_F(IndexTest, ServesManyThreads) {
    std::vector<IndexUser> users;
    std::size_t count = 0;
    const auto inode = [this] {
        struct stat status {};
        EXPECT_EQ(stat(path.c_str(), &status), 0);
        return status.st_ino;
    };
    {
        Index index{path, kRoot};
        for (std::uint64_t number = 1; number <= 4; ++number) users.emplace_back(index, number);
        const ino_t before = inode();
        std::atomic<bool> rewritten = false;
        std::atomic<bool> done = false;
        std::thread housekeeper([&] {
            while (!done) {
                index.tidy();
                if (inode() != before) rewritten = true;
            }
        });
        std::vector<std::thread> threads;
        for (IndexUser& one : users)
            threads.emplace_back([&] {
                while (!rewritten && !HasFailure()) one.run(500);
                one.run(500);
            });
        for (std::thread& one : threads) one.join();
        done = true;
        housekeeper.join();
        for (const IndexUser& one : users) {
            one.check_all(index);
            count += one.count();
        }
        EXPECT_EQ(index.size(), count);
        EXPECT_TRUE(index.complete());
    }
    Index again{path, kRoot};
    EXPECT_TRUE(again.complete());
    EXPECT_EQ(again.size(), count);
    for (const IndexUser& one : users) one.check_all(again);
}

}  // namespace
}  // namespace helio::backend::index_test
