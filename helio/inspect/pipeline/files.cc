// Files of any kind, and the schemas they are explained with.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/idl/parse.h"
#include "helio/inspect/pipeline/input_file_internal.h"
#include "helio/inspect/pipeline/pipeline.h"
#include "helio/inspect/text/dump.h"
#include "schema/builtin.h"

namespace helio::inspect {

PipelineResult explain_files(const PipelineOptions& options, const Catalogue& catalogue,
                             const std::vector<std::string>& paths, PipelineOutput& output) {
    if (paths.empty()) throw std::runtime_error("no files to explain");
    std::vector<std::unique_ptr<InputFile>> files;
    std::vector<NamedSource> sources;
    for (const std::string& path : paths) {
        files.push_back(std::make_unique<InputFile>(path));
        sources.push_back({files.back()->name(), files.back().get()});
    }
    const InputKind kind = files[0]->kind();
    for (const auto& file : files)
        if (file->kind() != kind)
            throw std::runtime_error(fmt::format(
                "{} and {} are of different kinds (capture, text, bytes); explain them separately",
                files[0]->name(), file->name()));
    switch (kind) {
        case InputKind::capture:
            return explain_captures(options, catalogue, sources, output);
        case InputKind::stream:
            return explain_streams(options, catalogue, sources, output);
        case InputKind::text:
            break;
    }
    std::string text;
    for (const auto& file : files) {
        text += as_text(file->read_all(kDumpTextMax));
        text += '\n';
    }
    return explain_text(options, catalogue, std::move(text), output);
}

LoadedCatalogue load_catalogue(const std::vector<std::string>& schema_files) {
    LoadedCatalogue loaded{std::make_unique<Catalogue>(), {}};
    for (const std::string& file : schema_files) {
        idl::Parsed parsed = idl::parse_file(file);
        const std::string report = parsed.report();
        if (!parsed.schema)
            throw std::runtime_error(fmt::format("the schema has errors\n{}", report));
        loaded.warnings += report;
        loaded.catalogue->add(std::move(parsed.schema), Shape::onc);
    }
    // libvirt's programs share thousands of lines, and nfs4_cb imports all of nfs4. Parsing them
    // separately would take most of the time that a small text needs.
    const auto& libvirt = builtin::kLibvirtSchemas;
    for (const auto& one : builtin::texts()) {
        const bool is_libvirt =
            std::find(libvirt.begin(), libvirt.end(), one.name) != libvirt.end();
        if (is_libvirt || one.name == "nfs4") continue;
        loaded.catalogue->add(
            builtin::parse(one.name).schema, Shape::onc,
            one.name == "nfs4_cb" ? Catalogue::Imports::added : Catalogue::Imports::left_out);
    }
    loaded.catalogue->add(builtin::parse_together(libvirt).schema, Shape::virnet,
                          Catalogue::Imports::added);
    return loaded;
}

}  // namespace helio::inspect
