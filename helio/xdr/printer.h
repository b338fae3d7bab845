// Printer: decoded values as indented text, for logs and test failures. Names and strings come from
// peers, so characters that would control a terminal are escaped.
//
//     READ3args {
//         file: nfs_fh3 { data: 0102030405 }
//         …
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/base/payload.h"
#include "helio/xdr/array.h"

namespace helio::xdr {

class Printer final {
 public:
    // Bytes of opaque data and items of arrays that are shown; of the rest only the number.
    static constexpr std::size_t kShownMax = 64;

    const std::string& text() const { return text_; }

    void open(std::string_view type_name);
    void close();
    void field(std::string_view name);  // followed by exactly one value

    void number(std::int64_t value);
    void number(std::uint64_t value);
    void number(std::int32_t value) { number(std::int64_t{value}); }
    void number(std::uint32_t value) { number(std::uint64_t{value}); }
    void real(double value);
    void boolean(bool value) { word(value ? "true" : "false"); }
    void word(std::string_view plain);  // an enumerator's name, "none"
    void string(std::string_view value);
    void bytes(const Payload& value);  // for a piece of a file only its size

    // Calls print(item) for the items shown.
    template <class Items, class Print>
    void items(const Items& items, Print print) {
        open_list(items.size());
        std::size_t shown = 0;
        for (const auto& item : items) {
            if (shown++ == kShownMax) break;
            begin_item();
            print(item);
        }
        close_list(items.size());
    }

 private:
    void begin_item();
    void open_list(std::size_t count);
    void close_list(std::size_t count);
    void line();

    std::string text_;
    std::size_t depth_ = 0;
};

}  // namespace helio::xdr
