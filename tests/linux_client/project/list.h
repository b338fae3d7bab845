#pragma once

struct entry {
    struct entry* next;
    unsigned count;
    char word[];
};

struct entry* list_push(struct entry* first, const char* word);
struct entry* list_find(struct entry* first, const char* word);
