#include "helio/inspect/view/names.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <random>
#include <utility>

#include "helio/base/siphash.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/view/names_internal.h"
#include "helio/reflect/decode.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kMount = 100005;

// There are at least as many hash chains as nodes, so that a lookup is about one comparison. Their
// number, a power of two, grows with the nodes: tables for kNamesMax would crowd out everything
// else from a processor's cache.
constexpr std::size_t kChainsMin = 1024;

FileNumber& chain_of(std::vector<FileNumber>& chains, std::uint32_t hash) {
    return chains[hash & (chains.size() - 1)];
}

bool is_compound(const Exchange& exchange) {
    return exchange.procedure != nullptr && exchange.procedure->operations != nullptr;
}

const idl::Type* list_element(const idl::Type& result, const char* path) {
    const reflect::FieldPlan plan = reflect::FieldPlan::to(result, path);
    return plan.type() != nullptr && plan.type()->element != nullptr ? plan.type()->element
                                                                     : nullptr;
}

}  // namespace

// Paths of fields in the arguments, except `object`, which is in the result, or in the arguments of
// LINK. For a list, `name` and `object` are in each element of `list`.
struct Names::Row {
    std::uint32_t program;
    std::uint32_t version;
    const char* procedure;
    Lesson lesson;
    const char* directory = "";
    const char* name = "";
    const char* object = nullptr;
    const char* to_directory = nullptr;
    const char* to_name = nullptr;
    bool object_in_arguments = false;
    const char* list = nullptr;
};

const Names::Row Names::kRows[] = {
    {kMount, 1, "MNT", Lesson::root, nullptr, "", "directory"},
    {kMount, 2, "MNT", Lesson::root, nullptr, "", "directory"},
    {kMount, 3, "MNT", Lesson::root, nullptr, "", "mountinfo.fhandle"},

    {kNfs, 3, "LOOKUP", Lesson::name, "what.dir", "what.name", "resok.object"},
    {kNfs, 3, "CREATE", Lesson::name, "where.dir", "where.name", "resok.obj.handle"},
    {kNfs, 3, "MKDIR", Lesson::name, "where.dir", "where.name", "resok.obj.handle"},
    {kNfs, 3, "MKNOD", Lesson::name, "where.dir", "where.name", "resok.obj.handle"},
    {kNfs, 3, "SYMLINK", Lesson::name, "where.dir", "where.name", "resok.obj.handle", nullptr,
     "symlink.symlink_data"},
    {kNfs, 3, "REMOVE", Lesson::forget, "object.dir", "object.name"},
    {kNfs, 3, "RMDIR", Lesson::forget, "object.dir", "object.name"},
    {kNfs, 3, "RENAME", Lesson::move, "from.dir", "from.name", nullptr, "to.dir", "to.name"},
    {kNfs, 3, "LINK", Lesson::name, "link.dir", "link.name", "file", nullptr, nullptr, true},
    {kNfs, 3, "READDIRPLUS", Lesson::list, "dir", "name", "name_handle.handle", nullptr, nullptr,
     false, "resok.reply.entries"},

    {kNfs, 2, "LOOKUP", Lesson::name, "dir", "name", "diropok.file"},
    {kNfs, 2, "CREATE", Lesson::name, "where.dir", "where.name", "diropok.file"},
    {kNfs, 2, "MKDIR", Lesson::name, "where.dir", "where.name", "diropok.file"},
    {kNfs, 2, "SYMLINK", Lesson::name, "from.dir", "from.name", nullptr, nullptr, "to"},
    {kNfs, 2, "REMOVE", Lesson::forget, "dir", "name"},
    {kNfs, 2, "RMDIR", Lesson::forget, "dir", "name"},
    {kNfs, 2, "RENAME", Lesson::move, "from.dir", "from.name", nullptr, "to.dir", "to.name"},
    {kNfs, 2, "LINK", Lesson::name, "to.dir", "to.name", "from", nullptr, nullptr, true},
};

Names::Names(const Catalogue& catalogue)
    : key_(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()),
      places_(catalogue.procedures().size()),
      nodes_(1),
      by_handle_(kChainsMin),
      by_name_(kChainsMin) {
    const auto plan = [](const idl::Type* type, const char* path) {
        return type != nullptr && path != nullptr ? reflect::FieldPlan::to(*type, path)
                                                  : reflect::FieldPlan{};
    };
    for (const Procedure& one : catalogue.procedures()) {
        const auto row =
            std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& candidate) {
                return one.shape == Shape::onc && candidate.program == one.program->number &&
                       candidate.version == one.version->number &&
                       candidate.procedure == one.procedure->short_name;
            });
        if (row == std::end(kRows)) continue;
        Places& places = places_[one.number];
        const idl::Type* const element =
            row->list != nullptr ? list_element(*one.result, row->list) : nullptr;
        places.lesson = row->lesson;
        places.directory = plan(one.arguments, row->directory);
        places.name = plan(row->list != nullptr ? element : one.arguments, row->name);
        places.object = plan(row->list != nullptr       ? element
                             : row->object_in_arguments ? one.arguments
                                                        : one.result,
                             row->object);
        places.object_in_arguments = row->object_in_arguments;
        places.to_directory = plan(one.arguments, row->to_directory);
        places.to_name = plan(one.arguments, row->to_name);
    }
    plan_moves(catalogue);
}

Names::Places* Names::places_of(const Exchange& exchange) {
    if (exchange.procedure == nullptr) return nullptr;
    Places& places = places_[exchange.procedure->number];
    return places.lesson == Lesson::none ? nullptr : &places;
}

bool Names::has_name(const Procedure& procedure) const {
    if (procedure.carried_by != nullptr) return !moves_[procedure.number].name.empty();
    const Places& places = places_[procedure.number];
    return places.lesson != Lesson::none && places.lesson != Lesson::list;
}

// NFS and MOUNT both use 0 for success.
bool Names::succeeded(const Exchange& exchange) {
    if (!exchange.paired() || exchange.reply_head.verdict != Verdict::success) return false;
    const auto status = exchange.procedure->status.find(exchange.results);
    return status && status->number == 0;
}

FileNumber Names::find_in(const reflect::FieldPlan& plan, ByteView bytes) {
    const auto handle = whole(plan, bytes);
    return handle ? id(*handle) : kNoFile;
}

void Names::learn(const Exchange& exchange) {
    if (is_compound(exchange)) {
        const bool nothing = exchange.arguments.data() == followed_arguments_ &&
                             exchange.results.data() == followed_results_ && lessons_ == 0;
        followed_arguments_ = followed_results_ = nullptr;
        if (!nothing) follow(exchange, Learn::yes);
        return;
    }
    const Places* const places = places_of(exchange);
    if (places == nullptr || !succeeded(exchange)) return;
    if (places->lesson == Lesson::list) return learn_list(exchange, *places);

    const auto name = whole(places->name, exchange.arguments);
    if (!name) return;
    const std::string_view text = as_text(*name);
    const FileNumber directory = find_in(places->directory, exchange.arguments);
    const FileNumber object = find_in(
        places->object, places->object_in_arguments ? exchange.arguments : exchange.results);
    switch (places->lesson) {
        case Lesson::root:
            if (object != kNoFile && !text.empty()) bind(object, kNoFile, text, true);
            return;
        case Lesson::name:
            if (object != kNoFile && directory != kNoFile && is_name(text))
                bind(object, directory, text, false);
            return;
        case Lesson::forget:
            return forget(named(directory, text));
        case Lesson::move: {
            const FileNumber to = find_in(places->to_directory, exchange.arguments);
            const auto to_name = whole(places->to_name, exchange.arguments);
            const FileNumber moved = named(directory, text);
            if (to == kNoFile || !to_name || !is_name(as_text(*to_name))) return forget(moved);
            const FileNumber replaced = named(to, as_text(*to_name));
            if (replaced != moved) forget(replaced);
            if (moved != kNoFile) bind(moved, to, as_text(*to_name), false);
            return;
        }
        case Lesson::list:
        case Lesson::none:
            return;
    }
}

void Names::learn_list(const Exchange& exchange, const Places& places) {
    const FileNumber directory = find_in(places.directory, exchange.arguments);
    if (directory == kNoFile || places.name.type() == nullptr) return;
    reflect::decode_into(tree_, exchange.results, *exchange.procedure->result, {.strict = false});
    for (const reflect::Node& node : tree_.nodes) {
        if (node.element == reflect::kNoElement || node.role != reflect::Role::structure) continue;
        const ByteView entry = exchange.results.subspan(node.offset, node.size);
        const auto name = whole(places.name, entry);
        if (!name || !is_name(as_text(*name))) continue;
        const FileNumber object = find_in(places.object, entry);
        if (object != kNoFile) bind(object, directory, as_text(*name), false);
    }
}

FileNumber Names::id(ByteView handle) {
    if (handle.empty() || handle.size() > kHandleSizeMax) return kNoFile;
    const auto hash = static_cast<std::uint32_t>(siphash13(key_, 0, handle));
    for (FileNumber at = chain_of(by_handle_, hash); at != kNoFile;
         at = nodes_[at].next_by_handle) {
        if (nodes_[at].handle_hash == hash && is_of(handle, nodes_[at])) return at;
    }
    if (nodes_.size() > kNamesMax || bytes_.size() + handle.size() > kNamesBytesMax) return kNoFile;
    if (nodes_.size() > by_handle_.size()) grow_chains();
    FileNumber& chain = chain_of(by_handle_, hash);
    const auto number = static_cast<FileNumber>(nodes_.size());
    nodes_.push_back({.handle_at = static_cast<std::uint32_t>(bytes_.size()),
                      .handle_size = static_cast<std::uint16_t>(handle.size()),
                      .next_by_handle = chain,
                      .handle_hash = hash});
    bytes_.insert(bytes_.end(), handle.begin(), handle.end());
    chain = number;
    return number;
}

void Names::grow_chains() {
    const std::size_t count = 2 * by_handle_.size();
    by_handle_.assign(count, kNoFile);
    by_name_.assign(count, kNoFile);
    for (FileNumber file = 1; file < nodes_.size(); ++file) {
        Node& node = nodes_[file];
        node.next_by_handle = std::exchange(chain_of(by_handle_, node.handle_hash), file);
        if (node.named) node.next_by_name = std::exchange(chain_of(by_name_, node.name_hash), file);
    }
}

FileNumber Names::id(const Exchange& exchange) {
    if (is_compound(exchange)) {
        follow(exchange, Learn::no);
        followed_arguments_ = exchange.arguments.data();
        followed_results_ = exchange.results.data();
        return file_once(subject_);
    }
    return exchange.procedure != nullptr ? find_in(exchange.procedure->handle, exchange.arguments)
                                         : kNoFile;
}

std::uint32_t Names::hash_of(FileNumber directory, std::string_view name) const {
    return static_cast<std::uint32_t>(siphash13(key_, directory, as_bytes(name)));
}

FileNumber Names::named(FileNumber directory, std::string_view name) const {
    if (directory == kNoFile) return kNoFile;
    const std::uint32_t hash = hash_of(directory, name);
    for (FileNumber at = by_name_[hash & (by_name_.size() - 1)]; at != kNoFile;
         at = nodes_[at].next_by_name) {
        const Node& node = nodes_[at];
        if (node.name_hash == hash && node.directory == directory && name_of(node) == name)
            return at;
    }
    return kNoFile;
}

void Names::forget(FileNumber file) {
    if (file == kNoFile || !nodes_[file].named) return;
    Node& node = nodes_[file];
    FileNumber* link = &chain_of(by_name_, node.name_hash);
    while (*link != file) link = &nodes_[*link].next_by_name;
    *link = node.next_by_name;
    node.named = false;
}

void Names::bind(FileNumber file, FileNumber directory, std::string_view name, bool root) {
    Node& node = nodes_[file];
    if (file == directory || name.size() > UINT16_MAX) return;
    if (node.named && node.directory == directory && name_of(node) == name) return;
    // "/export" is better than "fh:1a2b3c4d/export".
    if (node.named && node.root && !root && !nodes_[directory].named) return;
    if (!root) forget(named(directory, name));  // the name belonged to another file
    forget(file);
    if (name.size() > node.name_room) {
        if (bytes_.size() + name.size() > kNamesBytesMax) return;
        node.name_at = static_cast<std::uint32_t>(bytes_.size());
        node.name_room = static_cast<std::uint16_t>(name.size());
        bytes_.resize(bytes_.size() + name.size());
    }
    std::memcpy(bytes_.data() + node.name_at, name.data(), name.size());
    node.name_size = static_cast<std::uint16_t>(name.size());
    node.named = true;
    node.root = root;
    node.directory = directory;
    node.name_hash = hash_of(directory, name);
    FileNumber& chain = chain_of(by_name_, node.name_hash);
    node.next_by_name = chain;
    chain = file;
}

std::string_view Names::name_of(const Node& node) const {
    return as_text(ByteView{bytes_}.subspan(node.name_at, node.name_size));
}

void Names::append_unknown(std::string& out, ByteView handle) {
    const std::uint32_t hash = handle_hash(handle);
    out += "fh:";
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15];
}

void Names::append_path(std::string& out, FileNumber file) const {
    FileNumber way[kPathDepthMax];
    std::uint32_t depth = 0;
    std::size_t size = 0;
    while (nodes_[file].named && !nodes_[file].root && depth < kPathDepthMax &&
           size < kPathSizeMax) {
        size += nodes_[file].name_size + 1u;
        way[depth++] = file;
        file = nodes_[file].directory;
    }
    const Node& top = nodes_[file];
    if (depth == kPathDepthMax || size >= kPathSizeMax) {
        out += "...";
    } else if (!top.named) {
        append_unknown(out, handle_of(top));
    } else if (name_of(top) != "/" || depth == 0) {
        out += name_of(top);
    }
    while (depth != 0) {
        out += '/';
        out += name_of(nodes_[way[--depth]]);
    }
}

std::string Names::path(FileNumber file) const {
    std::string out;
    append_path(out, file);
    return out;
}

void Names::append_member(std::string& out, FileNumber directory, std::string_view name) const {
    const std::size_t before = out.size();
    append_path(out, directory);
    if (std::string_view{out}.substr(before) != "/") out += '/';
    out += name.substr(0, kPathSizeMax);
}

bool Names::append_path(std::string& out, const Exchange& exchange) {
    if (exchange.procedure == nullptr) return false;
    if (is_compound(exchange)) {
        follow(exchange, Learn::no);
        if (subject_.known) append_place(out, subject_);
        return subject_.known;
    }
    const Places* const places = places_of(exchange);
    const bool by_name =
        places != nullptr && places->lesson != Lesson::list && !places->object_in_arguments;
    const auto name = by_name ? whole(places->name, exchange.arguments) : std::nullopt;
    if (name && places->lesson == Lesson::root) {
        out += as_text(*name);
        return true;
    }
    const auto handle =
        whole(by_name ? places->directory : exchange.procedure->handle, exchange.arguments);
    if (!handle) return false;
    const FileNumber file = id(*handle);
    if (file == kNoFile) {
        append_unknown(out, *handle);
        if (name) out.append("/").append(as_text(*name).substr(0, kPathSizeMax));
    } else if (name) {
        append_member(out, file, as_text(*name));
    } else {
        append_path(out, file);
    }
    return true;
}

bool Names::append_target(std::string& out, const Exchange& exchange) {
    if (is_compound(exchange)) {
        follow(exchange, Learn::no);
        if (target_.known) append_place(out, target_);
        return target_.known;
    }
    const Places* const places = places_of(exchange);
    if (places == nullptr) return false;
    const bool link = places->object_in_arguments;
    const auto name = whole(link ? places->name : places->to_name, exchange.arguments);
    if (!name) return false;
    const FileNumber directory =
        find_in(link ? places->directory : places->to_directory, exchange.arguments);
    if (directory == kNoFile) {
        out += as_text(*name).substr(0, kPathSizeMax);
    } else {
        append_member(out, directory, as_text(*name));
    }
    return true;
}

}  // namespace helio::inspect
