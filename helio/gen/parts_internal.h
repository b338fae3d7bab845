// The generator's output files, one function each, and the helpers they share.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "helio/gen/model_internal.h"
#include "helio/gen/text_internal.h"

namespace helio::gen {

std::string write_header(const Model& model);
std::string write_codec_header(const Model& model);
std::string write_decode(const Model& model);
std::string write_encode(const Model& model);
std::string write_values(const Model& model);
std::string write_service_header(const Model& model);
std::string write_service(const Model& model);
std::string write_table(const Model& model);

// "Made by helio gen from nfs3.x; changes belong there."
std::string banner(const Model& model);
void open_namespace(const Model& model, Text& out);
void close_namespace(const Model& model, Text& out);

// `const T`, for a T that may itself be a pointer.
inline std::string const_of(const std::string& cpp_type) {
    return cpp_type.ends_with('*') ? cpp_type + " const" : "const " + cpp_type;
}

inline bool is_void(const idl::Arm& arm) {
    return idl::resolve(*arm.field.type).kind == Kind::void_;
}

// Member names of a union's class. Arms may have the same name as the discriminant or the union
// itself.
class UnionNames final {
 public:
    explicit UnionNames(const Type& type);
    const std::string& discriminant() const { return discriminant_; }
    const std::string& arm(const idl::Arm& arm) const { return arms_.at(&arm); }

 private:
    std::string discriminant_;
    std::unordered_map<const idl::Arm*, std::string> arms_;
};

// Member names of a sparse struct, some of whose names are its own.
class SparseNames final {
 public:
    explicit SparseNames(const Type& type);
    const std::string& field(const idl::Field& field) const { return fields_.at(&field); }

 private:
    std::unordered_map<const idl::Field*, std::string> fields_;
};

// `NFS3_OK`, `7`, `true`: a case as it appears in a C++ switch over the discriminant.
std::string case_label(const Model& model, const Type& union_type, const idl::Arm::Case& one);
// A condition on `discriminant` that holds when `arm` is the current one.
std::string selects(const Model& model, const Type& union_type, const idl::Arm& arm,
                    std::string_view discriminant);
// The same for all arms without content together; empty when there are none.
std::string selects_void(const Model& model, const Type& union_type, std::string_view discriminant);

}  // namespace helio::gen
