# What `cmake --install` puts where: see docs/install.md. Four components, so that packages can be made of them: program
# (helio), library (libheliograph.so), dev (headers, static libraries, CMake and pkg-config files, helio-xdrc) and doc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HELIO_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/heliograph)
set(HELIO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heliograph)
set(HELIO_SYSTEM_UNIT_DIR lib/systemd/system CACHE STRING "Where units of the system go; Debian 12 wants /lib/systemd/system")
set(HELIO_USER_UNIT_DIR lib/systemd/user CACHE STRING "Where units of users go")

# The components that find_package(heliograph COMPONENTS …) and pkg-config know, and the libraries
# of each, without their dependencies.
set(HELIO_COMPONENTS codec rpc nfs_server schema)
set(HELIO_COMPONENT_codec xdr)
set(HELIO_COMPONENT_rpc transport portmap)
set(HELIO_COMPONENT_nfs_server nfs_server backend_memory backend_posix sandbox)
set(HELIO_COMPONENT_schema gen reflect builtin idl_breaking idl_format idl_lint)
if(HELIO_RDMA)
    list(APPEND HELIO_COMPONENTS rdma)
    set(HELIO_COMPONENT_rdma transport_verbs)
endif()
if(HELIO_INSPECT)
    list(APPEND HELIO_COMPONENTS inspect)
    set(HELIO_COMPONENT_inspect inspect_pipeline)
endif()
if(HELIO_VIRT)
    list(APPEND HELIO_COMPONENTS virt)
    set(HELIO_COMPONENT_virt virt_client virt_daemon virt_relay)
endif()

# helio_install_library(xdr): the static library helio_xdr with its public headers, as helio::xdr of the package.
function(helio_install_library name)
    set_target_properties(helio_${name} PROPERTIES EXPORT_NAME ${name})
    set_property(GLOBAL APPEND PROPERTY HELIO_INSTALLED ${name})
    if(HELIO_INSTALL)
        install(TARGETS helio_${name} EXPORT heliograph
                ARCHIVE COMPONENT dev
                FILE_SET HEADERS DESTINATION ${HELIO_INCLUDE_DIR} COMPONENT dev)
    endif()
endfunction()

# helio_install_schema(nfs3): the C++ made from schema/nfs3.x, and its text, for schemas that import it.
function(helio_install_schema name)
    set(root ${CMAKE_BINARY_DIR}/gen)
    target_sources(helio_schema_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES
        ${root}/schema/${name}.h ${root}/schema/${name}_codec.h ${root}/schema/${name}_service.h)
    helio_install_library(schema_${name})
    if(HELIO_INSTALL)
        install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/${name}.x DESTINATION ${CMAKE_INSTALL_DATADIR}/heliograph/schema COMPONENT dev)
    endif()
endfunction()

# helio_link_order(OUT LIBRARY…): the libraries and everything they link, each before the libraries
# it needs; external libraries by their names in CMake.
function(helio_link_order out)
    set(order)
    foreach(library ${ARGN})
        helio_link_visit(${library})
    endforeach()
    set(${out} ${order} PARENT_SCOPE)
endfunction()

function(helio_link_visit library)
    if(library IN_LIST order OR library MATCHES "^\\$<BUILD_INTERFACE:")
        return()
    endif()
    string(REGEX REPLACE "^helio::" "helio_" target ${library})
    if(target MATCHES "^helio_" AND TARGET ${target})
        get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
        # CMake marks libraries linked from another folder: ::@(FOLDER);LIBRARY;::@
        list(FILTER needs EXCLUDE REGEX "^::@")
        foreach(need ${needs})
            # $<LINK_ONLY:X> of a private dependency, $<INSTALL_INTERFACE:X> of helio_link_system.
            string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" need "${need}")
            string(REGEX REPLACE "^\\$<INSTALL_INTERFACE:(.*)>$" "\\1" need "${need}")
            string(REGEX REPLACE "^helio::" "helio_" need "${need}")
            if(need)
                helio_link_visit(${need})
            endif()
        endforeach()
    endif()
    list(PREPEND order ${target})
    list(REMOVE_DUPLICATES order)
    set(order ${order} PARENT_SCOPE)
endfunction()

# heliograph-COMPONENT.pc: for builds without CMake. External libraries are required by their own
# .pc files, if they have one.
function(helio_write_pkg_config component)
    list(TRANSFORM HELIO_COMPONENT_${component} PREPEND helio_ OUTPUT_VARIABLE roots)
    helio_link_order(order ${roots})
    set(libraries)
    set(requires)
    foreach(one ${order})
        if(one MATCHES "^helio_")
            list(APPEND libraries -l${one})
        elseif(one STREQUAL "fmt::fmt")
            list(APPEND requires fmt)
        elseif(one STREQUAL "pugixml::pugixml")
            list(APPEND requires pugixml)
        elseif(one STREQUAL "ZLIB::ZLIB")
            list(APPEND requires zlib)
        elseif(one STREQUAL "GnuTLS::GnuTLS")
            list(APPEND requires gnutls)
        elseif(one STREQUAL "Boost::json")
            list(APPEND libraries -lboost_json)
        elseif(one STREQUAL "Threads::Threads")
            list(APPEND libraries -pthread)
        elseif(one MATCHES "^[a-z0-9]+$")
            list(APPEND libraries -l${one})
        elseif(NOT one STREQUAL "Boost::headers")
            message(FATAL_ERROR "helio_write_pkg_config does not know how ${one} is linked")
        endif()
    endforeach()
    list(JOIN libraries " " HELIO_PC_LIBRARIES)
    list(JOIN requires " " HELIO_PC_REQUIRES)
    set(HELIO_PC_NAME heliograph-${component})
    helio_install_pkg_config()
endfunction()

function(helio_install_pkg_config)
    # Relative to the folder of the .pc file, so that a prefix can be moved.
    file(RELATIVE_PATH HELIO_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/heliograph.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${HELIO_PC_NAME}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${HELIO_PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()

# libheliograph.so: every library in one. Before 1.0 each minor version may change the binary interface.
function(helio_shared_library)
    get_property(names GLOBAL PROPERTY HELIO_INSTALLED)
    list(TRANSFORM names PREPEND helio_)
    # Each before those that it needs: otherwise CMake names some of them twice.
    helio_link_order(names ${names})
    list(FILTER names INCLUDE REGEX "^helio_")
    add_library(heliograph SHARED ${PROJECT_SOURCE_DIR}/cmake/pch/nothing.cc)
    list(JOIN names "," joined)
    target_link_libraries(heliograph PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${joined}>")
    # They also depend on each other, and are linked whole there too.
    set_target_properties(heliograph PROPERTIES LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${joined}"
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(heliograph INTERFACE cxx_std_20)
    target_include_directories(heliograph INTERFACE $<INSTALL_INTERFACE:${HELIO_INCLUDE_DIR}>)
    if(HELIO_INSTALL)
        install(TARGETS heliograph EXPORT heliograph_shared
                LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
        install(EXPORT heliograph_shared NAMESPACE helio:: FILE heliographShared.cmake DESTINATION ${HELIO_CMAKE_DIR}
                COMPONENT dev)
        set(HELIO_PC_NAME heliograph)
        set(HELIO_PC_LIBRARIES -lheliograph)
        set(HELIO_PC_REQUIRES)
        helio_install_pkg_config()
    endif()
endfunction()

# Manual pages and completions: helio itself writes them. They are part of `all`, not of the target helio.
function(helio_install_manual)
    set(folder ${PROJECT_BINARY_DIR}/manual)
    set(shells bash zsh fish)
    set(completions)
    foreach(shell ${shells})
        list(APPEND completions COMMAND ${HELIO_RUN_SANITIZED} $<TARGET_FILE:helio> completion ${shell} > ${folder}/completion.${shell})
    endforeach()
    add_custom_command(
        OUTPUT ${folder}/stamp
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${HELIO_RUN_SANITIZED} $<TARGET_FILE:helio> man --out ${folder}/man1
        COMMAND gzip -9nr ${folder}/man1
        COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/packaging/helio-xdrc.1 > ${folder}/helio-xdrc.1.gz
        ${completions}
        COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
        DEPENDS helio ${PROJECT_SOURCE_DIR}/packaging/helio-xdrc.1
        COMMENT "Manual pages and completions"
        VERBATIM)
    add_custom_target(helio_manual ALL DEPENDS ${folder}/stamp)
    install(DIRECTORY ${folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
    install(FILES ${folder}/helio-xdrc.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dev)
    install(FILES ${folder}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME helio
            COMPONENT program)
    install(FILES ${folder}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _helio
            COMPONENT program)
    install(FILES ${folder}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME helio.fish
            COMPONENT program)
endfunction()

# Files that belong to no single library; called when all libraries are known.
function(helio_install_package)
    if(HELIO_SHARED)
        helio_shared_library()
    endif()
    if(NOT HELIO_INSTALL)
        return()
    endif()
    foreach(component ${HELIO_COMPONENTS})
        helio_write_pkg_config(${component})
    endforeach()
    get_property(HELIO_LIBRARIES GLOBAL PROPERTY HELIO_INSTALLED)
    set(HELIO_NEEDS_GNUTLS OFF)
    if(TARGET helio_virt_client)
        helio_link_order(linked helio_virt_client)
        if("GnuTLS::GnuTLS" IN_LIST linked)
            set(HELIO_NEEDS_GNUTLS ON)
        endif()
    endif()
    configure_package_config_file(cmake/heliographConfig.cmake.in ${PROJECT_BINARY_DIR}/heliographConfig.cmake
        INSTALL_DESTINATION ${HELIO_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/heliographConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/heliographConfig.cmake ${PROJECT_BINARY_DIR}/heliographConfigVersion.cmake
                  cmake/helio_xdr.cmake
            DESTINATION ${HELIO_CMAKE_DIR} COMPONENT dev)
    install(EXPORT heliograph NAMESPACE helio:: FILE heliographTargets.cmake DESTINATION ${HELIO_CMAKE_DIR} COMPONENT dev)

    helio_install_manual()
    # Everything that is installed, for builds that leave out the tests.
    get_property(names GLOBAL PROPERTY HELIO_INSTALLED)
    list(TRANSFORM names PREPEND helio_)
    add_custom_target(installed DEPENDS helio helio-xdrc helio_manual ${names})
    if(HELIO_SHARED)
        add_dependencies(installed heliograph)
    endif()
    helio_reference()
    install(TARGETS helio RUNTIME COMPONENT program)
    install(TARGETS helio-xdrc EXPORT heliograph RUNTIME COMPONENT dev)
    foreach(unit system/helio.service system/helio.socket user/helio.service)
        configure_file(packaging/systemd/${unit}.in ${PROJECT_BINARY_DIR}/systemd/${unit} @ONLY)
        get_filename_component(kind ${unit} DIRECTORY)
        string(TOUPPER ${kind} kind)
        install(FILES ${PROJECT_BINARY_DIR}/systemd/${unit} DESTINATION ${HELIO_${kind}_UNIT_DIR} COMPONENT program)
    endforeach()
    install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
    install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
    install(FILES README.md CHANGELOG.md ARCHITECTURE.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
endfunction()
