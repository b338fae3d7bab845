// JsonTape: a JSON text as a flat sequence of items. Unlike a document tree it keeps numbers as
// they were written (so 64-bit integers and doubles stay exact; Boost.JSON 1.81 rounds doubles
// badly) and repeated names. It does not nest, so freeing it does not recurse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/reflect/json/json.h"

namespace helio::reflect {

class JsonTape final {
 public:
    enum class Kind : std::uint8_t { null, no, yes, number, string, array, object, key };

    struct Item {
        std::uint64_t text = 0;   // offset of the characters of a number, string or key
        std::uint32_t size = 0;   // length of the text
        std::uint32_t count = 0;  // elements, members
        std::uint32_t next = 0;   // one past the item and all it contains
        Kind kind = Kind::null;
    };
    using Index = std::uint32_t;  // items[0] is the whole text; a key's value is the next item

    static Result<JsonTape, JsonError> parse(std::string_view json);

    const Item& operator[](Index item) const { return items_[item]; }
    std::string_view text(Index item) const {
        return std::string_view{texts_}.substr(items_[item].text, items_[item].size);
    }

    // For messages: `"abc"`, `12`, `an object`; shortened if long, safe for terminals.
    std::string shown(Index item) const;

 private:
    struct Handler;
    std::vector<Item> items_;
    std::string texts_;
};

}  // namespace helio::reflect
