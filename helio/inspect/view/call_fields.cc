#include <algorithm>

#include "helio/inspect/meaning_internal.h"
#include "helio/inspect/view/call_fields_internal.h"

namespace helio::inspect {
namespace {

using idl::Kind;
using idl::Type;

// No more are considered: a line shows the first few of a message.
constexpr std::size_t kFieldsMax = 8;

bool is_scalar(const Type& type) {
    switch (type.kind) {
        case Kind::int_:
        case Kind::unsigned_int:
        case Kind::hyper:
        case Kind::unsigned_hyper:
        case Kind::boolean:
        case Kind::character:
        case Kind::unsigned_character:
        case Kind::short_:
        case Kind::unsigned_short:
        case Kind::enumeration:
            return true;
        default:
            return false;
    }
}

class Collector {
 public:
    Collector(bool strings, int depth_max) : strings_(strings), depth_max_(depth_max) {}

    void collect(const Type& declared, const std::string& prefix, int depth) {
        const Type& type = idl::resolve(declared);
        if (type.kind != Kind::structure) return;
        for (const idl::Field& field : type.fields) {
            if (field.doc.starts_with("Ignored") || is_bookkeeping(field, type)) continue;
            add(field, field.name, prefix, depth);
        }
    }
    std::vector<TellingField> take() {
        // Readers of NFS look for offset and count.
        std::stable_partition(found_.begin(), found_.end(), [](const TellingField& one) {
            return one.label == "offset" || one.label == "count";
        });
        return std::move(found_);
    }

 private:
    void add(const idl::Field& field, const std::string& label, const std::string& prefix,
             int depth) {
        const Type& declared = idl::resolve(*field.type);
        const std::string path = prefix.empty() ? field.name : prefix + '.' + field.name;
        // An optional value is shown if present; a linked list is not such a value.
        const Type& type = declared.kind == Kind::optional && stands_alone_in(declared)
                               ? idl::resolve(*declared.element)
                               : declared;
        if (found_.size() >= kFieldsMax) return;
        if (is_scalar(type) || (strings_ && type.kind == Kind::string)) {
            found_.push_back({label, path});
        } else if (type.kind == Kind::structure && depth < depth_max_) {
            collect(type, path, depth + 1);
        } else if (type.kind == Kind::union_ && depth <= depth_max_) {
            of_union(type, label, path, depth);
        }
    }

    // set_mode3 and the like are an optional number; for createhow3 the discriminant is shown.
    void of_union(const Type& type, const std::string& label, const std::string& path, int depth) {
        const Type& switched = idl::resolve(*type.discriminant.type);
        const idl::Arm* const yes = type.arm_for(1);
        if (switched.kind == Kind::boolean && yes != nullptr &&
            is_scalar(idl::resolve(*yes->field.type))) {
            found_.push_back({label, path + '.' + yes->field.name});
        } else if (switched.kind == Kind::enumeration && depth == 0) {
            found_.push_back({label, path + '.' + type.discriminant.name});
        } else if (switched.kind == Kind::enumeration) {
            of_choice(type, label, path);
        }
    }

    // set_atime and set_mtime: the client's time if there is one, or else how it is set.
    void of_choice(const Type& type, const std::string& label, const std::string& path) {
        for (const idl::Arm& arm : type.arms) {
            const Type& time = idl::resolve(*arm.field.type);
            const unsigned digits = fraction_digits(time);
            if (digits == 0) continue;
            const std::string inside = path + '.' + arm.field.name + '.';
            found_.push_back(
                {label, inside + time.fields[0].name, inside + time.fields[1].name, digits});
            found_.push_back(
                {.label = label, .path = path + '.' + type.discriminant.name, .is_choice = true});
            return;
        }
    }

    static bool is_bookkeeping(const idl::Field& field, const Type& type) {
        const Meant* const meant = find_meant(field.type->name, type.name, field.name);
        return meant != nullptr &&
               (meant->sense == Sense::bookkeeping || meant->sense == Sense::identifier);
    }

    // For a struct of seconds and their fraction: the digits of the fraction; 0 for others.
    static unsigned fraction_digits(const Type& type) {
        if (type.kind != Kind::structure || type.fields.size() != 2) return 0;
        const auto sense = [&](const idl::Field& field) {
            const Meant* const meant = find_meant(field.type->name, type.name, field.name);
            return meant == nullptr ? Sense::none : meant->sense;
        };
        if (sense(type.fields[0]) != Sense::seconds) return 0;
        const Sense fraction = sense(type.fields[1]);
        return fraction == Sense::nanoseconds ? 9 : fraction == Sense::microseconds ? 6 : 0;
    }

    static bool stands_alone_in(const Type& optional) {
        const Type& type = idl::resolve(*optional.element);
        return is_scalar(type) || type.kind == Kind::string;
    }

    const bool strings_;
    const int depth_max_;
    std::vector<TellingField> found_;
};

bool stands_alone(const Type& type, bool strings) {
    return is_scalar(type) || (strings && type.kind == Kind::string);
}

}  // namespace

std::vector<TellingField> telling_arguments(const Procedure& procedure, bool has_name) {
    const Type& type = idl::resolve(*procedure.arguments);
    if (stands_alone(type, !has_name)) return {{"", ""}};
    // The subject of a libvirt event is in its own struct.
    Collector collector{!has_name, procedure.shape == Shape::virnet ? 2 : 1};
    collector.collect(type, "", 0);
    return collector.take();
}

std::vector<TellingField> telling_results(const Procedure& procedure) {
    const Type& type = idl::resolve(*procedure.result);
    Collector collector{true, 0};
    if (type.kind == Kind::structure) collector.collect(type, "", 0);
    if (type.kind == Kind::string || (is_scalar(type) && type.kind != Kind::enumeration))
        return {{"", ""}};
    if (type.kind == Kind::union_) {
        const idl::Arm* const good = type.arm_for(0);
        if (good == nullptr) return {};
        if (stands_alone(idl::resolve(*good->field.type), true))
            return {{good->field.name, good->field.name}};
        collector.collect(*good->field.type, good->field.name, 0);
    }
    return collector.take();
}

}  // namespace helio::inspect
