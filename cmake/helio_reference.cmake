# The API reference: pages that Doxygen makes from the comments of the public headers. packaging/reference has its settings and its first
# page. The target `reference` exists where Doxygen and Python do; with HELIO_REFERENCE it is part of what is installed.
function(helio_reference)
    find_program(HELIO_DOXYGEN doxygen)
    find_program(HELIO_PYTHON python3)
    mark_as_advanced(HELIO_DOXYGEN HELIO_PYTHON)
    if(NOT HELIO_DOXYGEN OR NOT HELIO_PYTHON)
        if(HELIO_REFERENCE)
            message(FATAL_ERROR "HELIO_REFERENCE needs doxygen and python3")
        endif()
        return()
    endif()
    set(source ${PROJECT_SOURCE_DIR}/packaging/reference)
    set(HELIO_REFERENCE_DIR ${PROJECT_BINARY_DIR})
    get_property(headers GLOBAL PROPERTY HELIO_PUBLIC_HEADERS)
    list(SORT headers)
    list(JOIN headers " \\\n    " HELIO_REFERENCE_INPUT)
    string(PREPEND HELIO_REFERENCE_INPUT "${source}/mainpage.dox \\\n    ")
    configure_file(${source}/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
    set(made ${PROJECT_BINARY_DIR}/reference)
    add_custom_command(
        OUTPUT ${made}/index.html
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
        COMMAND ${HELIO_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
        # No page uses them.
        COMMAND ${CMAKE_COMMAND} -E rm -f ${made}/jquery.js ${made}/dynsections.js ${made}/menudata.js ${made}/doxygen.svg
        DEPENDS ${PROJECT_BINARY_DIR}/Doxyfile ${headers} ${source}/comments.py ${source}/mainpage.dox ${source}/header.html
                ${source}/footer.html ${source}/reference.css
        COMMENT "API reference"
        VERBATIM)
    add_custom_target(reference DEPENDS ${made}/index.html)
    if(HELIO_REFERENCE)
        add_dependencies(installed reference)
        install(DIRECTORY ${made} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
    endif()
endfunction()
