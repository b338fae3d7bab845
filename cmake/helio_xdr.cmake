# helio_xdr_library(my_protocol SCHEMA my.x [NAMESPACE acme] [PREFIX proto/] [DEPS other_protocol])
# A static library of the C++ made from one .x file: #include "proto/my.h", namespace acme::my.
# Works in this tree and, through add_subdirectory or find_package, in yours.
function(helio_xdr_library target)
    cmake_parse_arguments(ARG "" "SCHEMA;NAMESPACE;PREFIX" "DEPS" ${ARGN})
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
    else()
        set(compiler helio-xdrc)
    endif()
    # Imported schemas are found beside this one: a change in any of them may change the output.
    get_filename_component(schema_folder ${schema} DIRECTORY)
    file(GLOB neighbours CONFIGURE_DEPENDS ${schema_folder}/*.x)
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND ${compiler} gen ${schema} --quiet --out ${root}/${ARG_PREFIX}
                "$<$<BOOL:${ARG_NAMESPACE}>:--namespace=${ARG_NAMESPACE}>"
                "$<$<BOOL:${ARG_PREFIX}>:--include-prefix=${ARG_PREFIX}>"
        DEPENDS ${compiler} ${neighbours}
        COMMENT "helio gen ${stem}.x"
        COMMAND_EXPAND_LISTS VERBATIM)
    # Glue and text: not worth the optimiser's time, which for libvirt's 704 structs is a minute.
    set_source_files_properties(${folder}${stem}_values.cc ${folder}${stem}_service.cc ${folder}${stem}_table.cc
                                PROPERTIES COMPILE_OPTIONS -O1)
    add_library(${target} STATIC ${outputs})
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC helio::xdr ${ARG_DEPS})
    target_compile_features(${target} PUBLIC cxx_std_20)
    if(TARGET helio_options)  # inside this tree: generated code keeps the same warnings
        target_link_libraries(${target} PRIVATE helio_options)
        # A schema may call a type like one of our local variables. On the sources, because a target's
        # own options come before those of what it links.
        set_property(SOURCE ${outputs} APPEND PROPERTY COMPILE_OPTIONS -Wno-shadow)
    endif()
endfunction()
