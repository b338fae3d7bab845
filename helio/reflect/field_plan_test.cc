// Paths to fields, for values that have them and values that do not.
#include "helio/reflect/field_plan.h"

#include <gtest/gtest.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::field_plan_test {
namespace {

constexpr const char* kSchema = R"(
struct handle { opaque data<64>; };
union attributes switch (bool follows) { case TRUE: hyper size; case FALSE: void; };
struct good { attributes before; int count; opaque data<>; };
union result switch (int status) { case 0: good ok; default: attributes failed; };
struct name { string text<255>; name *next; };
struct arguments { handle file; name *names; unsigned hyper offset; int *limit; int count; };
)";

TEST(FieldPlan, LeadsThroughWhateverLiesBefore) {
    const auto schema = schema_of(kSchema);
    const idl::Type& type = *schema->type("arguments");
    // file: 3 bytes; names: "a", "bcde"; offset 7; limit 9; count -2
    const auto bytes =
        hex("00000003 01020300 00000001 00000001 61000000 00000001 00000004 62636465 00000000"
            "0000000000000007 00000001 00000009 fffffffe");
    ASSERT_TRUE(decode(bytes, type).ok());
    const auto file = FieldPlan::to(type, "file").find(bytes);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->number, 3u);
    EXPECT_EQ(file->offset, 4u);
    EXPECT_EQ(file->body.size(), 3u);
    EXPECT_EQ(FieldPlan::to(type, "offset").find(bytes)->number, 7u);
    EXPECT_EQ(FieldPlan::to(type, "limit").find(bytes)->number, 9u);
    EXPECT_EQ(static_cast<std::int64_t>(FieldPlan::to(type, "count").find(bytes)->number), -2);
}

TEST(FieldPlan, FindsNothingWhereTheValueGoesAnotherWay) {
    const auto schema = schema_of(kSchema);
    const idl::Type& type = *schema->type("result");
    const FieldPlan count = FieldPlan::to(type, "ok.count");
    const FieldPlan size = FieldPlan::to(type, "ok.before.size");
    const auto good = hex("00000000 00000001 0000000000001000 00000005 00000000");
    EXPECT_EQ(count.find(good)->number, 5u);
    EXPECT_EQ(size.find(good)->number, 4096u);
    const auto without = hex("00000000 00000000 00000005 00000000");
    EXPECT_EQ(count.find(without)->number, 5u);
    EXPECT_FALSE(size.find(without));
    EXPECT_FALSE(count.find(hex("00000002 00000000")));
    EXPECT_EQ(FieldPlan::to(type, "status").find(hex("00000002 00000000"))->number, 2u);
}

TEST(FieldPlan, NamesThatAreNotThereLeadNowhere) {
    const auto schema = schema_of(kSchema);
    const idl::Type& type = *schema->type("arguments");
    for (const char* path : {"", "nothing", "file.nothing", "count.x", "names.text", ".", "file."})
        EXPECT_TRUE(FieldPlan::to(type, path).empty() || *path == '\0') << path;
    EXPECT_FALSE(FieldPlan{}.find(hex("00000000")));
}

TEST(FieldPlan, EveryCutEndsBeforeTheFieldOrHasIt) {
    const auto schema = schema_of(kSchema);
    const idl::Type& type = *schema->type("arguments");
    const auto bytes =
        hex("00000003 01020300 00000000 0000000000000007 00000001 00000009 00000001");
    const FieldPlan count = FieldPlan::to(type, "count");
    for (std::size_t size = 0; size <= bytes.size(); ++size)
        EXPECT_EQ(count.find(ByteView{bytes}.first(size)).has_value(), size == bytes.size())
            << size;
}

// Decoder and plan agree on where values end, for all types.
TEST(FieldPlan, SizesAreThoseOfTheDecoder) {
    for (const idl::Type* type : rich().types) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto bytes = random_bytes(*type, seed, {.depth_max = 4});
            if (!bytes) continue;
            EXPECT_EQ(size_of_value(*type, *bytes), bytes->size()) << type->name << " " << seed;
        }
    }
}

}  // namespace
}  // namespace helio::reflect::field_plan_test
