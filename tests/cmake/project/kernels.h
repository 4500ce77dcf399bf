#pragma once

bool on_device();
void twice(double* values, int count);
