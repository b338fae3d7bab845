// ValuesOf: the values among a call's arguments that a condition compares, as text. For objects:
// the name sent, and the daemon's name for the UUID sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helio/virt/relay/objects_internal.h"

namespace helio::virt::relay {

class ValuesOf final {
 public:
    // Adds values to `values`, and what has to be asked first to `questions`.
    ValuesOf(const reflect::Tree& tree, const Answers& answers, std::vector<std::string>& values,
             std::vector<Question>& questions)
        : tree_(tree), answers_(answers), values_(values), questions_(questions) {}

    // All values at a path. With a kind, they are names of such objects.
    void at(const std::vector<std::string>& path, std::optional<ObjectKind> kind);
    // The names of all objects of this kind.
    void objects(ObjectKind kind);
    // The names of such objects in plain fields and typed parameters.
    enum class Named : std::uint8_t { undecidable, not_identified, identified };
    Named fields(ObjectKind kind);
    // The object that the first argument of such a procedure names. False: undecidable.
    bool looked_up(Lookup lookup, ObjectKind kind);

 private:
    void add(reflect::NodeIndex node);
    bool add_name(reflect::NodeIndex node, NameField::Form form, ObjectKind kind);
    const NameField* name_field_at(reflect::NodeIndex node, ObjectKind kind) const;
    void add_text(ByteView bytes);
    void add_true_name(reflect::NodeIndex object, ObjectKind kind);
    void ask(const Question& question);

    const reflect::Tree& tree_;
    const Answers& answers_;
    std::vector<std::string>& values_;
    std::vector<Question>& questions_;
};

}  // namespace helio::virt::relay
