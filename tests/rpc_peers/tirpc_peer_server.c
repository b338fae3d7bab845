/*
 * peer.x served by rpcgen's dispatch over libtirpc, for clients of ours to call. TCP and UDP on
 * loopback, any free ports, no rpcbind. Prints `listening tcp PORT udp PORT`, then serves until
 * killed. libtirpc serves one call after the other: while PEER_SLOW waits, everybody waits.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "peer.h"

#define SLOW_MS_MAX 60000        /* a test that waits longer hangs */
#define DATAGRAM_SIZE_MAX 65000u /* what fits in a datagram, in whole words */

/* rpcgen -m makes them and declares them nowhere. */
void peer_program_1(struct svc_req *request, SVCXPRT *transport);
void peer_program_2(struct svc_req *request, SVCXPRT *transport);

/* A result of NULL would mean: send no reply. */
static char nothing;

/* What the results hold is what the arguments held: libtirpc frees those after the reply is sent. */

void *peer_null_2_svc(void *arguments, struct svc_req *request) {
    (void)arguments;
    (void)request;
    return &nothing;
}

int *peer_add_2_svc(peer_pair *pair, struct svc_req *request) {
    static int sum;
    (void)request;
    sum = (int)((u_int)pair->a + (u_int)pair->b);
    return &sum;
}

peer_bytes *peer_echo_2_svc(peer_bytes *bytes, struct svc_req *request) {
    static peer_bytes echo;
    (void)request;
    echo = *bytes;
    return &echo;
}

int *peer_count_2_svc(void *arguments, struct svc_req *request) {
    static int count;
    (void)arguments;
    (void)request;
    ++count;
    return &count;
}

void *peer_slow_2_svc(u_int *milliseconds, struct svc_req *request) {
    const u_int wait = *milliseconds < SLOW_MS_MAX ? *milliseconds : SLOW_MS_MAX;
    const struct timespec time = {.tv_sec = wait / 1000, .tv_nsec = (long)(wait % 1000) * 1000000};
    (void)request;
    nanosleep(&time, NULL);
    return &nothing;
}

peer_sample *peer_turn_2_svc(peer_sample *sample, struct svc_req *request) {
    static peer_sample turned;
    (void)request;
    turned = *sample;
    for (u_int i = 0, j = turned.numbers.numbers_len; i + 1 < j; ++i) {
        const int number = turned.numbers.numbers_val[i];
        --j;
        turned.numbers.numbers_val[i] = turned.numbers.numbers_val[j];
        turned.numbers.numbers_val[j] = number;
    }
    turned.ratio = -turned.ratio;
    return &turned;
}

peer_caller *peer_who_2_svc(void *arguments, struct svc_req *request) {
    static peer_caller caller;
    static u_int gids[PEER_GROUPS_MAX];
    (void)arguments;
    caller = (peer_caller){.flavor = request->rq_cred.oa_flavor};
    caller.gids.gids_val = gids;
    if (caller.flavor == AUTH_SYS) {
        const struct authunix_parms *parms = request->rq_clntcred;
        caller.uid = parms->aup_uid;
        caller.gid = parms->aup_gid;
        while (caller.gids.gids_len < parms->aup_len && caller.gids.gids_len < PEER_GROUPS_MAX) {
            gids[caller.gids.gids_len] = parms->aup_gids[caller.gids.gids_len];
            ++caller.gids.gids_len;
        }
    }
    return &caller;
}

/* Version 1 is the same, with less. */
void *peer_null_1_svc(void *a, struct svc_req *r) { return peer_null_2_svc(a, r); }
int *peer_add_1_svc(peer_pair *a, struct svc_req *r) { return peer_add_2_svc(a, r); }
peer_bytes *peer_echo_1_svc(peer_bytes *a, struct svc_req *r) { return peer_echo_2_svc(a, r); }
int *peer_count_1_svc(void *a, struct svc_req *r) { return peer_count_2_svc(a, r); }
void *peer_slow_1_svc(u_int *a, struct svc_req *r) { return peer_slow_2_svc(a, r); }

static void insist(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

/* A socket at any free port of loopback. */
static int bound(int type, unsigned *port) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    const int bound_socket = socket(AF_INET, type, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    insist(bound_socket >= 0, "socket");
    insist(bind(bound_socket, (struct sockaddr *)&address, size) == 0, "bind");
    insist(getsockname(bound_socket, (struct sockaddr *)&address, &size) == 0, "getsockname");
    *port = ntohs(address.sin_port);
    return bound_socket;
}

/* Protocol 0: no registration with rpcbind. */
static void serve(SVCXPRT *transport) {
    insist(transport != NULL, "no transport");
    insist(svc_register(transport, PEER_PROGRAM, PEER_V1, peer_program_1, 0), "svc_register");
    insist(svc_register(transport, PEER_PROGRAM, PEER_V2, peer_program_2, 0), "svc_register");
}

int main(void) {
    unsigned tcp_port, udp_port;
    const int tcp = bound(SOCK_STREAM, &tcp_port);
    const int udp = bound(SOCK_DGRAM, &udp_port);
    signal(SIGPIPE, SIG_IGN); /* libtirpc writes to clients that are gone */
    insist(listen(tcp, SOMAXCONN) == 0, "listen");
    serve(svctcp_create(tcp, 0, 0));
    serve(svcudp_bufcreate(udp, DATAGRAM_SIZE_MAX, DATAGRAM_SIZE_MAX));
    printf("listening tcp %u udp %u\n", tcp_port, udp_port);
    fflush(stdout);
    svc_run();
    return 1;
}
