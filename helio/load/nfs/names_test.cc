#include "helio/load/nfs/names.h"

#include <gtest/gtest.h>

namespace helio::load::nfs::names_test {
namespace {

TEST(KnownNames, AllOfThemOnceInAnyOrder) {
    KnownNames names{3};
    for (int listing = 0; listing < 2; ++listing) {
        for (const char* name : {"e0000002", ".", "e0000000", "..", "e0000001"})
            EXPECT_EQ(names.add(name), NameFault::none) << name;
        EXPECT_EQ(names.finish(), NameFault::none);
    }
}

TEST(KnownNames, TwiceUnknownAndMissing) {
    KnownNames names{2};
    EXPECT_EQ(names.add("e0000001"), NameFault::none);
    EXPECT_EQ(names.add("e0000001"), NameFault::twice);
    EXPECT_EQ(names.add("."), NameFault::none);
    EXPECT_EQ(names.add("."), NameFault::twice);
    for (const char* name :
         {"e0000002", "e000001", "f0000001", "e000000x", "", "e00000001", "e-000001"})
        EXPECT_EQ(names.add(name), NameFault::unknown) << name;
    EXPECT_EQ(names.finish(), NameFault::missing);
    EXPECT_EQ(names.add("e0000001"), NameFault::none) << "a new listing";
}

TEST(KnownNames, TheLastNameThereCanBe) {
    EXPECT_EQ(entry_name(kEntriesMax), "e9999999");
    KnownNames names{kEntriesMax};
    EXPECT_EQ(names.add(entry_name(kEntriesMax - 1)), NameFault::none);
    EXPECT_EQ(names.add(entry_name(kEntriesMax)), NameFault::unknown);
}

TEST(SeenNames, CountsThoseThatCameAgain) {
    SeenNames names;
    for (int i = 0; i < 10'000; ++i) names.add(std::to_string(i));
    EXPECT_EQ(names.duplicates(), 0u);
    names.add("17");
    names.add("4");
    names.add("4");
    EXPECT_EQ(names.count(), 10'003u);
    EXPECT_EQ(names.duplicates(), 3u);
}

}  // namespace
}  // namespace helio::load::nfs::names_test
