// A procedure's arguments as one type. RFC 5531 §12.2 allows several, without names. They are
// encoded like the fields of a struct, so they are decoded as one: arg1, arg2 …
#pragma once

#include "helio/idl/schema.h"

namespace helio::reflect {

// Refers to itself and to the Schema: not movable, and must outlive the trees made with it.
class Arguments final {
 public:
    explicit Arguments(const idl::Procedure& procedure);
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    const idl::Type& type() const { return *type_; }  // none: void; one: that type

 private:
    idl::Type made_;
    const idl::Type* type_ = &made_;
};

}  // namespace helio::reflect
