# Functions for every CMakeLists.txt: helio_library, helio_test, helio_fuzzer.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without this sloppiness setting ccache does not cache anything that uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(helio_options INTERFACE)
target_include_directories(helio_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
target_compile_options(helio_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -Wnon-virtual-dtor -Wold-style-cast -fno-strict-overflow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12's warnings after inlining std::vector and unions are mostly wrong; the sanitizers are
    # right.
    target_compile_options(helio_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow
        -Wno-stringop-overread -Wno-array-bounds -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A coroutine continues the next one by a jump, not by a call, so a long chain does not use up
    # the stack.
    target_compile_options(helio_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-foptimize-sibling-calls>)
endif()
if(HELIO_WERROR)
    target_compile_options(helio_options INTERFACE -Werror)
endif()
if(HELIO_SANITIZE)
    # The build runs helio-xdrc, which has the sanitizers too. tools/common.sh explains no_aslr.
    execute_process(COMMAND setarch --addr-no-randomize true RESULT_VARIABLE no_setarch OUTPUT_QUIET ERROR_QUIET)
    if(NOT no_setarch)
        set(HELIO_RUN_SANITIZED setarch --addr-no-randomize)
    endif()
    add_compile_options(-fsanitize=${HELIO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${HELIO_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # Clang 14 cannot place this check's data before a coroutine's resume function.
        add_compile_options(-fno-sanitize=function)
    endif()
endif()
if(HELIO_FUZZ)
    # Coverage instrumentation everywhere; libFuzzer's main only in the fuzz targets.
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()

# helio_precompiled(rpc HEADERS helio/rpc/session.h … [DEPS helio::schema_x]): a set of precompiled headers, for libraries and,
# with GoogleTest, for tests: cmake/pch/library.h and the headers named. Parsing takes most of the time of a small file, and
# the files of a folder parse the same headers. helio_headers, a variable of each folder and those below it, names the set
# that its targets use. Files with their own options, above all another -O, do without:
# SKIP_PRECOMPILE_HEADERS. The dev preset precompiles nothing, so that a missing #include is noticed
# there.
function(helio_precompiled name)
    if(NOT HELIO_PCH)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "HEADERS;DEPS" ${ARGN})
    # CMake leaves names in angle brackets unchanged, so that clones can share the compiler cache.
    list(TRANSFORM ARG_HEADERS REPLACE "(.+)" "<\\1>")
    helio_precompiled_set(helio_pch_${name} HEADERS <cmake/pch/library.h> ${ARG_HEADERS} DEPS ${ARG_DEPS})
    if(HELIO_TESTS)
        helio_precompiled_set(helio_pch_${name}_test HEADERS <cmake/pch/test.h> ${ARG_HEADERS}
                              DEPS GTest::gtest ${ARG_DEPS} OPTIONS ${HELIO_TEST_OPTIONS})
    endif()
endfunction()

# One set, as a separate target.
function(helio_precompiled_set target)
    cmake_parse_arguments(ARG "" "" "HEADERS;DEPS;OPTIONS" ${ARGN})
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch/nothing.cc)
    target_link_libraries(${target} PRIVATE helio_options fmt::fmt ${ARG_DEPS})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # Otherwise the next clone would reject one from ccache, because its own files are newer.
        target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
endfunction()

# helio_use_precompiled(TARGET SET)
function(helio_use_precompiled target set)
    if(TARGET helio_pch_${set})
        target_precompile_headers(${target} REUSE_FROM helio_pch_${set})
        target_link_libraries(${target} PRIVATE fmt::fmt)  # its definitions have to be the same everywhere
    endif()
endfunction()

if(HELIO_TESTS)
    # The code under test is in the libraries. Optimising the tests themselves would double their compile time.
    set(HELIO_TEST_OPTIONS -O0)
endif()
helio_precompiled(library)
set(helio_headers library)

# helio_library(idl SOURCES lexer.cc parser.cc HEADERS parse.h DEPS helio::base)
# A layer of the tree: the link graph is the layer diagram. HEADERS are the public ones, which are installed with the
# library. NOT_INSTALLED is for parts of the program helio and of the tests.
function(helio_library name)
    cmake_parse_arguments(ARG "NOT_INSTALLED" "" "SOURCES;HEADERS;DEPS;PRIVATE_DEPS" ${ARGN})
    add_library(helio_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(helio_${name} PUBLIC ${ARG_DEPS} PRIVATE $<BUILD_INTERFACE:helio_options> ${ARG_PRIVATE_DEPS})
    target_include_directories(helio_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_compile_features(helio_${name} PUBLIC cxx_std_20)
    helio_use_precompiled(helio_${name} ${helio_headers})
    add_library(helio::${name} ALIAS helio_${name})
    if(NOT ARG_NOT_INSTALLED)
        target_sources(helio_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR})
        helio_public_headers(${name} ${ARG_HEADERS})
        helio_install_library(${name})
    endif()
endfunction()

# helio_public_headers(inspect reader.h …): more public headers of a helio_library, of the current folder.
function(helio_public_headers name)
    foreach(header ${ARGN})
        if(header MATCHES "_internal\\.h$")
            message(FATAL_ERROR "${header} is internal: it cannot be a public header of helio::${name}")
        endif()
        target_sources(helio_${name} PUBLIC FILE_SET HEADERS FILES ${CMAKE_CURRENT_SOURCE_DIR}/${header})
        set_property(GLOBAL APPEND PROPERTY HELIO_PUBLIC_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    endforeach()
endfunction()

# helio_link_system(inspect re2 /usr/lib/libre2.so): libraries of the system that have no CMake package. Here their files are
# linked; users of an installed helio::inspect link them by name.
function(helio_link_system name)
    while(ARGN)
        list(POP_FRONT ARGN library file)
        target_link_libraries(helio_${name} PRIVATE $<BUILD_INTERFACE:${file}> $<INSTALL_INTERFACE:${library}>)
    endwhile()
endfunction()

# All tests that are not labelled slow, for ./test --quick.
add_custom_target(quick_tests)
# All tests labelled threads, for ThreadSanitizer.
add_custom_target(threads_tests)
# Only tests and fuzz targets: the sanitizer builds leave out the command line, which takes long to
# compile and is tested in the release build.
add_custom_target(tests_and_fuzzers)

# Ends a test that hangs. A slow or busy machine must never reach it; ./test has its own, larger
# limit.
set(HELIO_TEST_HANG_S 1800)

# helio_test(idl SOURCES lexer_test.cc DEPS helio::idl [LABELS slow threads])
function(helio_test name)
    if(NOT HELIO_TESTS)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
    add_executable(${name}_test ${ARG_SOURCES})
    target_link_libraries(${name}_test PRIVATE helio_options helio_testing ${ARG_DEPS} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${HELIO_TEST_OPTIONS})
    helio_use_precompiled(${name}_test ${helio_headers}_test)
    if(HELIO_PCH)
        # Each *_test.cc has its own namespace, so that several can be compiled as one: most of the
        # time goes into templates that they all use.
        set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON)
        set(others ${ARG_SOURCES})
        list(FILTER others EXCLUDE REGEX "_test\\.cc$")
        set_source_files_properties(${others} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_compile_definitions(${name}_test PRIVATE HELIO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${HELIO_TEST_HANG_S} LABELS "${ARG_LABELS}")
    if(NOT "slow" IN_LIST ARG_LABELS)
        add_dependencies(quick_tests ${name}_test)
    endif()
    if("threads" IN_LIST ARG_LABELS)
        add_dependencies(threads_tests ${name}_test)
    endif()
    add_dependencies(tests_and_fuzzers ${name}_test)
endfunction()

# Runs the tests of helio_test(name) once more as an unprivileged user, if they run as root: ctest -R name_as_nobody.
find_program(SETPRIV setpriv)
function(helio_test_as_nobody name)
    if(NOT HELIO_TESTS OR NOT SETPRIV)
        return()
    endif()
    set(nobody "${SETPRIV} --reuid 65534 --regid 65534 --clear-groups")
    set(suite $<TARGET_FILE:${name}_test>)
    add_test(NAME ${name}_as_nobody
        # It cannot write its report: that user may not write there.
        COMMAND sh -c "[ $(id -u) = 0 ] && ${nobody} test -x ${suite} || exit 77; unset GTEST_OUTPUT; exec ${nobody} ${suite}")
    set_tests_properties(${name}_as_nobody PROPERTIES TIMEOUT ${HELIO_TEST_HANG_S} SKIP_RETURN_CODE 77)
endfunction()

# helio_fuzzer(idl_parser SOURCES parser_fuzz.cc DEPS helio::idl)
# Built only with -DHELIO_FUZZ=ON under Clang; tools/fuzz runs every one of them for a few seconds.
function(helio_fuzzer name)
    if(NOT HELIO_FUZZ)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
    add_executable(${name}_fuzz ${ARG_SOURCES})
    target_link_libraries(${name}_fuzz PRIVATE helio_options helio_testing ${ARG_DEPS})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(${name}_fuzz PRIVATE HELIO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    add_dependencies(tests_and_fuzzers ${name}_fuzz)
endfunction()
