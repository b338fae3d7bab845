#pragma once

unsigned hash_of(const char* word);
