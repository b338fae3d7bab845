// What `helio explain` is told, and its parts: text that was pasted, and captures. Each part has a
// file of its own; the flags are in explain.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"
#include "helio/inspect/capture/source.h"
#include "helio/inspect/catalogue.h"

namespace helio::cli {

enum class ExplainView : std::uint8_t { by_input, calls, words, stats, test };

struct ExplainFlags {
    std::vector<std::string> inputs;
    std::vector<std::string> schemas;
    ExplainView view = ExplainView::by_input;
    std::vector<std::string> by;  // of --stats
    std::string filter;
    std::string follow;    // an xid
    std::string test;      // an xid
    std::string live;      // an interface
    std::string reply_of;  // --as
    std::string color = "auto";
    std::uint64_t limit = 0;  // 0: none
    bool json = false;
    bool html = false;
    bool clipboard = false;

    bool colored() const;
};

// The user's schemas, then those of the binary. Throws std::runtime_error when a file has errors.
std::unique_ptr<inspect::Catalogue> explain_catalogue(const std::vector<std::string>& files);

// Standard output through a buffer: lines are short and many.
class ExplainOutput final {
 public:
    ~ExplainOutput() { flush(); }
    std::string& text() { return text_; }
    // After something was added to text().
    void added() {
        if (text_.size() >= kBlock) flush();
    }
    void flush();

 private:
    static constexpr std::size_t kBlock = 256u << 10;
    std::string text_;
};

// A file whose beginning was looked at, to find out what it is.
class ExplainInput final : public inspect::ByteSource {
 public:
    // Opens it, "-" for standard input, and reads its beginning. Throws std::runtime_error.
    explicit ExplainInput(const std::string& path);

    ByteView beginning() const { return beginning_; }
    std::size_t read(std::span<std::byte> into) override { return whole_->read(into); }
    int error() const override { return source_->error(); }
    std::uint64_t size() const override { return source_->size(); }
    // All of it, `limit` bytes at most; throws std::runtime_error when there is more.
    std::vector<std::byte> rest(std::size_t limit);
    const std::string& path() const { return path_; }

 private:
    std::string path_;
    std::unique_ptr<inspect::FileSource> source_;
    std::vector<std::byte> beginning_;
    std::unique_ptr<inspect::RejoinedSource> whole_;
};

// Each returns the verb's exit code and may throw std::runtime_error for misuse.
int explain_text(const ExplainFlags& flags, const inspect::Catalogue& catalogue, std::string text);
int explain_captures(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                     std::vector<std::unique_ptr<ExplainInput>> inputs);
// Bytes of connections without packets: one direction each; two are both sides of one.
int explain_streams(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                    std::vector<std::unique_ptr<ExplainInput>> inputs);
int explain_live(const ExplainFlags& flags, const inspect::Catalogue& catalogue);

}  // namespace helio::cli
