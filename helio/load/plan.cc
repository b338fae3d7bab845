#include "helio/load/plan.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "helio/load/template.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/json/json.h"

namespace helio::load {

Result<std::vector<std::vector<std::byte>>, std::string> make_variants(
    const idl::Procedure& procedure, std::string_view json_template, std::size_t count,
    std::uint64_t seed) {
    const reflect::Arguments arguments{procedure};
    auto made = Template::parse(json_template);
    if (!made) return fail(fmt::format("arguments of {}: {}", procedure.name, made.error()));

    std::vector<std::vector<std::byte>> variants;
    Random random{seed};
    std::size_t bytes = 0;
    const std::size_t wanted = made->varies() ? std::max<std::size_t>(count, 1) : 1;
    while (variants.size() < wanted && bytes < kVariantBytesMax) {
        const std::string json = made->expand(variants.size(), random);
        auto encoded = reflect::encode(arguments.type(), json);
        if (!encoded)
            return fail(fmt::format("arguments of {}: {}{}", procedure.name,
                                    to_string(encoded.error()),
                                    wanted == 1 ? "" : fmt::format(" in {:.200}", json)));
        bytes += encoded->size();
        variants.push_back(std::move(*encoded));
    }
    return variants;
}

std::vector<std::uint16_t> lay_out(const std::vector<Step>& steps) {
    std::uint64_t divisor = 0;
    std::uint64_t total = 0;
    for (const Step& step : steps) {
        divisor = std::gcd(divisor, step.weight);
        total += step.weight;
    }
    const std::uint64_t places = std::min<std::uint64_t>(total / divisor, kMixPlacesMax);

    // At each position, the step that is furthest behind its weight.
    std::vector<std::uint16_t> order;
    std::vector<std::uint64_t> given(steps.size());
    for (std::uint64_t place = 1; place <= places; ++place) {
        std::size_t most = 0;
        double most_behind = -1e300;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const double earned = static_cast<double>(place) * steps[i].weight;
            const double behind =
                earned / static_cast<double>(total) - static_cast<double>(given[i]);
            if (behind <= most_behind) continue;
            most = i;
            most_behind = behind;
        }
        ++given[most];
        order.push_back(static_cast<std::uint16_t>(most));
    }
    return order;
}

}  // namespace helio::load
