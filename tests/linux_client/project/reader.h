#pragma once

#include <stdio.h>

#include "table.h"

void read_words(FILE* file, struct table* table);
