#include "text.h"

int lower(int character) {
    return character >= 'A' && character <= 'Z' ? character - 'A' + 'a' : character;
}

int is_letter(int character) {
    const int small = lower(character);
    return small >= 'a' && small <= 'z';
}
