// ValuesOf: the values of a call's arguments that a condition compares, as text. Of objects, the
// name that was sent and the name that the daemon has for the UUID that was sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helio/virt/relay/objects_internal.h"

namespace helio::virt::relay {

class ValuesOf final {
 public:
    // What is found is added to `values`, what has to be asked first to `questions`.
    ValuesOf(const reflect::Tree& tree, const Answers& answers, std::vector<std::string>& values,
             std::vector<Question>& questions)
        : tree_(tree), answers_(answers), values_(values), questions_(questions) {}

    // Every value at a path. With a kind, they are names of such objects.
    void at(const std::vector<std::string>& path, std::optional<ObjectKind> kind);
    // The names of all objects of this kind.
    void objects(ObjectKind kind);
    // What the first argument of such a procedure stands for. False: it cannot be told.
    bool looked_up(Lookup lookup, ObjectKind kind);

 private:
    void add(reflect::NodeIndex node);
    void add_text(ByteView bytes);
    void add_true_name(reflect::NodeIndex object, ObjectKind kind);
    void ask(const Question& question);

    const reflect::Tree& tree_;
    const Answers& answers_;
    std::vector<std::string>& values_;
    std::vector<Question>& questions_;
};

}  // namespace helio::virt::relay
