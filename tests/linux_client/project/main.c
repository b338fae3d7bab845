#include <stdio.h>
#include <string.h>

#include "reader.h"
#include "report.h"
#include "version.h"

int main(int count, char** words) {
    if (count > 1 && strcmp(words[1], "--version") == 0) {
        puts(WORDS_VERSION);
        return 0;
    }
    static struct table table;
    read_words(stdin, &table);
    report(&table);
    return 0;
}
