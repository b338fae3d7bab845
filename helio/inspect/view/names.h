// Names: maps file handles, which only a server can interpret, to paths, as the capture reveals
// them: MNT gives a handle its export's path; LOOKUP, CREATE, MKDIR, SYMLINK, MKNOD, LINK and
// READDIRPLUS give one a name in a directory; RENAME moves it; REMOVE and RMDIR remove it. Works
// for NFS 4, 3 and 2 and every version of MOUNT; tables list the fields of each procedure and, for
// NFS 4, what each operation does to the current file of its COMPOUND.
//
// A handle is a node (directory, name); its path is made when printed. Handles without a name are
// shown by a hash of their bytes, the same in every run: "fh:1a2b3c4d". A file with several names
// has the one seen last. Handles are assumed to mean the same at every server.
//
// Memory is bounded: at kNamesMax nodes or kNamesBytesMax bytes of handles and names, no further
// handle is learned, so that numbers keep their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

// Files that can be named. With the bytes below and the tables: 8 MiB.
inline constexpr std::uint32_t kNamesMax = 65536;
inline constexpr std::size_t kNamesBytesMax = 5u << 20;

// RFC 1813 §2.4 allows 64 bytes; a user's schema may allow more.
inline constexpr std::size_t kHandleSizeMax = 256;

// A path is cut at its front beyond this many bytes or directories: captures can contain cycles.
inline constexpr std::size_t kPathSizeMax = 4096;
inline constexpr std::uint32_t kPathDepthMax = 256;

// Small numbers, counted from 1 in the order in which handles were seen.
using FileNumber = std::uint32_t;
inline constexpr FileNumber kNoFile = 0;  // no handle, or no room for it

class Names final {
 public:
    explicit Names(const Catalogue& catalogue);
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

    // Learns from an exchange; costs two loads if there is nothing to learn. Call it for every
    // exchange, even one filtered out, after the views have shown it.
    void learn(const Exchange& exchange);

    // One lookup. A new handle is remembered and gets the next number.
    FileNumber id(ByteView handle);
    // The file that the call is about: its first handle; for a COMPOUND, the file that it went to
    // last, or whose name it used. kNoFile if there is none.
    FileNumber id(const Exchange& exchange);
    // The highest number given so far.
    FileNumber count() const { return static_cast<FileNumber>(nodes_.size() - 1); }

    // "/export/a/b", "fh:1a2b3c4d/b". Raw bytes: escape them for a terminal.
    void append_path(std::string& out, FileNumber file) const;
    std::string path(FileNumber file) const;
    static void append_unknown(std::string& out, ByteView handle);

    // The call's subject: the path of its handle, or of the name it gives in a directory. False,
    // with nothing appended, if the procedure has no handle or the arguments are missing.
    bool append_path(std::string& out, const Exchange& exchange);
    // The new path of RENAME and LINK, the text of SYMLINK.
    bool append_target(std::string& out, const Exchange& exchange);
    // Does append_path add a name to the handle for this procedure or operation?
    bool has_name(const Procedure& procedure) const;

 private:
    enum class Lesson : std::uint8_t { none, root, name, move, forget, list };
    // Paths to a procedure's fields, resolved from the table once per procedure.
    struct Places {
        Lesson lesson = Lesson::none;
        reflect::FieldPlan directory, name, object;
        bool object_in_arguments = false;  // LINK's
        reflect::FieldPlan to_directory, to_name;
    };
    struct Row;
    static const Row kRows[];

    // A compound's current file, which each operation uses or changes.
    enum class Move : std::uint8_t {
        none,
        to_root,
        to_handle,
        to_name,  // in the current directory
        to_parent,
        save,
        restore,
        tell,    // the reply has the handle of the current file
        remove,  // a name in the current directory
        rename,  // from the saved directory to the current one
        link,    // the saved file gets a name in the current directory
    };
    struct MoveOf {
        Move move = Move::none;
        reflect::FieldPlan name, to_name;
        reflect::FieldPlan handle;  // in the arguments of to_handle, in the result of tell
    };
    struct MoveRow;
    static const MoveRow kMoves[];

    // A place in the tree: a file, and below it names whose handles are unknown so far.
    struct Place {
        bool known = false;
        FileNumber base = kNoFile;  // kNoFile: the server's root, whose handle is unknown
        std::string below;          // "a/b"; empty: the base itself
        // What file_at() found, as long as nothing is learned.
        std::optional<FileNumber> file = {};

        void go(FileNumber to) {
            known = to != kNoFile;
            base = to;
            below.clear();
            file.reset();
        }
    };
    enum class Learn : bool { no, yes };
    void plan_moves(const Catalogue& catalogue);
    // Follows the operations; leaves the results in subject_, target_ and link_text_.
    void follow(const Exchange& exchange, Learn learn);
    void follow_change(const MoveOf& move, ByteView arguments, Learn learn);
    void descend(Place& place, std::string_view name) const;
    void ascend(Place& place) const;
    FileNumber file_at(const Place& place) const;
    void append_place(std::string& out, const Place& place) const;
    void bind_place(FileNumber file, const Place& place);
    FileNumber file_once(Place& place) const;
    FileNumber current_file();

    struct Node {
        std::uint32_t handle_at = 0;  // in bytes_
        std::uint32_t name_at = 0;
        std::uint16_t handle_size = 0;
        std::uint16_t name_size = 0;
        std::uint16_t name_room = 0;  // capacity at name_at
        bool named = false;
        bool root = false;  // the name is a complete path
        FileNumber directory = kNoFile;
        FileNumber next_by_handle = kNoFile;
        FileNumber next_by_name = kNoFile;
        std::uint32_t handle_hash = 0;
        std::uint32_t name_hash = 0;
    };

    Places* places_of(const Exchange& exchange);
    static bool succeeded(const Exchange& exchange);
    FileNumber find_in(const reflect::FieldPlan& plan, ByteView bytes);
    void learn_list(const Exchange& exchange, const Places& places);
    void grow_chains();
    void bind(FileNumber file, FileNumber directory, std::string_view name, bool root);
    void forget(FileNumber file);
    FileNumber named(FileNumber directory, std::string_view name) const;
    void append_member(std::string& out, FileNumber directory, std::string_view name) const;

    std::string_view name_of(const Node& node) const;
    ByteView handle_of(const Node& node) const {
        return ByteView{bytes_}.subspan(node.handle_at, node.handle_size);
    }
    bool is_of(ByteView handle, const Node& node) const {
        return node.handle_size == handle.size() &&
               std::memcmp(bytes_.data() + node.handle_at, handle.data(), handle.size()) == 0;
    }
    std::uint32_t hash_of(FileNumber directory, std::string_view name) const;

    const std::uint64_t key_;     // hash key: no capture can be forged to share one chain
    std::vector<Places> places_;  // by Procedure::number
    std::vector<Node> nodes_;     // [0] is unused
    std::vector<FileNumber> by_handle_, by_name_;  // heads of the chains
    std::vector<std::byte> bytes_;
    reflect::Tree tree_;

    std::vector<MoveOf> moves_;  // by Procedure::number
    FileNumber root_ = kNoFile;  // of NFS 4's one tree
    Place current_, saved_, subject_, target_;
    bool named_ = false;  // subject_ comes from a name
    // id() was called for the exchange with these bytes, and how many of its operations teach
    // something new. learn() comes after it, and has nothing to do if there are none.
    const std::byte* followed_arguments_ = nullptr;
    const std::byte* followed_results_ = nullptr;
    std::uint32_t lessons_ = 0;
};

}  // namespace helio::inspect
