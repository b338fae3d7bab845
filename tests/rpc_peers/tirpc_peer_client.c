/*
 * Calls a server of peer.x through rpcgen's stubs and libtirpc, every procedure with several values,
 * and what is not there; for servers of ours to answer.
 *
 *     tirpc_peer_client HOST PORT tcp|udp
 *
 * One line for each check, `ok WHAT` or `FAIL WHAT: why`; exit 0 when all are ok. No rpcbind.
 */
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

#define MIB (1u << 20)
#define STRANGE_PROGRAM 0x200001ff
#define STRANGE_VERSION 7
#define STRANGE_PROCEDURE 99

static const struct timeval TIMEOUT = {.tv_sec = 25};

static struct addrinfo *server;
static const char *transport;
static int failures;

/* The stubs' answer is NULL for every failure; the client knows which. `client` may be NULL. */
static void check(int good, CLIENT *client, const char *what, ...) {
    va_list arguments;
    printf(good ? "ok %s " : "FAIL %s ", transport);
    va_start(arguments, what);
    vprintf(what, arguments);
    va_end(arguments);
    if (!good && client) {
        struct rpc_err error;
        clnt_geterr(client, &error);
        printf(": status %d, %s", error.re_status, clnt_sperrno(error.re_status));
    }
    putchar('\n');
    if (!good) ++failures;
}

static CLIENT *open_client(rpcprog_t program, rpcvers_t version) {
    const int six = server->ai_family == AF_INET6;
    const int tcp = server->ai_socktype == SOCK_STREAM;
    struct netconfig *network = getnetconfigent(tcp ? (six ? "tcp6" : "tcp") : (six ? "udp6" : "udp"));
    struct netbuf address = {
        .maxlen = server->ai_addrlen, .len = server->ai_addrlen, .buf = server->ai_addr};
    CLIENT *client = network ? clnt_tli_create(RPC_ANYFD, network, &address, program, version, 0, 0) : NULL;
    if (!client) {
        clnt_pcreateerror("FAIL connect");
        exit(1);
    }
    freenetconfigent(network);
    return client;
}

static void check_add(CLIENT *client, int a, int b) {
    peer_pair pair = {.a = a, .b = b};
    const int *v1 = peer_add_1(&pair, client);
    check(v1 && *v1 == (int)((u_int)a + (u_int)b), client, "ADD %d %d", a, b);
}

static void check_echo(CLIENT *client, u_int size) {
    peer_bytes bytes = {.peer_bytes_len = size, .peer_bytes_val = malloc(size + 1)};
    peer_bytes *echo;
    for (u_int i = 0; i < size; ++i) bytes.peer_bytes_val[i] = (char)(i * 31 + i / 256);
    echo = peer_echo_1(&bytes, client);
    check(echo && echo->peer_bytes_len == size &&
              (size == 0 || memcmp(echo->peer_bytes_val, bytes.peer_bytes_val, size) == 0),
          client, "ECHO of %u bytes", size);
    if (echo) clnt_freeres(client, (xdrproc_t)xdr_peer_bytes, (caddr_t)echo);
    free(bytes.peer_bytes_val);
}

static void check_version_1(void) {
    CLIENT *client = open_client(PEER_PROGRAM, PEER_V1);
    const int tcp = server->ai_socktype == SOCK_STREAM;
    u_int wait = 50;
    int first;
    const int *count;

    check(peer_null_1(NULL, client) != NULL, client, "NULL");
    check_add(client, 2, 3);
    check_add(client, -2, -3);
    check_add(client, 0x7fffffff, 1);
    for (u_int size = 0; size < 6; ++size) check_echo(client, size); /* each way to pad */
    check_echo(client, 8 << 10);
    if (tcp) check_echo(client, MIB);

    count = peer_count_1(NULL, client);
    first = count ? *count : 0;
    check(count != NULL && first > 0, client, "COUNT");
    count = peer_count_1(NULL, client);
    check(count && *count == first + 1, client, "COUNT again is one more");

    check(peer_slow_1(&wait, client) != NULL, client, "SLOW %u", wait);
    clnt_destroy(client);
}

static int same_paint(const peer_paint *a, const peer_paint *b) {
    if (a->kind != b->kind) return 0;
    if (a->kind == PEER_GREY) return a->peer_paint_u.level == b->peer_paint_u.level;
    if (a->kind == PEER_NAMED) return strcmp(a->peer_paint_u.label, b->peer_paint_u.label) == 0;
    return 1;
}

static int is_turned(const peer_sample *turned, const peer_sample *sample) {
    const u_int count = sample->numbers.numbers_len;
    if (strcmp(turned->name, sample->name) != 0 || turned->numbers.numbers_len != count) return 0;
    for (u_int i = 0; i < count; ++i)
        if (turned->numbers.numbers_val[i] != sample->numbers.numbers_val[count - 1 - i]) return 0;
    if ((turned->lucky == NULL) != (sample->lucky == NULL)) return 0;
    if (turned->lucky && *turned->lucky != *sample->lucky) return 0;
    return same_paint(&turned->paint, &sample->paint) && turned->ratio == -sample->ratio;
}

static void check_turn(CLIENT *client, peer_sample sample, const char *what) {
    peer_sample *turned = peer_turn_2(&sample, client);
    check(turned && is_turned(turned, &sample), client, "TURN of %s", what);
    if (turned) clnt_freeres(client, (xdrproc_t)xdr_peer_sample, (caddr_t)turned);
}

static void check_samples(CLIENT *client) {
    static char empty[] = "", name[] = "caf\xc3\xa9", label[] = "ultramarine";
    static char longest[PEER_NAME_MAX + 1];
    int numbers[1000];
    u_int lucky = 4294967295u;
    peer_sample sample = {.name = empty};
    for (int i = 0; i < 1000; ++i) numbers[i] = i * 1000003 - 500;
    memset(longest, 'x', PEER_NAME_MAX);

    check_turn(client, sample, "an empty sample");
    sample.name = name;
    sample.numbers.numbers_val = numbers;
    sample.numbers.numbers_len = 3;
    sample.lucky = &lucky;
    sample.paint.kind = PEER_GREY;
    sample.paint.peer_paint_u.level = -1;
    sample.ratio = 0.1;
    check_turn(client, sample, "a full sample");
    sample.name = longest;
    sample.numbers.numbers_len = 1000;
    sample.paint.kind = PEER_NAMED;
    sample.paint.peer_paint_u.label = label;
    sample.ratio = -1.7976931348623157e308;
    check_turn(client, sample, "a large sample");
}

static void check_caller(CLIENT *client) {
    gid_t gids[] = {7, 0, 4294967294u};
    static char machine[] = "peer";
    AUTH *const none = client->cl_auth;
    const peer_caller *caller = peer_who_2(NULL, client);
    check(caller && caller->flavor == AUTH_NONE && caller->gids.gids_len == 0, client, "WHO with AUTH_NONE");

    client->cl_auth = authunix_create(machine, 1000, 100, 3, gids);
    caller = peer_who_2(NULL, client);
    check(caller && caller->flavor == AUTH_SYS && caller->uid == 1000 && caller->gid == 100 &&
              caller->gids.gids_len == 3 && memcmp(caller->gids.gids_val, gids, sizeof gids) == 0,
          client, "WHO with AUTH_SYS");
    auth_destroy(client->cl_auth);
    client->cl_auth = none;
}

static void check_version_2(void) {
    CLIENT *client = open_client(PEER_PROGRAM, PEER_V2);
    peer_pair pair = {.a = 40, .b = 2};
    const int *sum;
    check(peer_null_2(NULL, client) != NULL, client, "NULL of version 2");
    sum = peer_add_2(&pair, client);
    check(sum && *sum == 42, client, "ADD of version 2");
    check_samples(client);
    check_caller(client);
    clnt_destroy(client);
}

/* A call without arguments that must fail with this status; clnt_geterr knows the rest. */
static void check_refusal(CLIENT *client, rpcproc_t procedure, enum clnt_stat status, const char *what) {
    const enum clnt_stat got = clnt_call(client, procedure, (xdrproc_t)xdr_void, NULL,
                                         (xdrproc_t)xdr_void, NULL, TIMEOUT);
    check(got == status, client, "%s: %s", what, clnt_sperrno(status));
}

/* Arguments that no server of peer.x can decode. */
static void check_garbage(void) {
    CLIENT *client = open_client(PEER_PROGRAM, PEER_V2);
    u_int name_size = PEER_NAME_MAX + 1;
    const enum clnt_stat got = clnt_call(client, PEER_TURN, (xdrproc_t)xdr_u_int, (caddr_t)&name_size,
                                         (xdrproc_t)xdr_void, NULL, TIMEOUT);
    check(got == RPC_CANTDECODEARGS, client, "a name too long: %s", clnt_sperrno(RPC_CANTDECODEARGS));
    /* Over UDP libtirpc's own server reads on into what the call before left in its buffer. */
    if (server->ai_socktype == SOCK_STREAM)
        check_refusal(client, PEER_ADD, RPC_CANTDECODEARGS, "no arguments where there must be some");
    check(peer_null_2(NULL, client) != NULL, client, "NULL after garbage");
    clnt_destroy(client);
}

static void check_refusals(void) {
    CLIENT *client = open_client(PEER_PROGRAM, PEER_V1);
    struct rpc_err error = {0};
    check_refusal(client, STRANGE_PROCEDURE, RPC_PROCUNAVAIL, "unknown procedure");
    check_refusal(client, PEER_WHO, RPC_PROCUNAVAIL, "procedure of another version");
    clnt_destroy(client);

    client = open_client(PEER_PROGRAM, STRANGE_VERSION);
    check_refusal(client, PEER_NULL, RPC_PROGVERSMISMATCH, "unknown version");
    clnt_geterr(client, &error);
    check(error.re_vers.low == PEER_V1 && error.re_vers.high == PEER_V2, NULL,
          "versions on offer: %u to %u", error.re_vers.low, error.re_vers.high);
    clnt_destroy(client);

    client = open_client(STRANGE_PROGRAM, 1);
    check_refusal(client, PEER_NULL, RPC_PROGUNAVAIL, "unknown program");
    clnt_destroy(client);
}

int main(int argc, char **argv) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICSERV};
    int error;
    if (argc != 4 || (strcmp(argv[3], "tcp") != 0 && strcmp(argv[3], "udp") != 0)) {
        fprintf(stderr, "usage: tirpc_peer_client HOST PORT tcp|udp\n");
        return 2;
    }
    transport = argv[3];
    hints.ai_socktype = strcmp(transport, "tcp") == 0 ? SOCK_STREAM : SOCK_DGRAM;
    error = getaddrinfo(argv[1], argv[2], &hints, &server);
    if (error) {
        fprintf(stderr, "tirpc_peer_client: %s: %s\n", argv[1], gai_strerror(error));
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    check_version_1();
    check_version_2();
    check_refusals();
    check_garbage();
    freeaddrinfo(server);
    return failures ? 1 : 0;
}
