#include <cstring>
#include <ctime>
#include <stdexcept>

#include <sys/random.h>

#include "helio/backend/memory/tree_internal.h"
#include "helio/base/assert.h"

namespace helio::backend::memory {

using namespace vfs;

namespace {

constexpr std::uint32_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86'400;

std::uint64_t random_word() {
    std::uint64_t word = 0;
    while (word == 0) {
        if (getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word))
            throw std::runtime_error("the system gives no random bytes");
    }
    return word;
}

Time just_after(Time time) {
    if (++time.nanoseconds == kNanoseconds) {
        time.nanoseconds = 0;
        ++time.seconds;
    }
    return time;
}

}  // namespace

Time now() {
    timespec clock{};
    clock_gettime(CLOCK_REALTIME, &clock);
    return {clock.tv_sec, static_cast<std::uint32_t>(clock.tv_nsec)};
}

void Node::touch_attributes() {
    Time time = now();
    if (time <= changed) time = just_after(changed);
    changed = time;
    ++change;
}

void Node::touch_contents() {
    touch_attributes();
    modified = changed;
}

void Node::touch_accessed() {
    const Time time = now();
    if (accessed <= modified || accessed <= changed ||
        time.seconds - accessed.seconds > kDaySeconds)
        accessed = time;
}

Status Node::resize_extras(std::uint64_t removed, std::uint64_t added, Budget& budget) {
    if (!extras && added == 0) return Status::ok;
    const std::uint64_t before = extras ? extras->used() : 0;
    const std::uint64_t bytes = (extras ? extras->bytes : 0) - removed + added;
    const std::uint64_t after = whole_blocks(bytes);
    if (after > before && !budget.take(after - before)) return Status::no_space;
    if (after < before) budget.give(before - after);
    if (!extras) extras = std::make_unique<Extras>();
    extras->bytes = bytes;
    return Status::ok;
}

TreeLock::TreeLock() {
    pthread_rwlockattr_t how;
    HELIO_ASSERT(pthread_rwlockattr_init(&how) == 0);
    pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    HELIO_ASSERT(pthread_rwlock_init(&lock_, &how) == 0);
    pthread_rwlockattr_destroy(&how);
}

Node* Directory::find(std::string_view name) const {
    const auto at = entries.find(name);
    return at == entries.end() ? nullptr : at->second.node;
}

void Directory::add_at(std::uint64_t cookie, std::string_view name, Node& node) {
    const auto [at, added] = entries.emplace(std::string{name}, DirectoryEntry{&node, cookie});
    HELIO_ASSERT(added);
    by_cookie.emplace_hint(by_cookie.end(), cookie, &*at);
}

void Directory::remove(std::string_view name) {
    const auto at = entries.find(name);
    HELIO_ASSERT(at != entries.end());
    by_cookie.erase(at->second.cookie);
    entries.erase(at);
}

Tree::Tree(const MemoryOptions& options)
    : budget(options.bytes_max),
      files_max(options.files_max),
      write_verifier(options.start_verifier != 0 ? options.start_verifier : random_word()),
      generation(random_word()),
      hash{random_word(), random_word()} {
    root = &nodes.try_emplace(next_number, next_number, FileType::directory).first->second;
    ++next_number;
    root->directory = std::make_unique<Directory>(root, hash);
    root->mode = options.root_mode & 07777;
    root->links = 2;
    root->uid = options.root_uid;
    root->gid = options.root_gid;
    root->touch_contents();
    root->accessed = root->modified;
}

Node* Tree::find(const FileId& id) {
    std::uint64_t words[2];
    if (id.size != sizeof words) return nullptr;
    std::memcpy(words, id.bytes.data(), sizeof words);
    if (words[1] != generation) return nullptr;
    const auto at = nodes.find(words[0]);
    return at == nodes.end() || at->second.links == 0 ? nullptr : &at->second;
}

FileId Tree::id_of(const Node& node) const {
    const std::uint64_t words[2] = {node.number, generation};
    FileId id;
    id.size = sizeof words;
    std::memcpy(id.bytes.data(), words, sizeof words);
    return id;
}

Attributes Tree::describe(const Node& node) const {
    Attributes out;
    out.type = node.type;
    out.mode = node.mode;
    out.links = node.links;
    out.uid = node.uid;
    out.gid = node.gid;
    if (node.is_regular()) {
        out.size = node.content.size();
        out.used = node.content.used();
    } else if (node.is_directory()) {
        out.size = out.used = kBlockBytes;
    } else if (node.type == FileType::symlink) {
        out.size = node.target.size();
        out.used = out.size > kTargetBytesFree ? kBlockBytes : 0;
    }
    if (node.extras) out.used += node.extras->used();
    out.device_major = node.device_major;
    out.device_minor = node.device_minor;
    out.block_size = kBlockBytes;
    out.fsid = generation;
    out.fileid = node.number;
    out.accessed = node.accessed;
    out.modified = node.modified;
    out.changed = node.changed;
    out.change = node.change;
    return out;
}

Attributes Tree::snapshot(const Node& node) const {
    const std::lock_guard hold(node.mutex);
    return describe(node);
}

Node* Tree::add_node(FileType type) {
    // Files that are open without a name count too.
    if (names >= files_max || nodes.size() > files_max) return nullptr;
    Node& node = nodes.try_emplace(next_number, next_number, type).first->second;
    ++next_number;
    node.touch_contents();
    node.accessed = node.modified;
    return &node;
}

void Tree::add_name(Node& directory, std::string_view name, Node& node) {
    directory.directory->add(name, node);
    ++names;
    ++node.links;
    if (node.is_directory()) {
        node.directory->parent = &directory;
        ++node.links;  // its own "."
        ++directory.links;
    }
    directory.touch_contents();
}

void Tree::remove_name(Node& directory, std::string_view name, Node& node) {
    directory.directory->remove(name);
    --names;
    --node.links;
    if (node.is_directory()) {
        --node.links;
        --directory.links;
    }
    directory.touch_contents();
    node.touch_attributes();
    drop(node);
}

void Tree::drop(Node& node) {
    if (node.links > 0 || node.opens > 0) return;
    std::uint64_t used = node.content.used();
    if (node.target.size() > kTargetBytesFree) used += kBlockBytes;
    if (node.extras) used += node.extras->used();
    budget.give(used);
    nodes.erase(node.number);
}

bool Tree::is_within(const Node& node, const Node& ancestor) const {
    for (const Node* at = &node;; at = at->directory->parent) {
        if (at == &ancestor) return true;
        if (at == root) return false;
    }
}

}  // namespace helio::backend::memory
