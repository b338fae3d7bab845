#include "helio/idl/sema/missing_names_internal.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "helio/idl/sema/sema_internal.h"
#include "helio/idl/syntax/parser_internal.h"

namespace helio::idl {
namespace {

// Visits the names that a file defines and uses.
class NameWalk {
 public:
    void file(const ast::File& file) {
        for (const ast::Constant& each : file.constants) {
            defined_.insert(each.name);
            value(each.value);
        }
        for (const ast::TypeDefinition& each : file.types) {
            // `typedef struct a a;` uses the name and does not define it.
            const bool repeats_tag = each.type.form == ast::TypeName::Form::named &&
                                     each.type.kind != Kind::void_ && each.type.name == each.name;
            if (!repeats_tag) defined_.insert(each.name);
            declaration(each);
        }
        for (const ast::Program& each : file.programs) program(each);
    }

    MissingNames missing() && {
        std::erase_if(used_, [this](const auto& use) { return defined_.contains(use.first); });
        return std::move(used_);
    }

 private:
    void program(const ast::Program& program) {
        defined_.insert(program.name);
        value(program.number);
        for (const ast::Version& version : program.versions) {
            defined_.insert(version.name);
            value(version.number);
            for (const ast::Procedure& procedure : version.procedures) {
                defined_.insert(procedure.name);
                value(procedure.number);
                type(procedure.result);
                for (const ast::Declaration& argument : procedure.arguments) declaration(argument);
            }
        }
    }

    void declaration(const ast::Declaration& declared) {
        type(declared.type);
        value(declared.bound);
    }

    void type(const ast::TypeName& type) {
        if (type.form == ast::TypeName::Form::named) {
            if (!is_well_known_type(type.name)) used_.emplace(type.name, type.where);
            return;
        }
        if (type.body == nullptr) return;
        if (!type.name.empty()) defined_.insert(type.name);
        for (const ast::Enumerator& each : type.body->enumerators) {
            defined_.insert(each.name);
            value(each.value);
        }
        for (const ast::Declaration& field : type.body->fields) declaration(field);
        declaration(type.body->discriminant);
        for (const ast::Arm& arm : type.body->arms) {
            for (const ast::Value& label : arm.cases) value(label);
            declaration(arm.field);
        }
    }

    void value(const ast::Value& value) {
        if (value.form != ast::Value::Form::name) return;
        if (value.name != "TRUE" && value.name != "FALSE") used_.emplace(value.name, value.where);
    }

    std::unordered_set<std::string_view> defined_;
    MissingNames used_;
};

// Names that <rpc/rpc.h> of TI-RPC gives every C program: rpc/types.h, rpc/xdr.h (xdr_netobj,
// xdr_netbuf), rpc/des_crypt.h, rpc/auth_des.h.
const SourceSet& system_sources() {
    static const SourceSet sources = [] {
        SourceSet made;
        made.add("rpc/rpc.h", R"(
const MAXNETNAMELEN = 255;
const MAX_NETOBJ_SZ = 1024;
typedef opaque netobj<1024>;
typedef opaque des_block[8];
typedef unsigned int rpcprog_t;
typedef unsigned int rpcvers_t;
typedef unsigned int rpcproc_t;
typedef unsigned int rpcprot_t;
typedef unsigned int rpcport_t;
struct netbuf { unsigned int maxlen; opaque buf<>; };
)");
        return made;
    }();
    return sources;
}

template <class Definition>
void keep_missing(std::vector<Definition>& definitions, const MissingNames& missing) {
    std::erase_if(definitions,
                  [&](const Definition& each) { return !missing.contains(each.name); });
    for (Definition& each : definitions) each.where = missing.at(each.name);
}

}  // namespace

MissingNames missing_names(const std::vector<ast::File>& files) {
    NameWalk walk;
    for (const ast::File& file : files) walk.file(file);
    return std::move(walk).missing();
}

void adopt_header_constants(std::vector<ast::File>& files) {
    // One may refer to the next: `%#define A B`. Real chains are short.
    constexpr int kRoundsMax = 8;
    // Few schemas have any. Without this, the search for missing names takes a twelfth of a parse.
    bool adopted = std::any_of(files.begin(), files.end(), [](const ast::File& file) {
        return !file.header_constants.empty();
    });
    for (int round = 0; adopted && round < kRoundsMax; ++round) {
        adopted = false;
        MissingNames missing = missing_names(files);
        for (ast::File& file : files) {
            for (ast::Constant& each : file.header_constants) {
                if (missing.erase(each.name) == 0) continue;
                file.constants.push_back(each);
                adopted = true;
            }
        }
    }
}

ast::File system_definitions(const MissingNames& missing) {
    const SourceSet& sources = system_sources();
    Diagnostics none;
    const std::vector<Token> tokens = tokenize(sources, 0, none);
    ast::File file;
    Parser(tokens, sources.files[0].text, none).parse_into(file);
    keep_missing(file.constants, missing);
    keep_missing(file.types, missing);
    for (ast::TypeDefinition& type : file.types) {
        if (type.type.body == nullptr) continue;
        for (ast::Declaration& field : type.type.body->fields) field.where = type.where;
    }
    return file;
}

}  // namespace helio::idl
