#include "schema/builtin.h"

namespace helio::builtin {

namespace {

std::optional<idl::LoadedText> load(std::string_view name) {
    if (name.ends_with(".x")) name.remove_suffix(2);
    for (const Text& one : texts())
        if (one.name == name)
            return idl::LoadedText{std::string{name} + ".x", std::string{one.text}};
    return std::nullopt;
}

std::optional<idl::LoadedText> load_import(std::string_view wanted, std::string_view) {
    return load(wanted);
}

}  // namespace

idl::Parsed parse(std::string_view name) {
    auto main_file = load(name);
    if (!main_file) {
        idl::Parsed none;
        none.sources.add(std::string{name}, {});
        none.diagnostics.error({}, "there is no built-in schema of this name");
        return none;
    }
    return idl::parse(main_file->path, main_file->text, &load_import);
}

idl::Parsed parse_together(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) {
        text += "#include \"";
        text += name;
        text += ".x\"\n";
    }
    return idl::parse("together.x", text, &load_import);
}

}  // namespace helio::builtin
