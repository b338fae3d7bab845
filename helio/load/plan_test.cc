#include "helio/load/plan.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "helio/idl/parse.h"

namespace helio::load::plan_test {
namespace {

std::unique_ptr<const idl::Schema> schema() {
    idl::Parsed parsed = idl::parse("pair.x", R"(
        struct pair { int a; unsigned hyper b; };
        program PAIR { version PAIR_V1 {
            int ADD(pair) = 1; void PUT(opaque<>) = 2; void NOTHING(void) = 3;
        } = 1; } = 0x20000001;)");
    if (!parsed.schema) throw std::runtime_error(parsed.report());
    return std::move(parsed.schema);
}

const idl::Procedure& procedure(const idl::Schema& all, std::uint32_t number) {
    return *all.programs[0].versions[0].procedure(number);
}

TEST(MakeVariants, APlainTemplateIsOneVariant) {
    const auto all = schema();
    const auto made = make_variants(procedure(*all, 1), R"({"a": -1, "b": 2})", 1024, 1);
    ASSERT_TRUE(made);
    ASSERT_EQ(made->size(), 1u);
    ASSERT_EQ(made->front().size(), 12u);
    EXPECT_EQ(made->front()[0], std::byte{0xff});
    EXPECT_EQ(made->front()[11], std::byte{2});
    EXPECT_TRUE(make_variants(procedure(*all, 3), "null", 1, 1)->front().empty());
}

TEST(MakeVariants, PlacesMakeAsManyAsAsked) {
    const auto all = schema();
    const auto made = make_variants(procedure(*all, 1),
                                    R"({"a": "{{counter 5}}", "b": "{{random 0 9}}"})", 10, 1);
    ASSERT_TRUE(made);
    ASSERT_EQ(made->size(), 10u);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ((*made)[static_cast<std::size_t>(i)][3], static_cast<std::byte>(5 + i));
}

TEST(MakeVariants, LargeOnesAreFewer) {
    const auto all = schema();
    const auto made = make_variants(procedure(*all, 2), R"("{{random_hex 1000000}}")", 100, 1);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->size(), 17u);  // the one that reaches kVariantBytesMax is the last
}

TEST(MakeVariants, WhatDoesNotFitIsNamedWithItsPlace) {
    const auto all = schema();
    const auto made = make_variants(procedure(*all, 1), R"({"a": "{{counter}}", "c": 2})", 10, 1);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().find("ADD"), std::string::npos) << made.error();
    EXPECT_NE(made.error().find("c"), std::string::npos);
    EXPECT_FALSE(make_variants(procedure(*all, 1), "{{wrong}}", 10, 1));
}

std::vector<Step> weighted(std::vector<std::uint32_t> weights) {
    std::vector<Step> steps(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) steps[i].weight = weights[i];
    return steps;
}

TEST(LayOut, EachAsOftenAsItsWeightAndEvenlySpread) {
    EXPECT_EQ(lay_out(weighted({7})), (std::vector<std::uint16_t>{0}));
    EXPECT_EQ(lay_out(weighted({50, 50})), (std::vector<std::uint16_t>{0, 1}));
    EXPECT_EQ(lay_out(weighted({80, 20})), (std::vector<std::uint16_t>{0, 0, 1, 0, 0}));
    const auto order = lay_out(weighted({70, 29, 1}));
    EXPECT_EQ(order.size(), 100u);
    EXPECT_EQ(std::count(order.begin(), order.end(), 0), 70);
    EXPECT_EQ(std::count(order.begin(), order.end(), 2), 1);
}

TEST(LayOut, WeightsOfAnySizeTakeBoundedPlaces) {
    const auto order = lay_out(weighted({4'294'967'295, 1'000'000'007}));
    EXPECT_EQ(order.size(), kMixPlacesMax);
    EXPECT_NEAR(static_cast<double>(std::count(order.begin(), order.end(), 0)), 811, 1);
}

}  // namespace
}  // namespace helio::load::plan_test
