#pragma once

#include "list.h"

enum { table_rows = 64 };

struct table {
    struct entry* rows[table_rows];
    unsigned words;
};

void table_count(struct table* table, const char* word);
