#include "reader.h"

#include "text.h"

void read_words(FILE* file, struct table* table) {
    char word[64];
    unsigned size = 0;
    for (int character = 0; character != EOF;) {
        character = fgetc(file);
        if (character != EOF && is_letter(character) && size < sizeof word - 1) {
            word[size++] = (char)lower(character);
        } else if (size > 0) {
            word[size] = '\0';
            table_count(table, word);
            size = 0;
        }
    }
}
