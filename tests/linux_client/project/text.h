#pragma once

int is_letter(int character);
int lower(int character);
