# What is done with schemas besides compiling them: fmt, lint, breaking.
helio_library(idl_tools
    SOURCES
        breaking.cc
        breaking_json.cc
        breaking_program.cc
        breaking_type.cc
        breaking_union.cc
        breaking_wire.cc
        format.cc
        format_comment.cc
        format_diff.cc
        format_layout.cc
        lint.cc
        lint_json.cc
        lint_names.cc
        lint_program.cc
        lint_shape.cc
        lint_size.cc
    DEPS helio::idl
    PRIVATE_DEPS fmt::fmt)

helio_test(idl_tools
    SOURCES breaking_test.cc format_corpus_test.cc format_diff_test.cc format_test.cc lint_test.cc
    DEPS helio::idl_tools fmt::fmt)

helio_fuzzer(idl_format SOURCES format_fuzz.cc DEPS helio::idl_tools fmt::fmt)
