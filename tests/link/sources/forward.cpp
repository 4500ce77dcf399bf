// An archive's member without device code that needs one with: helper.cpp.
int helper(int value);
int forward(int value) {
  return helper(value);
}
