/*
 * Values filled in as a C programmer would, with rpcgen's structs; natives_test.cc says in JSON what
 * each must be when we read it. One row per value in both places, under the same name.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "rpcgen_peer.h"

#define COUNT(A) (sizeof(A) / sizeof((A)[0]))

/* ---- Words ---- */

static words words_zero;
static words words_largest = {
    .i = INT_MAX, .ui = UINT_MAX, .u = UINT_MAX, .l = INT_MAX, .ul = UINT_MAX, .h = INT64_MAX,
    .uh = UINT64_MAX, .f = 3.40282347e38f, .d = 1.7976931348623157e308, .b = TRUE, .c = BLUE,
    .n = EIGHT,
};
static words words_smallest = {
    .i = INT_MIN, .ui = 0, .u = 0, .l = INT_MIN, .ul = 0, .h = INT64_MIN, .uh = 0,
    .f = -1.5f, .d = -0.0, .b = FALSE, .c = BELOW_ZERO, .n = ZERO,
};
static words words_odd = {
    .i = -1, .ui = 1, .u = 2, .l = -2, .ul = 3, .h = -3, .uh = 0x0102030405060708u,
    .f = 0.1f, .d = 0.1, .b = TRUE, .c = ALIAS_OF_SMALL, .n = SEVEN,
};
static small_words small_largest = {.c = SCHAR_MAX, .uc = UCHAR_MAX, .s = SHRT_MAX, .us = USHRT_MAX};
static small_words small_smallest = {.c = SCHAR_MIN, .uc = 0, .s = SHRT_MIN, .us = 0};
static long_run long_run_mixed = {
    .a = -1, .b = 2, .c = -3, .d = 65535, .e = TRUE, .f = GREEN, .g = {1, -2, 3, -4}, .h = 5,
    .after = -6,
};
static color color_negative = BELOW_ZERO;

/* ---- Bytes ---- */

static bytes_fixed fixed_counting = {
    .one = {'\xff'}, .three = {1, 2, 3}, .four = {4, 5, 6, 7},
    .named = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
};
static char five_bytes[] = {'\x80', 0, 1, '\xfe', '\xff'};
static bytes_variable variable_empty;
static bytes_variable variable_full = {
    .any = {.any_len = 3, .any_val = five_bytes},
    .upto = {.upto_len = 5, .upto_val = five_bytes},
    .named = {.named_len = 1, .named_val = five_bytes},
};
static strings strings_empty = {.any = "", .upto = "", .named = ""};
static strings strings_full = {
    .any = "quote \" backslash \\ tab \t",
    .upto = "12345",
    .named = "gr\xc3\xbc\xc3\x9f dich", /* UTF-8; eleven bytes */
};
static digest digest_counting = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
static path_t path_plain = "/srv/export";

static aliases aliases_all = {
    .id = 7, .offset = -8, .p = GREEN, .f = TRUE, .l = "label", .sum = {'\xaa'},
    .pack = {.i = 9, .c = RED, .n = ONE},
};

/* ---- Arrays ---- */

static arrays_fixed arrays_fixed_counting = {
    .ints = {1, 2, 3, -4}, .hypers = {1, UINT64_MAX}, .bools = {TRUE, FALSE, TRUE},
    .colors = {BLUE, RED}, .doubles = {0.5, -2}, .points = {{1, 2}, {3, 4}, {-5, -6}},
    .names = {"a", "twelve bytes"}, .digests = {{1}, {2}}, .chars = {'a', -1, 0},
    .shorts = {-1, 1},
};

static int three_ints[] = {1, -2, 3};
static u_int four_unsigned[] = {0, 1, 2, UINT_MAX};
static quad_t three_hypers[] = {INT64_MIN, 0, INT64_MAX};
static bool_t two_bools[] = {TRUE, FALSE};
static color one_color[] = {BLUE};
static float two_floats[] = {1.5f, -0.25f};
static point two_points[] = {{1, 2}, {3, 4}};
static name_t three_names[] = {"", "one", "four"};
static blob two_blobs[] = {{5, five_bytes}, {0, NULL}};
static digest one_digest[] = {{9}};
static char two_chars[] = {'z', -128};
static u_char two_uchars[] = {0, 255};
static short two_shorts[] = {SHRT_MIN, SHRT_MAX};
static u_short one_ushort[] = {65535};

static arrays_variable arrays_empty;
static arrays_variable arrays_some = {
    .ints = {COUNT(three_ints), three_ints},
    .bounded = {COUNT(four_unsigned), four_unsigned},
    .hypers = {COUNT(three_hypers), three_hypers},
    .bools = {COUNT(two_bools), two_bools},
    .colors = {COUNT(one_color), one_color},
    .floats = {COUNT(two_floats), two_floats},
    .points = {COUNT(two_points), two_points},
    .names = {COUNT(three_names), three_names},
    .blobs = {COUNT(two_blobs), two_blobs},
    .digests = {COUNT(one_digest), one_digest},
    .chars = {COUNT(two_chars), two_chars},
    .uchars = {COUNT(two_uchars), two_uchars},
    .shorts = {COUNT(two_shorts), two_shorts},
    .ushorts = {COUNT(one_ushort), one_ushort},
};
static matrix matrix_counting = {{1, 2, 3, 4}, {5, 6, 7, 8}};
static polygon polygons[] = {{COUNT(two_points), two_points}, {0, NULL}};
static drawing drawing_two = {COUNT(polygons), polygons};

/* ---- Optionals, lists, trees ---- */

static int eleven = 11;
static color blue = BLUE;
static name_t some_name = "some";
static optionals optionals_none;
static optionals optionals_all = {
    .number = &eleven, .place = &two_points[1], .shade = &blue, .name = &some_name,
    .outline = &polygons[0], .pack = &words_odd,
};
static maybe_point maybe_nothing = NULL;
static maybe_point maybe_something = &two_points[0];

static list_node list_third = {.value = 3, .text = "three", .next = NULL};
static list_node list_second = {.value = 2, .text = "", .next = &list_third};
static list_node list_first = {.value = 1, .text = "one", .next = &list_second};
static list list_of_three = &list_first;
static list_holder list_holder_empty = {.head = NULL, .eof = TRUE};
static list_holder list_holder_three = {.head = &list_first, .eof = FALSE};

static tree_node tree_leaf = {.value = 4, .left = NULL, .right = NULL};
static tree_node tree_right = {.value = 3, .left = &tree_leaf, .right = NULL};
static tree_node tree_root = {.value = 1, .left = NULL, .right = &tree_right};

static forest forest_leaves[] = {{.name = "oak"}, {.name = "elm"}};
static forest forest_two = {.name = "wood", .children = {COUNT(forest_leaves), forest_leaves}};

static odd_link odd_last = {.value = 3, .next = NULL};
static even_link even_middle = {.value = 2, .next = &odd_last};
static odd_link odd_first = {.value = 1, .next = &even_middle};

/* ---- Unions ---- */

static by_enum by_enum_number = {.which = RED, .by_enum_u.number = -1};
static by_enum by_enum_text = {.which = BLUE, .by_enum_u.text = "shared arm"};
static by_enum by_enum_nothing = {.which = BELOW_ZERO};
static by_enum by_enum_default = {.which = ALIAS_OF_SMALL, .by_enum_u.rest = {5, five_bytes}};
static by_enum_closed closed_point = {.which = RED, .by_enum_closed_u.place = {1, 2}};
static by_int by_int_negative = {.code = -1, .by_int_u.big = INT64_MIN};
static by_int by_int_places = {.code = 16, .by_int_u.places = {COUNT(two_points), two_points}};
static by_int by_int_default = {.code = 1234567};
static by_int_closed by_int_four = {.code = SMALL, .by_int_closed_u.four = 4.5};
static by_unsigned by_unsigned_last = {.code = UINT_MAX};
static by_unsigned by_unsigned_default = {.code = 2147483648u, .by_unsigned_u.numbers = {-1, 1}};
static by_bool by_bool_absent = {.present = FALSE};
static by_bool by_bool_present = {.present = TRUE, .by_bool_u.value = {.i = 1, .c = RED, .n = ONE}};
static by_bool_both by_bool_yes = {.yes = TRUE, .by_bool_both_u.reason = "because"};
static by_bool_both by_bool_no = {.yes = FALSE, .by_bool_both_u.code = -5};
static arms_of_every_shape shape_fixed = {
    .shape = 3, .arms_of_every_shape_u.fixed = {1, 2, 3, 4, 5, 6}};
static arms_of_every_shape shape_row = {.shape = 6, .arms_of_every_shape_u.row = {1, 2, 3}};
static arms_of_every_shape shape_no_point = {.shape = 8, .arms_of_every_shape_u.place = NULL};
static arms_of_every_shape shape_union = {
    .shape = 9, .arms_of_every_shape_u.inner = {.which = RED, .by_enum_u.number = 9}};
static arms_of_every_shape shape_names = {
    .shape = 10, .arms_of_every_shape_u.names = {COUNT(three_names), three_names}};

static nested nested_some = {
    .at = {-1, 1},
    .maybe = {.present = FALSE},
    .choices = {1, &by_enum_text},
    .fixed_choices = {{.code = 0}, {.code = -1, .by_int_u.big = 5}},
    .chain = {.head = &list_third, .eof = TRUE},
};

#define ROW(NAME, TYPE) {#NAME, #TYPE, &NAME}
const struct native natives[] = {
    ROW(words_zero, words),
    ROW(words_largest, words),
    ROW(words_smallest, words),
    ROW(words_odd, words),
    ROW(small_largest, small_words),
    ROW(small_smallest, small_words),
    ROW(long_run_mixed, long_run),
    ROW(color_negative, color),
    ROW(fixed_counting, bytes_fixed),
    ROW(variable_empty, bytes_variable),
    ROW(variable_full, bytes_variable),
    ROW(strings_empty, strings),
    ROW(strings_full, strings),
    ROW(digest_counting, digest),
    ROW(path_plain, path_t),
    ROW(aliases_all, aliases),
    ROW(arrays_fixed_counting, arrays_fixed),
    ROW(arrays_empty, arrays_variable),
    ROW(arrays_some, arrays_variable),
    ROW(matrix_counting, matrix),
    ROW(drawing_two, drawing),
    ROW(optionals_none, optionals),
    ROW(optionals_all, optionals),
    ROW(maybe_nothing, maybe_point),
    ROW(maybe_something, maybe_point),
    ROW(list_of_three, list),
    ROW(list_holder_empty, list_holder),
    ROW(list_holder_three, list_holder),
    ROW(tree_root, tree_node),
    ROW(forest_two, forest),
    ROW(odd_first, odd_link),
    ROW(by_enum_number, by_enum),
    ROW(by_enum_text, by_enum),
    ROW(by_enum_nothing, by_enum),
    ROW(by_enum_default, by_enum),
    ROW(closed_point, by_enum_closed),
    ROW(by_int_negative, by_int),
    ROW(by_int_places, by_int),
    ROW(by_int_default, by_int),
    ROW(by_int_four, by_int_closed),
    ROW(by_unsigned_last, by_unsigned),
    ROW(by_unsigned_default, by_unsigned),
    ROW(by_bool_absent, by_bool),
    ROW(by_bool_present, by_bool),
    ROW(by_bool_yes, by_bool_both),
    ROW(by_bool_no, by_bool_both),
    ROW(shape_fixed, arms_of_every_shape),
    ROW(shape_row, arms_of_every_shape),
    ROW(shape_no_point, arms_of_every_shape),
    ROW(shape_union, arms_of_every_shape),
    ROW(shape_names, arms_of_every_shape),
    ROW(nested_some, nested),
};
const size_t native_count = COUNT(natives);
