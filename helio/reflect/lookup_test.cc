#include "helio/reflect/lookup.h"

#include <gtest/gtest.h>

#include "testing/reflect/schema.h"

namespace helio::reflect::lookup_test {
namespace {

std::string found(const idl::Schema& schema, std::string_view name) {
    const auto type = find_type(schema, name);
    if (!type) return type.error();
    return type->type->kind == idl::Kind::void_ ? "void" : type->type->name;
}

TEST(Lookup, TypesAndSidesOfProcedures) {
    EXPECT_EQ(found(rich(), "read_args"), "read_args");
    EXPECT_EQ(found(rich(), "RICH_READ.args"), "read_args");
    EXPECT_EQ(found(rich(), "READ.result"), "read_result");
    EXPECT_EQ(found(rich(), "RICH_V1.READ.args"), "read_args");
    EXPECT_EQ(found(rich(), "RICH.RICH_V1.READ.args"), "read_args");
    EXPECT_EQ(found(rich(), "rich.RICH_NULL.result"), "void");
    EXPECT_EQ(found(rich(), "ADD.args"), "RICH_ADD arguments");
}

TEST(Lookup, SaysWhatThereIsInstead) {
    EXPECT_EQ(found(rich(), "READ"), "'READ' is a procedure; say READ.args or READ.result");
    EXPECT_EQ(found(rich(), "read_arg"), "rich has no type 'read_arg'; did you mean 'read_args'?");
    EXPECT_EQ(found(rich(), "REED.args"), "rich has no procedure 'REED'; did you mean 'READ'?");
    const auto two = schema_of(
        "program P { version A { void X(void) = 0; } = 1; version B { void X(void) = 0; } = 2; } = "
        "9;");
    EXPECT_EQ(found(*two, "X.args"), "'X' is several procedures: P.A.X, P.B.X");
    EXPECT_EQ(found(*two, "B.X.args"), "void");
}

}  // namespace
}  // namespace helio::reflect::lookup_test
