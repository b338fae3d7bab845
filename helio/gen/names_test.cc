// Names of the schema as C++ names.
#include "helio/gen/names_internal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "helio/gen/parts_internal.h"
#include "helio/idl/parse.h"

namespace helio::gen::names_test {
namespace {

TEST(CppName, ReservedWordsGetAnUnderscore) {
    struct Row {
        const char* xdr;
        const char* cpp;
    };
    const Row rows[] = {
        {"READ3args", "READ3args"},
        {"class", "class_"},        // a keyword
        {"co_await", "co_await_"},  // one of C++20
        {"NULL", "NULL_"},          // a macro, and a procedure of most programs
        {"major", "major_"},        // a macro of <sys/sysmacros.h>
        {"DOMAIN", "DOMAIN_"},      // a macro of <math.h>
        {"in", "in_"},              // parameters of generated functions
        {"v", "v_"},
        {"xdr", "xdr_"},     // a namespace
        {"Class", "Class"},  // only as written
        {"class_", "class_"},
        {"", ""},
    };
    for (const Row& row : rows) EXPECT_EQ(cpp_name(row.xdr), row.cpp) << row.xdr;
}

// The names that one union has in C++, by its arms; the discriminant's first.
std::vector<std::string> union_names(const std::string& schema) {
    const auto parsed = idl::parse("names.x", schema);
    EXPECT_NE(parsed.schema, nullptr) << parsed.report();
    if (parsed.schema == nullptr) return {};
    for (const Type* const type : parsed.schema->types) {
        if (type->kind != Kind::union_) continue;
        const UnionNames names{*type};
        std::vector<std::string> all{names.discriminant()};
        for (const idl::Arm& arm : type->arms)
            if (!is_void(arm)) all.push_back(names.arm(arm));
        return all;
    }
    return {};
}

TEST(UnionNames, MembersDoNotClash) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(union_names("union u switch (int kind) { case 0: int a; case 1: int b; };"),
              (Names{"kind", "a", "b"}));
    // The discriminant's name, the class's own, and one that an accessor of another arm has.
    EXPECT_EQ(union_names("union u switch (int kind) { case 0: int kind; case 1: int u; };"),
              (Names{"kind", "kind_", "u_"}));
    EXPECT_EQ(union_names("union u switch (int kind) { case 0: int a; case 1: int has_a; };"),
              (Names{"kind", "a", "has_a_"}));
    EXPECT_EQ(union_names("union u switch (int set) { case 0: int of; case 1: int new; };"),
              (Names{"set_", "of_", "new_"}));
}

}  // namespace
}  // namespace helio::gen::names_test
