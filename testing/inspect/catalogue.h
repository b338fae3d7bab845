// A Catalogue of the schemas that come with the binary, for tests.
#pragma once

#include <stdexcept>
#include <string>

#include "helio/inspect/catalogue.h"
#include "schema/builtin.h"

namespace helio::inspect {

inline const Catalogue& builtin_catalogue() {
    static const Catalogue* const all = [] {
        auto* const made = new Catalogue;  // lives as long as the program
        for (const char* name :
             {"rpc", "authsys", "rpcrdma", "rpcb", "mount", "nfs2", "nfs3", "nfs4", "nfs4_cb"}) {
            auto parsed = builtin::parse(name);
            if (!parsed.schema) throw std::runtime_error(parsed.report());
            made->add(std::move(parsed.schema), Shape::onc);
        }
        for (const char* name : {"virnet", "keepalive"})
            made->add(builtin::parse(name).schema, Shape::virnet);
        return made;
    }();
    return *all;
}

inline const Procedure& procedure_named(std::string_view name) {
    for (const Procedure& one : builtin_catalogue().procedures())
        if (one.name == name) return one;
    throw std::runtime_error("no procedure " + std::string{name});
}

}  // namespace helio::inspect
