// Plans for skipping agree with the slow way over every value, every cut and every damage.
#include "helio/reflect/skip/skip_plan.h"

#include <gtest/gtest.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::skip_plan_test {
namespace {

void expect_the_same(const idl::Type& type, const SkipPlan& plan, ByteView bytes) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const ByteView cut = bytes.first(size);
        ASSERT_EQ(plan.size_of(cut), size_of_value(type, cut))
            << type.name << ", " << size << " of " << bytes.size() << " bytes";
    }
}

TEST(SkipPlan, SkipsWhatTheDecoderDecodes) {
    for (const idl::Type* type : fuzzed_types()) {
        const SkipPlan plan = SkipPlan::over(*type);
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const auto bytes = random_bytes(*type, seed, {.depth_max = 4});
            if (!bytes) continue;
            EXPECT_EQ(plan.size_of(*bytes), bytes->size()) << type->name << " " << seed;
            if (bytes->size() < 4096) expect_the_same(*type, plan, *bytes);
        }
    }
}

// Words that are lengths, presence words and discriminants now and then.
TEST(SkipPlan, OfDamagedBytesIsTheSameToo) {
    constexpr std::uint8_t kBytes[] = {0, 1, 2, 3, 127, 128, 255};
    for (const idl::Type* type : fuzzed_types()) {
        const SkipPlan plan = SkipPlan::over(*type);
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            auto bytes = random_bytes(*type, seed, {.depth_max = 3});
            if (!bytes || bytes->size() >= 1024) continue;
            for (std::size_t at = 0; at < bytes->size(); ++at) {
                const std::byte was = (*bytes)[at];
                for (const std::uint8_t one : kBytes) {
                    (*bytes)[at] = std::byte{one};
                    ASSERT_EQ(plan.size_of(*bytes), size_of_value(*type, *bytes))
                        << type->name << " " << seed << " at " << at;
                }
                (*bytes)[at] = was;
            }
        }
    }
}

struct Case {
    const char* type;
    const char* bytes;
    std::optional<std::size_t> size;
};

TEST(SkipPlan, GoesWhereTheValueGoes) {
    const auto schema = schema_of(R"(
        enum color { RED = 0, GREEN = 7, FAR = 100000 };
        union one switch (int status) { case 0: opaque data<>; default: void; };
        union strict switch (int status) { case -1: opaque data<>; };
        union other switch (int status) { case 0: void; default: string why<>; };
        union many switch (color which) {
            case RED: opaque data<>; case GREEN: int number; case FAR: void; };
        struct after { one first; int last; };
        struct names { string text<>; names *next; };
        struct table { one rows[2]; opaque cells<>; };
        struct pairs { one each<>; hyper more<>; };
        struct tree { int key; tree *left; tree *right; };
    )");
    for (const Case& one : std::initializer_list<Case>{
             {"one", "00000000 00000001 61000000", 12},
             {"one", "00000005 00000001", 4},
             {"one", "00000000 ffffffff", std::nullopt},
             {"strict", "ffffffff 00000000", 8},
             {"strict", "00000000 00000000", std::nullopt},
             {"other", "00000000 00000001", 4},
             {"other", "00000002 00000001 61000000", 12},
             {"many", "00000000 00000001 61000000", 12},
             {"many", "00000007 00000001 61000000", 8},
             {"many", "000186a0 00000001 61000000", 4},
             {"many", "00000001 00000001 61000000", std::nullopt},
             {"many", "000186a1 00000001 61000000", std::nullopt},
             {"after", "00000000 00000000 00000009", 12},
             {"after", "00000001 00000009", 8},
             {"names", "00000001 61000000 00000001 00000000 00000000", 20},
             {"pairs", "00000002 00000000 00000000 00000001 00000001 00000000 00000000", 28},
             {"pairs", "00000000 ffffffff 00000000 00000000", std::nullopt},
             {"tree", "00000001 00000001 00000002 00000000 00000000 00000000", 24},
         }) {
        const SkipPlan plan = SkipPlan::over(*schema->type(one.type));
        const auto bytes = hex(one.bytes);
        EXPECT_EQ(plan.size_of(bytes), one.size) << one.type << " " << one.bytes;
        expect_the_same(*schema->type(one.type), plan, bytes);
    }
}

// The steps of such a type would double with each level.
TEST(SkipPlan, OfManyNestedTypesStaysSmall) {
    std::string text = "struct s0 { string text<>; };\n";
    for (int i = 1; i <= 20; ++i)
        text += "struct s" + std::to_string(i) + " { s" + std::to_string(i - 1) + " a; s" +
                std::to_string(i - 1) + " b; };\n";
    const auto schema = schema_of(text);
    const idl::Type& small = *schema->type("s11");
    const std::vector<std::byte> zeros(4u << 11);
    EXPECT_EQ(SkipPlan::over(small).size_of(zeros), zeros.size());
    EXPECT_EQ(SkipPlan::over(*schema->type("s20")).size_of(zeros), std::nullopt);
}

// A type that is nested more deeply than any real message is not skipped, with or without a plan.
TEST(SkipPlan, HasALimitOfDepth) {
    std::string text = "struct s0 { string text<>; };\n";
    for (int i = 1; i <= 80; ++i)
        text += "struct s" + std::to_string(i) + " { s" + std::to_string(i - 1) + " a; };\n";
    const auto schema = schema_of(text);
    const auto bytes = hex("00000000");
    for (int i = 0; i <= 80; ++i) {
        const idl::Type& type = *schema->type("s" + std::to_string(i));
        EXPECT_EQ(SkipPlan::over(type).size_of(bytes), size_of_value(type, bytes)) << i;
    }
}

TEST(SkipPlan, OfNothingHasNoSize) { EXPECT_EQ(SkipPlan{}.size_of({}), 0u); }

}  // namespace
}  // namespace helio::reflect::skip_plan_test
