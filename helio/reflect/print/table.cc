#include "helio/reflect/print/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio::reflect {
namespace {

constexpr std::size_t kPathWidthMax = 44;  // longer paths push their value to the right

class Table {
 public:
    Table(const Tree& tree, const TableOptions& options,
          const std::function<void(std::string_view)>& line)
        : tree_(tree), options_(options), line_(line) {}

    void write() {
        for (const Node& node : tree_.nodes) {
            if (!is_leaf(node.role)) continue;
            const auto index = static_cast<NodeIndex>(&node - tree_.nodes.data());
            if (const std::size_t size = shown_path(index).size(); size <= kPathWidthMax) {
                path_width_ = std::max(path_width_, size);
            }
        }
        row("offset", "bytes", "field", "value");
        for (WordIterator words{tree_}; words.more(); words.advance()) word(words.word());
        flush_folded();
        const std::size_t rest = tree_.bytes.size() - tree_.consumed;
        if (rest != 0)
            row(fmt::format("{}", tree_.consumed), "…", "", fmt::format("{} bytes not read", rest));
    }

 private:
    void word(const Word& word) {
        const Node& leaf = tree_.nodes[word.leaf];
        const bool first = leaf.offset == word.offset;
        if (first) flush_folded();
        if (leaf.role == Role::body && (word.offset - leaf.offset) / 4 >= options_.body_words_max) {
            if (folded_ == 0) folded_at_ = word.offset;
            folded_ += std::min(word.size, leaf.offset + leaf.size - word.offset);
            return;
        }
        std::string value = first ? text(tree_, word.leaf) : "";
        if (!tree_.ok() && tree_.error.offset == word.offset)
            value += "   <-- " + std::string{xdr::name(tree_.error.fault)};
        row(fmt::format("{}", word.offset), hex_of(word), first ? shown_path(word.leaf) : "",
            value);
    }

    // Folds a body's words past the limit into one line.
    void flush_folded() {
        if (folded_ != 0)
            row(fmt::format("{}", folded_at_), "…", "", fmt::format("{} bytes more", folded_));
        folded_ = 0;
    }

    void row(std::string_view offset, std::string_view bytes, std::string_view field,
             std::string_view value) {
        std::string out =
            fmt::format("{:>8}  {:<11}  {:<{}}  {}", offset, bytes, field, path_width_, value);
        out.erase(out.find_last_not_of(' ') + 1);
        line_(out);
    }

    std::string shown_path(NodeIndex leaf) const {
        return escaped(path(tree_, leaf, options_.root));
    }

    std::string hex_of(const Word& word) const {
        std::string out;
        for (const std::byte b : tree_.bytes.subspan(word.offset, word.size)) {
            fmt::format_to(std::back_inserter(out), "{}{:02x}", out.empty() ? "" : " ",
                           std::to_integer<int>(b));
        }
        return out;
    }

    const Tree& tree_;
    const TableOptions& options_;
    const std::function<void(std::string_view)>& line_;
    std::size_t path_width_ = 5;
    std::uint32_t folded_ = 0;
    std::uint32_t folded_at_ = 0;
};

}  // namespace

void write_table(const Tree& tree, const TableOptions& options,
                 const std::function<void(std::string_view)>& line) {
    Table{tree, options, line}.write();
}

}  // namespace helio::reflect
