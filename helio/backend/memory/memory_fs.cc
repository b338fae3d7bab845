#include "helio/backend/memory/memory_fs.h"

#include <stdexcept>

#include "helio/backend/memory/parts/parts_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

MemoryOptions& MemoryOptions::add_file(std::string_view path, std::string_view bytes) {
    files.push_back({std::string{path}, std::string{bytes}});
    return *this;
}

namespace {

[[noreturn]] void refuse(const MemoryOptions::InitialFile& file, std::string_view why) {
    throw std::invalid_argument("initial file '" + file.path + "': " + std::string{why});
}

// Removes and returns the first name of a path.
std::string_view next_name(std::string_view& path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(name.size());
    while (path.starts_with('/')) path.remove_prefix(1);
    return name;
}

Node& add_directory(Tree& tree, const MemoryOptions& options, Node& where, std::string_view name) {
    Node& made = *tree.add_node(FileType::directory);
    made.directory = std::make_unique<Directory>(&where, tree.hash);
    made.mode = 0755;
    made.uid = options.root_uid;
    made.gid = options.root_gid;
    tree.add_name(where, name, made);
    return made;
}

void add_initial(Tree& tree, const MemoryOptions& options, const MemoryOptions::InitialFile& file) {
    Node* where = tree.root;
    std::string_view path = file.path;
    std::string_view name = next_name(path);
    for (;; name = next_name(path)) {
        if (name.empty() || name == "." || name == ".." || name.size() > kNameBytesMax)
            refuse(file, "not a path");
        if (tree.names >= tree.files_max) refuse(file, "too many files");
        if (path.empty()) break;
        Node* next = where->directory->find(name);
        if (!next) next = &add_directory(tree, options, *where, name);
        if (!next->is_directory()) refuse(file, "a file is in the way");
        where = next;
    }
    if (where->directory->find(name)) refuse(file, "given twice");
    Node& made = *tree.add_node(FileType::regular);
    made.mode = 0644;
    made.uid = options.root_uid;
    made.gid = options.root_gid;
    if (!file.bytes.empty() &&
        made.content.write(0, as_bytes(file.bytes), tree.budget) != Status::ok)
        refuse(file, "no space left");
    tree.add_name(*where, name, made);
}

}  // namespace

MemoryFs::MemoryFs(const MemoryOptions& options)
    : tree_(std::make_unique<Tree>(options)), parts_(std::make_unique<Parts>(*tree_)) {
    for (const auto& file : options.files) add_initial(*tree_, options, file);
}

MemoryFs::~MemoryFs() = default;

OpenFiles* MemoryFs::open_files() { return &parts_->open_files; }
RangeLocks* MemoryFs::range_locks() { return &parts_->range_locks; }
Holes* MemoryFs::holes() { return &parts_->holes; }
Copying* MemoryFs::copying() { return &parts_->copies; }
Cloning* MemoryFs::cloning() { return &parts_->copies; }
ExtendedAttributes* MemoryFs::extended_attributes() { return &parts_->extended_attributes; }
AccessLists* MemoryFs::access_lists() { return &parts_->access_lists; }

FileId MemoryFs::root() const { return tree_->id_of(*tree_->root); }

std::uint64_t MemoryFs::write_verifier() const { return tree_->write_verifier; }

Status MemoryFs::space(const Caller&, const FileId& file, Space& out) {
    const std::shared_lock hold(tree_->lock);
    if (!tree_->find(file)) return Status::stale;
    out.bytes_total = tree_->budget.total();
    out.bytes_free = out.bytes_available = tree_->budget.free();
    out.files_total = tree_->files_max;
    out.files_free = out.files_available =
        tree_->files_max - std::min(tree_->names, tree_->files_max);
    out.block_size = kBlockBytes;
    return Status::ok;
}

Limits MemoryFs::limits() const {
    Limits limits;
    limits.file_size_max = kFileBytesMax;
    limits.name_size_max = kNameBytesMax;
    limits.links_max = kLinksMax;
    limits.time_step = {0, 1};
    return limits;
}

std::shared_ptr<FileSystem> make_memory_fs(const MemoryOptions& options) {
    return std::make_shared<MemoryFs>(options);
}

}  // namespace helio::backend
