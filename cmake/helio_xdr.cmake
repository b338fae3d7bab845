# helio_xdr_library(my_protocol SCHEMA my.x [NAMESPACE acme] [PREFIX proto/] [DEPS other_protocol] [LARGE])
# A static library with the C++ generated from one .x file: #include "proto/my.h", namespace
# acme::my.
# Works in this tree and, through add_subdirectory or find_package, in yours.
function(helio_xdr_library target)
    cmake_parse_arguments(ARG "LARGE" "SCHEMA;NAMESPACE;PREFIX" "DEPS" ${ARGN})
    get_filename_component(schema ${ARG_SCHEMA} ABSOLUTE)
    get_filename_component(stem ${ARG_SCHEMA} NAME_WE)
    set(root ${CMAKE_BINARY_DIR}/gen)
    set(folder ${root}/${ARG_PREFIX})
    set(outputs)
    foreach(suffix .h _codec.h _decode.cc _encode.cc _values.cc _service.h _service.cc _table.cc)
        list(APPEND outputs ${folder}${stem}${suffix})
    endforeach()
    if(HELIO_XDRC)
        set(compiler ${HELIO_XDRC})
        set(run ${HELIO_XDRC})
    else()
        set(compiler $<TARGET_FILE:helio::xdrc>)
        set(run ${HELIO_RUN_SANITIZED} $<TARGET_FILE:helio::xdrc>)
    endif()
    # Imported schemas are found beside this one: a change in any of them may change the output.
    get_filename_component(schema_folder ${schema} DIRECTORY)
    file(GLOB neighbours CONFIGURE_DEPENDS ${schema_folder}/*.x)
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND ${run} gen ${schema} --quiet --out ${root}/${ARG_PREFIX}
                "$<$<BOOL:${ARG_NAMESPACE}>:--namespace=${ARG_NAMESPACE}>"
                "$<$<BOOL:${ARG_PREFIX}>:--include-prefix=${ARG_PREFIX}>"
        DEPENDS ${compiler} ${neighbours}
        COMMENT "helio gen ${stem}.x"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_library(${target} STATIC ${outputs})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
    target_link_libraries(${target} PUBLIC helio::xdr ${ARG_DEPS})
    target_compile_features(${target} PUBLIC cxx_std_20)
    if(ARG_LARGE)
        # Hundreds of types: compile files in parallel, optimise glue and text less, and do not
        # sanitize them, unlike smaller schemas. Sanitized files are not optimised, which would take
        # a minute.
        set(glue ${folder}${stem}_values.cc ${folder}${stem}_service.cc ${folder}${stem}_table.cc)
        if(HELIO_SANITIZE)
            target_compile_options(${target} PRIVATE -O0)
            set_source_files_properties(${glue} PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
        else()
            set_source_files_properties(${glue} PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O1>)
        endif()
    else()
        # One translation unit: parsing the headers is most of the work.
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    if(TARGET helio_options)
        # Inside this tree generated code has the same warnings except one: a schema's type may have
        # the name of one of our local variables.
        target_compile_options(${target} PRIVATE
            "$<TARGET_PROPERTY:helio_options,INTERFACE_COMPILE_OPTIONS>;-Wno-shadow")
        if(NOT ARG_LARGE)
            helio_use_precompiled(${target} library)
        endif()
    endif()
endfunction()
