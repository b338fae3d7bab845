// Names of files in NFS 4, whose operations are about a current file that the ones before them
// chose.
#include <algorithm>
#include <iterator>

#include "helio/inspect/operations.h"
#include "helio/inspect/view/names.h"
#include "helio/inspect/view/names_internal.h"

namespace helio::inspect {

struct Names::MoveRow {
    const char* operation;
    Move move;
    const char* name = nullptr;
    const char* to_name = nullptr;
};

const Names::MoveRow Names::kMoves[] = {
    {"PUTROOTFH", Move::to_root},
    {"PUTPUBFH", Move::to_root},
    {"PUTFH", Move::to_handle},
    {"LOOKUP", Move::to_name, "objname"},
    {"OPEN", Move::to_name, "claim.file"},
    {"CREATE", Move::to_name, "objname"},
    {"LOOKUPP", Move::to_parent},
    {"SAVEFH", Move::save},
    {"RESTOREFH", Move::restore},
    {"GETFH", Move::tell},
    {"REMOVE", Move::remove, "target"},
    {"RENAME", Move::rename, "oldname", "newname"},
    {"LINK", Move::link, "newname"},
};

void Names::plan_moves(const Catalogue& catalogue) {
    moves_.resize(catalogue.procedures().size());
    for (const Procedure& one : catalogue.procedures()) {
        if (one.carried_by == nullptr || one.program->number != kNfs) continue;
        const auto row = std::find_if(std::begin(kMoves), std::end(kMoves), [&](const auto& move) {
            return one.procedure->short_name == move.operation;
        });
        if (row == std::end(kMoves)) continue;
        MoveOf& move = moves_[one.number];
        move.move = row->move;
        if (row->name != nullptr) move.name = reflect::FieldPlan::to(*one.arguments, row->name);
        if (row->to_name != nullptr)
            move.to_name = reflect::FieldPlan::to(*one.arguments, row->to_name);
        if (row->move == Move::to_handle) move.handle = one.handle;
        if (row->move == Move::tell)
            move.handle = reflect::FieldPlan::to(*one.result, "resok4.object");
    }
}

void Names::follow(const Exchange& exchange, Learn learn) {
    for (Place* const one : {&current_, &saved_, &subject_, &target_}) one->go(kNoFile);
    named_ = false;
    lessons_ = 0;
    bool failed = false;
    for (const Operation& operation : exchange.operations()) {
        if (failed || operation.procedure == nullptr) break;
        const MoveOf& move = moves_[operation.procedure->number];
        // The name of the operation that failed still belongs to the subject.
        failed = operation.answered && !operation.succeeded();
        const Learn now = learn == Learn::yes && operation.succeeded() ? Learn::yes : Learn::no;
        lessons_ += move.move > Move::tell;
        switch (move.move) {
            case Move::to_root:
                current_.go(root_);
                current_.known = true;
                break;
            case Move::to_handle:
                current_.go(find_in(move.handle, operation.arguments));
                break;
            case Move::to_parent:
                ascend(current_);
                break;
            case Move::save:
                saved_ = current_;
                break;
            case Move::restore:
                current_ = saved_;
                break;
            case Move::tell: {
                const auto handle = whole(move.handle, operation.result);
                if (!handle || handle->empty()) break;
                // If the name leads to the file already, there is nothing to learn.
                if (learn == Learn::no && is_of(*handle, nodes_[current_file()])) break;
                const FileNumber file = id(*handle);
                if (file == kNoFile) break;
                ++lessons_;
                if (now == Learn::yes) bind_place(file, current_);
                break;
            }
            case Move::none:
                break;
            default:
                follow_change(move, operation.arguments, now);
        }
    }
    if (!named_) subject_ = current_;
}

// Operations with names.
void Names::follow_change(const MoveOf& move, ByteView arguments, Learn learn) {
    const auto bytes = whole(move.name, arguments);
    if (!bytes) return;  // OPEN of the current file itself
    const std::string_view name = as_text(*bytes);
    named_ = true;
    switch (move.move) {
        case Move::to_name:
            descend(current_, name);
            subject_ = current_;
            return;
        case Move::remove:
            subject_ = current_;
            descend(subject_, name);
            if (learn == Learn::yes) forget(file_at(subject_));
            return;
        case Move::link:
            subject_ = saved_;
            target_ = current_;
            descend(target_, name);
            if (const FileNumber file = file_at(saved_); learn == Learn::yes && file != kNoFile)
                bind_place(file, target_);
            return;
        case Move::rename: {
            subject_ = saved_;
            target_ = current_;
            descend(subject_, name);
            if (const auto to = whole(move.to_name, arguments)) descend(target_, as_text(*to));
            if (learn == Learn::no) return;
            const FileNumber moved = file_at(subject_);
            const FileNumber replaced = file_at(target_);
            if (replaced != moved) forget(replaced);
            if (moved != kNoFile) bind_place(moved, target_);
            return;
        }
        default:
            return;
    }
}

void Names::descend(Place& place, std::string_view name) const {
    place.file.reset();
    if (!is_name(name) || place.below.size() + name.size() >= kPathSizeMax) place.known = false;
    if (!place.known) return;
    if (!place.below.empty()) place.below += '/';
    place.below += name;
}

void Names::ascend(Place& place) const {
    place.file.reset();
    if (!place.below.empty()) {
        const std::size_t slash = place.below.rfind('/');
        place.below.resize(slash == std::string::npos ? 0 : slash);
    } else if (place.base != kNoFile && nodes_[place.base].named && !nodes_[place.base].root) {
        place.base = nodes_[place.base].directory;
    } else {
        place.known = false;
    }
}

// By the names that are known; kNoFile if one of them is not.
FileNumber Names::file_at(const Place& place) const {
    if (!place.known) return kNoFile;
    FileNumber at = place.base;
    std::string_view below = place.below;
    while (!below.empty() && at != kNoFile) {
        const std::size_t slash = below.find('/');
        at = named(at, below.substr(0, slash));
        below = slash == below.npos ? std::string_view{} : below.substr(slash + 1);
    }
    return at;
}

FileNumber Names::file_once(Place& place) const {
    if (!place.file) place.file = file_at(place);
    return *place.file;
}

// After LOOKUP and OPEN the current file is the subject, which id() looks up next.
FileNumber Names::current_file() {
    const FileNumber file = file_once(current_);
    if (subject_.known == current_.known && subject_.base == current_.base &&
        subject_.below == current_.below)
        subject_.file = file;
    return file;
}

void Names::append_place(std::string& out, const Place& place) const {
    if (place.base == kNoFile) {
        out.append("/").append(place.below);
    } else if (place.below.empty()) {
        append_path(out, place.base);
    } else {
        append_member(out, place.base, place.below);
    }
}

void Names::bind_place(FileNumber file, const Place& place) {
    if (!place.known || file == place.base) return;
    const std::size_t slash = place.below.rfind('/');
    const std::size_t last = slash == std::string::npos ? 0 : slash + 1;
    const Place parent{true, place.base, place.below.substr(0, last == 0 ? 0 : slash)};
    const FileNumber directory = file_at(parent);
    if (directory != kNoFile && !place.below.empty()) {
        bind(file, directory, std::string_view{place.below}.substr(last), false);
    } else if (place.base == kNoFile) {
        bind(file, kNoFile, '/' + place.below, true);
        if (place.below.empty()) root_ = file;
    }
}

}  // namespace helio::inspect
