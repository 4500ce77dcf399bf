int host_only(int value) {
  return value;
}
