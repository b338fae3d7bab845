/*
 * What C programmers have: rpcgen's dispatch of null.x over libtirpc and its svc_run, on TCP. A peer
 * in the benchmark. Binds to loopback, asks no rpcbind, prints `listening tcp PORT`.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "null.h"

/* rpcgen -m makes it and declares it nowhere. */
void null_program_1(struct svc_req *request, SVCXPRT *transport);

void *null_proc_1_svc(void *arguments, struct svc_req *request) {
    static char nothing; /* a result of NULL would mean: send no reply */
    (void)arguments;
    (void)request;
    return &nothing;
}

static void insist(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    SVCXPRT *transport;

    signal(SIGPIPE, SIG_IGN); /* libtirpc writes to clients that are gone */
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    insist(listener >= 0, "socket");
    insist(bind(listener, (struct sockaddr *)&address, size) == 0, "bind");
    insist(listen(listener, SOMAXCONN) == 0, "listen");
    insist(getsockname(listener, (struct sockaddr *)&address, &size) == 0, "getsockname");
    transport = svctcp_create(listener, 0, 0);
    insist(transport != NULL, "svctcp_create");
    /* Protocol 0: no registration with rpcbind. */
    insist(svc_register(transport, NULL_PROGRAM, NULL_V1, null_program_1, 0), "svc_register");
    printf("listening tcp %u\n", ntohs(address.sin_port));
    fflush(stdout);
    svc_run();
    return 1;
}
