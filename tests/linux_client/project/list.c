#include "list.h"

#include <stdlib.h>
#include <string.h>

struct entry* list_push(struct entry* first, const char* word) {
    const size_t size = strlen(word) + 1;
    struct entry* added = malloc(sizeof *added + size);
    if (added == NULL) {
        abort();
    }
    added->next = first;
    added->count = 0;
    memcpy(added->word, word, size);
    return added;
}

struct entry* list_find(struct entry* first, const char* word) {
    while (first != NULL && strcmp(first->word, word) != 0) {
        first = first->next;
    }
    return first;
}
