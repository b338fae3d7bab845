#include "helio/idl/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "helio/idl/sema/layout_internal.h"
#include "helio/idl/sema/missing_names_internal.h"
#include "helio/idl/sema/sema_internal.h"
#include "helio/idl/syntax/ast_internal.h"
#include "helio/idl/syntax/parser_internal.h"
#include "helio/idl/syntax/preprocess_internal.h"

namespace helio::idl {
namespace {

// One parse: the file named by the user and its imports.
class Run {
 public:
    explicit Run(const Loader& loader) : loader_(loader) {}

    Parsed parse(std::string path, std::string text) {
        auto schema = std::make_unique<Schema>();
        schema->name = std::filesystem::path(path).stem().string();
        add_file(std::move(path), std::move(text));
        find_missing_names();
        take_main_file(*schema);
        Sema(files_, sources_, *schema, diagnostics_).run();
        lay_out(*schema, diagnostics_);
        sort_diagnostics();

        Parsed parsed;
        if (diagnostics_.ok()) {
            schema->index();
            schema->sources = sources_;
            parsed.schema = std::move(schema);
        }
        parsed.diagnostics = std::move(diagnostics_);
        parsed.sources = std::move(sources_);
        return parsed;
    }

 private:
    // "./a.x" and "b/../a.x" are one file.
    static std::string normal(const std::string& path) {
        return std::filesystem::path(path).lexically_normal().string();
    }

    // Reads one file, after those that it imports.
    void add_file(std::string path, std::string text) {
        if (text.size() > kSourceSizeMax) {
            const std::uint32_t file = sources_.add(std::move(path), {});
            diagnostics_.error({file, 0, 0}, fmt::format("the file has {} bytes; the limit is {}",
                                                         text.size(), kSourceSizeMax));
            return;
        }
        by_path_.emplace(normal(path), static_cast<std::uint32_t>(sources_.files.size()));
        const std::uint32_t file = sources_.add(std::move(path), std::move(text));
        const std::string_view content = sources_.files[file].text;

        const auto on_import = [this, file](const FileMention& mention) { import(file, mention); };
        Preprocessed source = preprocess(tokenize(sources_, file, diagnostics_), content, macros_,
                                         on_import, diagnostics_);
        ast::File parsed;
        parsed.constants = std::move(source.defines);
        parsed.header_constants = std::move(source.header_defines);
        Parser(source.tokens, content, diagnostics_).parse_into(parsed);
        for (const FileMention& header : source.headers) headers_.emplace_back(file, header);
        if (file == 0) {
            passthrough_ = std::move(source.passthrough);
            cpp_namespace_ = parsed.cpp_namespace;
            doc_ = parsed.doc;
        }
        files_.push_back(std::move(parsed));
    }

    void import(std::uint32_t importing, const FileMention& mention) {
        if (!mention.name.ends_with(".x")) {
            diagnostics_.warning(mention.where,
                                 fmt::format("'{}' is not a schema; ignored", mention.name),
                                 "schema files end in .x");
            return;
        }
        if (!load(importing, std::string(mention.name), mention)) {
            diagnostics_.error(mention.where, fmt::format("cannot find '{}'", mention.name));
        }
    }

    // False if there is no such file. A file is read only once, so files may import each other.
    bool load(std::uint32_t importing, const std::string& name, const FileMention& mention) {
        if (!loader_) return false;
        if (diagnostics_.full()) return true;
        auto loaded = loader_(name, sources_.files[importing].name);
        if (!loaded) return false;
        const auto known = by_path_.find(normal(loaded->path));
        const bool is_new = known == by_path_.end();
        const auto number =
            is_new ? static_cast<std::uint32_t>(sources_.files.size()) : known->second;
        if (number == importing) {
            diagnostics_.warning(mention.where, "the file imports itself");
            return true;
        }
        if (is_new && sources_.files.size() > kImportsMax) {
            if (!std::exchange(too_many_imports_, true)) {
                diagnostics_.error(mention.where,
                                   fmt::format("more than {} imported files", kImportsMax));
            }
            return true;
        }
        const bool named_before =
            std::find(imports_.begin(), imports_.end(), number) != imports_.end();
        if (importing == 0 && !named_before) imports_.push_back(number);
        if (is_new) add_file(std::move(loaded->path), std::move(loaded->text));
        return true;
    }

    // A name that no .x file defines may come from a `%#define`, from a system header, or from the
    // schema of a `%#include <dir/other.h>`: rpcgen generated that header from other.x.
    void find_missing_names() {
        adopt_header_constants(files_);
        MissingNames missing = missing_names(files_);
        for (std::size_t i = 0; i < headers_.size() && !missing.empty(); ++i) {
            const auto [importing, header] = headers_[i];
            const auto stem = std::filesystem::path(header.name).stem().string();
            const std::size_t before = files_.size();
            load(importing, stem + ".x", header);
            if (files_.size() == before) continue;
            std::rotate(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(before),
                        files_.end());
            missing = missing_names(files_);
        }
        if (!missing.empty()) files_.insert(files_.begin(), system_definitions(missing));
    }

    // The passes found them in another order than people read.
    void sort_diagnostics() {
        const auto key = [](const Diagnostic& each) {
            const bool last = each.severity == Severity::note;  // "too many errors"
            return std::tuple(last, each.where.file, each.where.offset);
        };
        std::stable_sort(diagnostics_.items.begin(), diagnostics_.items.end(),
                         [&](const auto& a, const auto& b) { return key(a) < key(b); });
    }

    void take_main_file(Schema& schema) {
        schema.cpp_namespace = std::move(cpp_namespace_);
        schema.doc = std::move(doc_);
        schema.passthrough = std::move(passthrough_);
        schema.imports = std::move(imports_);
    }

    const Loader& loader_;
    SourceSet sources_;
    Diagnostics diagnostics_;
    Macros macros_ = initial_macros();
    std::vector<ast::File> files_;
    std::unordered_map<std::string, std::uint32_t> by_path_;
    std::vector<std::pair<std::uint32_t, FileMention>> headers_;
    bool too_many_imports_ = false;

    // For the Schema: imports of the main file.
    std::vector<std::uint32_t> imports_;
    std::vector<std::string> passthrough_;
    std::vector<std::string> cpp_namespace_;
    std::string doc_;
};

// nullopt if it cannot be read; `reason` says why. Reads only enough to see that it is too large.
std::optional<std::string> read_whole(const std::string& path, std::string& reason) {
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure)) {
        reason = "is a directory";
        return std::nullopt;
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text;
    if (in) {
        text.resize(kSourceSizeMax + 1);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad()) {
        reason = errno != 0 ? std::generic_category().message(errno) : "cannot be read";
        return std::nullopt;
    }
    return text;
}

std::optional<LoadedText> load_beside(std::string_view name, std::string_view importing_file) {
    if (name.find('\0') != std::string_view::npos)
        return std::nullopt;  // the system would stop there
    const auto path =
        (std::filesystem::path(importing_file).parent_path() / name).lexically_normal();
    std::string reason;
    auto text = read_whole(path.string(), reason);
    if (!text) return std::nullopt;
    return LoadedText{path.string(), std::move(*text)};
}

}  // namespace

std::string Parsed::report() const { return render(diagnostics, sources); }

Parsed parse(std::string path, std::string text, const Loader& loader) {
    return Run(loader).parse(std::move(path), std::move(text));
}

Parsed parse_file(const std::string& path) {
    std::string reason;
    auto text = read_whole(path, reason);
    if (text) return parse(path, std::move(*text), load_beside);
    Parsed parsed;
    parsed.sources.add(path, {});
    parsed.diagnostics.error({}, fmt::format("cannot read the file: {}", reason));
    return parsed;
}

}  // namespace helio::idl
