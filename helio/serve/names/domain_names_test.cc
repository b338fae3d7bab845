#include "helio/serve/names/domain_names.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

namespace helio::serve::domain_names_test {
namespace {

using vfs::Status;
using Kind = nfs::UserNames::Kind;
using Wait = nfs::UserNames::Wait;
using std::chrono::seconds;

class FakeDatabase final : public UserDatabase {
 public:
    Answer name_of(Kind kind, std::uint32_t id, std::string& out) override {
        ++asked;
        if (unavailable) return Answer::unavailable;
        for (const auto& [key, value] : ids)
            if (key.first == kind && value == id) return out = key.second, Answer::found;
        return Answer::missing;
    }
    Answer id_of(Kind kind, const std::string& name, std::uint32_t& out) override {
        ++asked;
        if (unavailable) return Answer::unavailable;
        const auto found = ids.find({kind, name});
        if (found == ids.end()) return Answer::missing;
        out = found->second;
        return Answer::found;
    }
    std::map<std::pair<Kind, std::string>, std::uint32_t> ids = {
        {{Kind::user, "ada"}, 1000}, {{Kind::group, "staff"}, 50}, {{Kind::user, "root"}, 0}};
    std::atomic<int> asked = 0;
    bool unavailable = false;
};

class Names : public testing::Test {
 protected:
    std::string text(Kind kind, std::uint32_t id) {
        std::string out;
        EXPECT_EQ(names.text_of(kind, id, Wait::yes, out), Status::ok);
        return out;
    }
    Status id(std::string_view text, std::uint32_t& out, Kind kind = Kind::user) {
        return names.id_of(kind, text, Wait::yes, out);
    }

    FakeDatabase database;
    DomainNames::Instant now{};
    DomainNames names{"Example.com", database, [this] { return now; }};
};

TEST_F(Names, AreSentWithTheDomain) {
    EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
    EXPECT_EQ(text(Kind::group, 50), "staff@Example.com");
    EXPECT_EQ(text(Kind::user, 50), "50") << "a group is no user";
    EXPECT_EQ(text(Kind::user, UINT32_MAX), "4294967295");
}

TEST_F(Names, AreUnderstood) {
    std::uint32_t found = 7;
    EXPECT_EQ(id("ada@Example.com", found), Status::ok);
    EXPECT_EQ(found, 1000u);
    EXPECT_EQ(id("root@example.COM", found), Status::ok) << "as DNS compares";
    EXPECT_EQ(found, 0u);
    EXPECT_EQ(id("staff@Example.com", found, Kind::group), Status::ok);
    EXPECT_EQ(found, 50u);
}

TEST_F(Names, NumbersAreAlwaysUnderstood) {
    std::uint32_t found = 7;
    for (const std::uint32_t number : {0u, 7u, 1000u, UINT32_MAX}) {
        EXPECT_EQ(names.id_of(Kind::user, std::to_string(number), Wait::no, found), Status::ok);
        EXPECT_EQ(found, number);
    }
    EXPECT_EQ(database.asked, 0);
}

TEST_F(Names, BadOnesAreRefusedWithoutAskingAnyone) {
    using namespace std::string_literals;
    const std::vector<std::string> bad = {
        "",
        "@",
        "ada",
        "ada@",
        "@Example.com",
        "ada@example.org",
        "ada@sub.Example.com",
        "ada@Example.com.",
        "a@b@c",
        "ada@Example.com@Example.com",
        "ada\0@Example.com"s,
        "root\0x@Example.com"s,
        "ada@Example.com\0"s,
        "ada\n@Example.com",
        "4294967296",
        "99999999999999999999",
        "-1",
        "+1",
        " 1",
        "1 ",
        "0x10",
        "007",
        std::string(64u << 10, 'a'),
        std::string(64u << 10, 'a') + "@Example.com",
        std::string(64u << 10, '@'),
        "ada@" + std::string(64u << 10, 'a'),
    };
    for (const std::string& one : bad) {
        std::uint32_t found = 7;
        EXPECT_EQ(id(one, found), Status::invalid) << one.substr(0, 40);
    }
    EXPECT_EQ(database.asked, 0);
    EXPECT_EQ(names.kept(), 0u);
}

TEST_F(Names, AreNotAskedForWhenItMayNotWait) {
    std::string out;
    std::uint32_t found = 0;
    EXPECT_EQ(names.text_of(Kind::user, 1000, Wait::no, out), Status::would_block);
    EXPECT_EQ(names.id_of(Kind::user, "ada@Example.com", Wait::no, found), Status::would_block);
    EXPECT_EQ(database.asked, 0);
    EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
    EXPECT_EQ(id("ada@Example.com", found), Status::ok);
    EXPECT_EQ(names.text_of(Kind::user, 1000, Wait::no, out), Status::ok);
    EXPECT_EQ(names.id_of(Kind::user, "ada@Example.com", Wait::no, found), Status::ok);
    EXPECT_EQ(database.asked, 2);
}

TEST_F(Names, AreAskedForAgainAfterAWhile) {
    EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
    database.ids = {{{Kind::user, "countess"}, 1000}};
    now += kNameKeptMax - seconds(1);
    EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
    now += seconds(1);
    EXPECT_EQ(text(Kind::user, 1000), "countess@Example.com");
    // Those that are missing, sooner.
    std::uint32_t found = 0;
    EXPECT_EQ(id("babbage@Example.com", found), Status::invalid);
    database.ids[{Kind::user, "babbage"}] = 1001;
    EXPECT_EQ(id("babbage@Example.com", found), Status::invalid);
    now += kMissingNameKeptMax;
    EXPECT_EQ(id("babbage@Example.com", found), Status::ok);
    EXPECT_EQ(found, 1001u);
}

TEST_F(Names, AnUnreachableDatabaseIsAskedAgainSoon) {
    database.unavailable = true;
    std::uint32_t found = 0;
    EXPECT_EQ(text(Kind::user, 1000), "1000");
    EXPECT_EQ(id("ada@Example.com", found), Status::busy) << "perhaps there is one";
    EXPECT_EQ(id("ada@Example.com", found), Status::busy);
    EXPECT_EQ(database.asked, 2);
    database.unavailable = false;
    now += kUnavailableKeptMax;
    EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
    EXPECT_EQ(id("ada@Example.com", found), Status::ok);
}

TEST_F(Names, ThatAreTooLongOrOddGoOutAsNumbers) {
    const std::size_t room = nfs::kOwnerTextMax - std::string_view("@Example.com").size();
    database.ids[{Kind::user, std::string(room, 'a')}] = 1;
    database.ids[{Kind::user, std::string(room + 1, 'b')}] = 2;
    database.ids[{Kind::user, "a@b"}] = 3;
    database.ids[{Kind::user, ""}] = 4;
    EXPECT_EQ(text(Kind::user, 1), std::string(room, 'a') + "@Example.com");
    EXPECT_EQ(text(Kind::user, 2), "2");
    EXPECT_EQ(text(Kind::user, 3), "3") << "it could not be read back";
    EXPECT_EQ(text(Kind::user, 4), "4");
}

TEST_F(Names, AreKeptInBoundedMemory) {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < 3 * kNamesKeptMax; ++i) {
        (void)text(Kind::user, i);
        (void)id("u" + std::to_string(i) + "@Example.com", found);
        ASSERT_LE(names.kept(), 2 * kNamesKeptMax);
    }
}

TEST_F(Names, OfManyThreads) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([this] {
            std::uint32_t found = 0;
            for (std::uint32_t i = 0; i < 2'000; ++i) {
                EXPECT_EQ(text(Kind::user, 1000), "ada@Example.com");
                EXPECT_EQ(text(Kind::group, 1000 + i), std::to_string(1000 + i));
                EXPECT_EQ(id("ada@Example.com", found), Status::ok);
            }
        });
    for (auto& one : threads) one.join();
}

TEST(SystemUserDatabase, KnowsThisMachine) {
    SystemUserDatabase database;
    std::string name;
    std::uint32_t id = 7;
    ASSERT_EQ(database.name_of(Kind::user, 0, name), UserDatabase::Answer::found);
    EXPECT_EQ(name, "root");
    EXPECT_EQ(database.id_of(Kind::user, "root", id), UserDatabase::Answer::found);
    EXPECT_EQ(id, 0u);
    EXPECT_EQ(database.name_of(Kind::group, 0, name), UserDatabase::Answer::found);
    EXPECT_EQ(database.id_of(Kind::group, name, id), UserDatabase::Answer::found);
    EXPECT_EQ(id, 0u);
    EXPECT_EQ(database.name_of(Kind::user, 3'999'999'999, name), UserDatabase::Answer::missing);
    EXPECT_EQ(database.id_of(Kind::group, "no-such-group-here", id), UserDatabase::Answer::missing);
}

TEST(Domain, Names) {
    EXPECT_EQ(parse_domain("example.com").value(), "example.com");
    EXPECT_TRUE(parse_domain(std::string(kDomainBytesMax, 'a')));
    using namespace std::string_literals;
    for (const std::string& bad : {""s, "@"s, "a@b"s, "a b"s, "a\nb"s, "a\0b"s, "/a"s,
                                   std::string(kDomainBytesMax + 1, 'a')})
        EXPECT_FALSE(parse_domain(bad)) << bad;
}

}  // namespace
}  // namespace helio::serve::domain_names_test
