/* As little as a client and a daemon can do: one send and one receive for each call, both waiting
 * in the kernel.
 *
 *     virt_limit serve PATH        answers whatever comes with as many bytes as a version takes
 *     virt_limit 'test+unix:///default?socket=PATH' version […]     as the other clients
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/virt/meter.h"

enum { kHead = 28, kReply = 36, kRoom = 4096, kGetLibVersion = 157, kOpen = 1 };

static struct sockaddr_un address_of(const char* path) {
    struct sockaddr_un out = {.sun_family = AF_UNIX};
    snprintf(out.sun_path, sizeof out.sun_path, "%s", path);
    return out;
}

static void put_head(uint32_t* words, uint32_t size, uint32_t procedure, uint32_t serial) {
    const uint32_t head[] = {size, 0x20008086, 1, procedure, 0, serial, 0};
    for (size_t i = 0; i < kHead / 4; ++i) words[i] = htonl(head[i]);
}

static void serve(const char* path) {
    const struct sockaddr_un address = address_of(path);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(path);
    if (bind(listener, (const struct sockaddr*)&address, sizeof address) != 0 ||
        listen(listener, 8) != 0)
        give_up("no socket");
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        const int client = accept(listener, NULL, NULL);
        uint32_t message[kRoom / 4] = {0};
        while (recv(client, message, sizeof message, 0) >= kHead) {
            message[0] = htonl(kReply);
            message[4] = htonl(1);
            if (send(client, message, kReply, MSG_NOSIGNAL) != kReply) break;
        }
        close(client);
    }
}

struct Side {
    int socket;
    uint32_t serial;
};

static long exchange(struct Side* side, uint32_t* message, uint32_t size, uint32_t procedure) {
    put_head(message, size, procedure, side->serial);
    if (send(side->socket, message, size, MSG_NOSIGNAL) != size) return 0;
    const ssize_t got = recv(side->socket, message, kRoom, 0);
    return got >= kHead && ntohl(message[0]) == (uint32_t)got &&
           ntohl(message[5]) == side->serial++ && message[6] == 0;
}

static long get_version(void* self) {
    uint32_t message[kRoom / 4];
    return exchange((struct Side*)self, message, kHead, kGetLibVersion);
}

int main(int count, char** words) {
    if (count == 3 && strcmp(words[1], "serve") == 0) serve(words[2]);
    const struct Words options = read_words(count, words);
    const char* const path = strstr(options.uri, "socket=");
    if (path == NULL || strcmp(options.what, "version") != 0) give_up("it does not do that");
    const struct sockaddr_un address = address_of(path + strlen("socket="));
    struct Side side = {socket(AF_UNIX, SOCK_STREAM, 0), 1};
    if (connect(side.socket, (const struct sockaddr*)&address, sizeof address) != 0)
        give_up("it does not connect");
    /* An optional name, that is here, and no flags. */
    uint32_t message[kRoom / 4] = {0};
    const char name[] = "test:///default";
    message[kHead / 4] = htonl(1);
    message[kHead / 4 + 1] = htonl(sizeof name - 1);
    memcpy(message + kHead / 4 + 2, name, sizeof name - 1);
    if (!exchange(&side, message, kHead + 8 + sizeof name + 4, kOpen)) give_up("it does not open");
    measure(&options, get_version, &side);
    return 0;
}
