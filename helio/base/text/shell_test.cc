#include "helio/base/text/shell.h"

#include <gtest/gtest.h>

namespace helio::shell_test {
namespace {

TEST(Shell, WordsAreQuotedWhereTheyMustBe) {
    EXPECT_EQ(shell_quoted("127.0.0.1:/srv/a_b"), "127.0.0.1:/srv/a_b");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("nfs://h/?a=1&b=2"), "'nfs://h/?a=1&b=2'");
}

}  // namespace
}  // namespace helio::shell_test
