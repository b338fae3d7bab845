#include "table.h"

#include <stddef.h>

#include "hash.h"

void table_count(struct table* table, const char* word) {
    struct entry** row = &table->rows[hash_of(word) % table_rows];
    struct entry* found = list_find(*row, word);
    if (found == NULL) {
        found = *row = list_push(*row, word);
    }
    ++found->count;
    ++table->words;
}
