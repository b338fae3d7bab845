# Debian packages of the install components, by CPack: heliograph, libheliograph0.1, libheliograph-dev and heliograph-doc. Included with
# HELIO_PACKAGES, which the preset `package` sets; packaging/build runs cpack.
set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(package_program heliograph)
set(package_library libheliograph${abi})
set(package_dev libheliograph-dev)
set(package_doc heliograph-doc)

set(CPACK_PACKAGE_CONTACT "The Heliograph maintainers <maintainers@heliograph.invalid>")

# What Debian expects of each package beside its files.
set(debian ${PROJECT_BINARY_DIR}/debian)
configure_file(packaging/debian/changelog.in ${debian}/changelog @ONLY)
configure_file(packaging/debian/copyright.in ${debian}/copyright @ONLY)
add_custom_command(
    OUTPUT ${debian}/changelog.gz
    COMMAND gzip -9nc ${debian}/changelog > ${debian}/changelog.gz
    DEPENDS ${debian}/changelog)
add_custom_target(helio_debian_changelog DEPENDS ${debian}/changelog.gz)
add_dependencies(installed helio_debian_changelog)
foreach(component program library dev doc)
    install(FILES ${debian}/copyright ${debian}/changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heliograph)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library dev doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What depends on the library, and a trigger in place of the scripts that CPack writes (packaging/build removes those).
configure_file(packaging/debian/shlibs.in ${debian}/shlibs @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${debian}/shlibs ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(component PROGRAM LIBRARY DEV DOC)
    string(TOLOWER ${component} lower)
    set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package_${lower}})
endforeach()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS ON)  # helio-xdrc
# The static libraries and the public headers need these; docs/dependencies.md says what for.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${package_library} (= ${PROJECT_VERSION}), libfmt-dev, libexpected-dev, \
libboost1.81-dev, libboost-json1.81-dev, libpugixml-dev, libre2-dev, zlib1g-dev, libsasl2-dev, libgnutls28-dev, librdmacm-dev, libibverbs-dev")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS heliograph-doc)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "NFS server, XDR schema tools and RPC packet explainer
helio serves directories over NFS versions 4.2, 4.1, 3 and 2, without root if
need be. It explains captured RPC calls, calls any procedure of any RPC program
with JSON, and compiles, formats and compares XDR schemas.")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "ONC RPC stack for C++: shared library
XDR codecs, RPC servers and clients, an NFS server, and libvirt's remote
protocol. This package contains the shared library.")
set(CPACK_DEBIAN_DEV_DESCRIPTION "ONC RPC stack for C++: development files
XDR codecs, RPC servers and clients, an NFS server, and libvirt's remote
protocol. This package contains headers, static libraries, the schema
compiler helio-xdrc, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_DOC_DESCRIPTION "ONC RPC stack for C++: documents and examples
The tutorial, a description of each tool, the API reference, and examples that
build on their own with libheliograph-dev.")
include(CPack)
