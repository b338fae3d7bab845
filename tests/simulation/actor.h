// Actor: a program on a client machine that works in its own directory, one call after the other,
// and knows the expected replies from a Model of its files. Some of its calls are about names
// contested by all actors; for these only the combined result is known (SharedNames).
//
// An actor writes and truncates at will, even after a WRITE that was sent more than once: a copy
// that arrives late must not undo what was done since.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "helio/vfs/file_system.h"
#include "schema/mount_service.h"
#include "schema/nfs3_service.h"
#include "tests/simulation/client.h"

namespace helio::simulation {

struct File {
    nfs3::ftype3 type = nfs3::NF3REG;
    std::uint32_t mode = 0;
    std::uint32_t links = 1;
    std::string content;  // or the text of a symbolic link
    Bytes handle;
    std::optional<nfs3::nfstime3> changed;  // if it is known
    std::optional<std::uint64_t> verifier;  // of the exclusive CREATE, while it is valid
};
using Directory = std::map<std::string, std::shared_ptr<File>>;

inline constexpr std::size_t kSharedNames = 3;
// Names everybody creates and removes: created less removed is 1 or 0 at the end.
struct SharedNames {
    std::array<int, kSharedNames> balance{};
    static std::string name(std::size_t number) { return "shared" + std::to_string(number); }
};
inline constexpr std::string_view kSharedDirectory = "everybody";
inline constexpr std::uint64_t kWriteVerifier = 0x5eed5eed5eed5eed;

// A directory that is being read, page by page.
struct Listing {
    std::size_t directory = 0;
    bool plus = false;
    std::uint32_t size = 0;
    std::uint64_t cookie = 0;
    nfs3::cookieverf3 verifier{};
    std::vector<std::string> names;
};

class Actor final : public Caller {
 public:
    Actor(std::string name, const Plan& plan, Dice& dice, Trace& trace, SharedNames& shared);

    bool is_done() const override { return left_ == 0; }
    void compose(Exchange& exchange) override;
    void take_reply(Exchange& exchange) override;

    // At the end: compares the model with the files.
    void compare(vfs::FileSystem& files) const;

 private:
    using Nfs = nfs3::NFS_V3::Client;
    using Operation = std::function<void(Exchange&)>;
    static constexpr std::size_t kDirectories = 2;
    struct Place {
        std::size_t directory = 0;
        std::string name;
    };

    // First creates its directory, by ordinary calls.
    void prepare();
    void choose();
    void choose_name();
    void choose_file();

    void mount();
    void find_shared();
    void make_directory(std::size_t parent, const std::string& name, std::optional<std::size_t> is);
    void create_guarded();
    void create_exclusive();
    void create_unchecked();
    void make_link();
    void make_symlink();
    void remove();
    void remove_directory();
    void rename();
    void lookup();
    void list();
    void fight();

    void get_attributes();
    void set_mode();
    void set_size();
    void set_guarded();
    void write();
    void read();
    void read_link();
    void commit();

    // Sets the operation; its function runs once for the call and once for the reply.
    void set(std::string text, Operation operation);
    // True if it has succeeded, which it must unless a disk error was injected; in that case
    // nothing has changed.
    template <class Answer>
    bool succeeded(const Result<Answer, xdr::CallError>& answer, nfs3::nfsstat3 expected);
    bool judge(nfs3::nfsstat3 status, nfs3::nfsstat3 expected);
    std::shared_ptr<File> add(const Place& place, nfs3::ftype3 type,
                              const nfs3::post_op_fh3& handle,
                              const nfs3::post_op_attr& attributes);
    void drop(const Place& place);
    void check(bool good, std::string_view what) const;
    [[noreturn]] void fail(const std::string& what) const;
    void compare(const File& file, const nfs3::fattr3& attributes) const;
    void learn(File& file, const nfs3::post_op_attr& attributes) const;
    void compare_file(vfs::FileSystem& files, const vfs::FileId& id, const File& file) const;
    template <class Reply>
    void take_page(const Reply& reply);

    Place any_place();
    Place some_place(const std::function<bool(const File&)>& fits);
    std::shared_ptr<File> find(const Place& place) const;
    nfs3::nfs_fh3 directory(std::size_t number) const { return {handles_[number]}; }
    std::string random_text(std::size_t size);

    const std::string name_;
    const Plan& plan_;
    Dice dice_;
    Trace& trace_;
    SharedNames& shared_;
    unsigned left_;

    Bytes root_, shared_handle_;
    std::array<Bytes, kDirectories> handles_;  // its own directory, and one in it
    std::array<Directory, kDirectories> directories_;
    std::optional<Listing> listing_;

    std::string text_;
    Operation operation_;
    bool has_reply_ = false;
    bool is_checked_ = false;  // there were results to check
};

template <class Answer>
bool Actor::succeeded(const Result<Answer, xdr::CallError>& answer, nfs3::nfsstat3 expected) {
    if (!has_reply_ || !answer) return false;  // the call is being made, or there are no results
    return judge(answer->status(), expected);
}

}  // namespace helio::simulation
