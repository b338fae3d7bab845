/*
 * The other side of interop_test: rpcgen's code for constructs.x over libtirpc, in a process of its
 * own because its types have the names of ours. Speaks lines on stdin and stdout:
 *
 *     types                 ok NAME NAME …
 *     echo TYPE HEX         decodes, encodes again:  ok HEX | left N | refused
 *     natives               ok NAME:TYPE NAME:TYPE …
 *     native NAME           encodes a value filled in C:  ok HEX
 *
 * HEX is lower case, "-" for no bytes at all. `left N`: the value was good, N bytes stood behind it.
 */
#include "rpcgen_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest value interop_test sends is 1 MiB; a line holds two digits for each byte. */
#define VALUE_SIZE_MAX (4u << 20)
#define LINE_SIZE_MAX (2 * VALUE_SIZE_MAX + 256)

/* Every named type of constructs.x; interop_test fails when one is missing. */
#define TYPES(X)                                                                          \
    X(color) X(counted) X(words) X(small_words) X(long_run)                               \
    X(bytes_fixed) X(bytes_variable) X(strings)                                           \
    X(digest) X(blob) X(short_blob) X(name_t) X(path_t)                                   \
    X(id_t_1) X(id_t_2) X(id_t_3) X(offset_t_1) X(paint) X(flag) X(label) X(checksum)     \
    X(word_pack) X(word_pack_again) X(aliases)                                            \
    X(point) X(arrays_fixed) X(arrays_variable) X(int_run) X(int_list) X(triangle)        \
    X(polygon) X(name_list) X(drawing) X(matrix)                                          \
    X(optionals) X(maybe_point) X(list_node) X(list) X(list_holder) X(tree_node)          \
    X(forest_list) X(forest) X(odd_link) X(even_link)                                     \
    X(by_enum) X(by_enum_closed) X(by_int) X(by_int_closed) X(by_unsigned) X(by_bool)     \
    X(by_bool_both) X(arms_of_every_shape) X(nested)

struct type {
    const char *name;
    size_t size;
    xdrproc_t xdr;
};

#define ROW(T) {#T, sizeof(T), (xdrproc_t)xdr_##T},
static const struct type types[] = {TYPES(ROW)};
static const size_t type_count = sizeof types / sizeof types[0];

static const struct type *find_type(const char *name) {
    for (size_t i = 0; i < type_count; ++i)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

static char bytes[VALUE_SIZE_MAX];
static char line[LINE_SIZE_MAX];

/* Digits of the other side: it is trusted to send pairs of them. Returns how many bytes. */
static u_int from_hex(const char *hex) {
    u_int size = 0;
    if (strcmp(hex, "-") == 0) return 0;
    for (; hex[0] && hex[1] && size < sizeof bytes; hex += 2) {
        const char pair[3] = {hex[0], hex[1], '\0'};
        bytes[size++] = (char)strtoul(pair, NULL, 16);
    }
    return size;
}

static void answer_hex(u_int size) {
    static const char digits[] = "0123456789abcdef";
    fputs("ok ", stdout);
    if (size == 0) putchar('-');
    for (u_int i = 0; i < size; ++i) {
        const unsigned char byte = (unsigned char)bytes[i];
        putchar(digits[byte >> 4]);
        putchar(digits[byte & 15]);
    }
    putchar('\n');
}

static void answer_encoded(const struct type *type, void *value) {
    XDR xdr;
    xdrmem_create(&xdr, bytes, sizeof bytes, XDR_ENCODE);
    if (type->xdr(&xdr, value))
        answer_hex(xdr_getpos(&xdr));
    else
        puts("unencodable");
}

static void echo(const struct type *type, const char *hex) {
    const u_int size = from_hex(hex);
    /* Zeroed: libtirpc allocates exactly where it finds a null pointer. */
    void *value = calloc(1, type->size);
    if (!value) abort();
    XDR xdr;
    xdrmem_create(&xdr, bytes, size, XDR_DECODE);
    if (!type->xdr(&xdr, value))
        puts("refused");
    else if (xdr_getpos(&xdr) != size)
        printf("left %u\n", size - xdr_getpos(&xdr));
    else
        answer_encoded(type, value);
    xdr_free(type->xdr, value);
    free(value);
}

static void answer_native(const char *name) {
    for (size_t i = 0; i < native_count; ++i) {
        if (strcmp(natives[i].name, name) != 0) continue;
        const struct type *type = find_type(natives[i].type);
        if (!type) abort();
        answer_encoded(type, natives[i].value);
        return;
    }
    puts("unknown");
}

static void answer_types(void) {
    fputs("ok", stdout);
    for (size_t i = 0; i < type_count; ++i) printf(" %s", types[i].name);
    putchar('\n');
}

static void answer_natives(void) {
    fputs("ok", stdout);
    for (size_t i = 0; i < native_count; ++i) printf(" %s:%s", natives[i].name, natives[i].type);
    putchar('\n');
}

static void answer(const char *verb, const char *first, const char *second) {
    if (strcmp(verb, "types") == 0) {
        answer_types();
    } else if (strcmp(verb, "natives") == 0) {
        answer_natives();
    } else if (strcmp(verb, "native") == 0 && first) {
        answer_native(first);
    } else if (strcmp(verb, "echo") == 0 && first && second) {
        const struct type *type = find_type(first);
        if (type)
            echo(type, second);
        else
            puts("unknown");
    } else {
        puts("misused");
    }
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        const char *verb = strtok(line, " \n");
        const char *first = strtok(NULL, " \n");
        const char *second = strtok(NULL, " \n");
        answer(verb ? verb : "", first, second);
        fflush(stdout);
    }
    return 0;
}
