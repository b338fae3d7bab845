#include "report.h"

#include <stdio.h>

void report(const struct table* table) {
    const struct entry* best = NULL;
    unsigned different = 0;
    for (unsigned row = 0; row < table_rows; ++row) {
        for (const struct entry* each = table->rows[row]; each != NULL; each = each->next) {
            ++different;
            if (best == NULL || each->count > best->count) {
                best = each;
            }
        }
    }
    printf("%u words, %u different, most often '%s'\n", table->words, different,
           best ? best->word : "");
}
