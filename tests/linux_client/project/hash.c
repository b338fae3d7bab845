#include "hash.h"

unsigned hash_of(const char* word) {
    unsigned hash = 2166136261u;
    for (; *word != '\0'; ++word) {
        hash = (hash ^ (unsigned char)*word) * 16777619u;
    }
    return hash;
}
