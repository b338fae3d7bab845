/* What rpcgen_peer.c (the conversation) and rpcgen_natives.c (the values) share. */
#ifndef HELIO_INTEROP_RPCGEN_PEER_H
#define HELIO_INTEROP_RPCGEN_PEER_H

#include <rpc/rpc.h>
#include <stddef.h>

#include "constructs.h"

/* A value written down in C: its name, the type it is of, and where it is. */
struct native {
    const char* name;
    const char* type;
    void* value;
};

extern const struct native natives[];
extern const size_t native_count;

#endif
