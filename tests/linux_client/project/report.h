#pragma once

#include "table.h"

void report(const struct table* table);
