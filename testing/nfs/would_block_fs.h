// Reluctant: wraps another file system and returns would_block from every `one_in`th call, so that
// it is made on the pool. It can also wait in the middle of each listing, claim that it always
// blocks, or fail calls before they reach the file system, and it counts the calls that waited.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "helio/vfs/file_system.h"

namespace helio::nfs {

class Reluctant final : public vfs::FileSystem {
 public:
    Reluctant(std::shared_ptr<vfs::FileSystem> inner, unsigned one_in)
        : inner_(std::move(inner)), one_in_(one_in) {}
    std::atomic<std::uint64_t> waited = 0;
    std::atomic<std::uint64_t> asked_at_once = 0;
    std::atomic<std::uint64_t> entries_given = 0;
    // Set before it is used:
    bool blocks = false;
    // Instead of `one_in`: called before every call. Anything but ok is the call's result;
    // would_block is only for callers that may not block.
    std::function<vfs::Status(const vfs::Caller&)> refuse;
    std::size_t entries_before_wait = SIZE_MAX;
    std::uint64_t cookie_bits = 0;  // added to cookies
    // In place of the inner file system's, if they are set.
    vfs::OpenFiles* its_open_files = nullptr;
    vfs::RangeLocks* its_range_locks = nullptr;

    bool always_blocks() const override { return blocks; }
    vfs::FileId root() const override { return inner_->root(); }
    std::uint64_t write_verifier() const override { return inner_->write_verifier(); }
    vfs::Limits limits() const override { return inner_->limits(); }
    // These never wait.
    vfs::OpenFiles* open_files() override {
        return its_open_files != nullptr ? its_open_files : inner_->open_files();
    }
    vfs::RangeLocks* range_locks() override {
        return its_range_locks != nullptr ? its_range_locks : inner_->range_locks();
    }
    vfs::Status attributes(const vfs::Caller& caller, const vfs::FileId& file,
                           vfs::Attributes& out) override {
        return pass(caller, [&] { return inner_->attributes(caller, file, out); });
    }
    vfs::Status set_attributes(const vfs::Caller& caller, const vfs::FileId& file,
                               const vfs::Changes& changes, const std::optional<vfs::Time>& guard,
                               vfs::Change& out) override {
        return pass(caller,
                    [&] { return inner_->set_attributes(caller, file, changes, guard, out); });
    }
    vfs::Status lookup(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::LookupOut& out) override {
        return pass(caller, [&] { return inner_->lookup(caller, directory, name, out); });
    }
    vfs::Status access(const vfs::Caller& caller, const vfs::FileId& file, std::uint32_t wanted,
                       vfs::AccessOut& out) override {
        return pass(caller, [&] { return inner_->access(caller, file, wanted, out); });
    }
    vfs::Status read_link(const vfs::Caller& caller, const vfs::FileId& file, vfs::Memory& memory,
                          vfs::LinkText& out) override {
        return pass(caller, [&] { return inner_->read_link(caller, file, memory, out); });
    }
    vfs::Status read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                     std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) override {
        return pass(caller, [&] { return inner_->read(caller, file, offset, count, memory, out); });
    }
    vfs::Status write(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                      ByteView data, vfs::Stability stability, vfs::WriteOut& out) override {
        return pass(caller,
                    [&] { return inner_->write(caller, file, offset, data, stability, out); });
    }
    vfs::Status create(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, const vfs::NewFile& how,
                       vfs::CreateOut& out) override {
        return pass(caller, [&] { return inner_->create(caller, directory, name, how, out); });
    }
    vfs::Status make(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view name,
                     const vfs::NewNode& what, vfs::CreateOut& out) override {
        return pass(caller, [&] { return inner_->make(caller, directory, name, what, out); });
    }
    vfs::Status remove(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::Change& out) override {
        return pass(caller, [&] { return inner_->remove(caller, directory, name, out); });
    }
    vfs::Status remove_directory(const vfs::Caller& caller, const vfs::FileId& directory,
                                 std::string_view name, vfs::Change& out) override {
        return pass(caller, [&] { return inner_->remove_directory(caller, directory, name, out); });
    }
    vfs::Status rename(const vfs::Caller& caller, const vfs::FileId& from,
                       std::string_view from_name, const vfs::FileId& to, std::string_view to_name,
                       vfs::Change& out_from, vfs::Change& out_to) override {
        return pass(caller, [&] {
            return inner_->rename(caller, from, from_name, to, to_name, out_from, out_to);
        });
    }
    vfs::Status link(const vfs::Caller& caller, const vfs::FileId& file,
                     const vfs::FileId& directory, std::string_view name,
                     std::optional<vfs::Attributes>& out_file,
                     vfs::Change& out_directory) override {
        return pass(caller, [&] {
            return inner_->link(caller, file, directory, name, out_file, out_directory);
        });
    }
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) override {
        return pass(caller, [&] { return list_inner(caller, directory, from, sink, out); });
    }
    vfs::Status space(const vfs::Caller& caller, const vfs::FileId& file,
                      vfs::Space& out) override {
        return pass(caller, [&] { return inner_->space(caller, file, out); });
    }
    vfs::Status commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                       std::uint64_t count, vfs::Change& out) override {
        return pass(caller, [&] { return inner_->commit(caller, file, offset, count, out); });
    }

 private:
    template <class Call>
    vfs::Status pass(const vfs::Caller& caller, const Call& call) {
        if (!caller.may_block) ++asked_at_once;
        const vfs::Status refusal = refuse ? refuse(caller) : refuse_some(caller);
        if (refusal == vfs::Status::ok) return call();
        if (refusal == vfs::Status::would_block) ++waited;
        return refusal;
    }
    vfs::Status refuse_some(const vfs::Caller& caller) {
        const bool waits = !caller.may_block && ++asked_ % one_in_ == 0;
        return waits ? vfs::Status::would_block : vfs::Status::ok;
    }

    // Stops the listing where it should wait.
    struct Passing final : vfs::EntrySink {
        Passing(Reluctant& files, vfs::EntrySink& to, std::size_t room)
            : owner(files), sink(to), left(room) {}
        Reluctant& owner;
        vfs::EntrySink& sink;
        std::size_t left;
        bool stopped = false;
        bool add(const vfs::Entry& entry) override {
            if (left == 0) {
                stopped = true;
                return false;
            }
            vfs::Entry changed = entry;
            changed.cookie |= owner.cookie_bits;
            if (!sink.add(changed)) return false;
            --left;
            ++owner.entries_given;
            return true;
        }
    };
    vfs::Status list_inner(const vfs::Caller& caller, const vfs::FileId& directory,
                           vfs::ListFrom from, vfs::EntrySink& sink, vfs::ListOut& out) {
        Passing passing{*this, sink, caller.may_block ? SIZE_MAX : entries_before_wait};
        from.cookie &= ~cookie_bits;
        const vfs::Status status = inner_->list(caller, directory, from, passing, out);
        if (!passing.stopped) return status;
        ++waited;
        return vfs::Status::would_block;
    }

    std::shared_ptr<vfs::FileSystem> inner_;
    unsigned one_in_;
    std::atomic<std::uint64_t> asked_ = 0;
};

}  // namespace helio::nfs
