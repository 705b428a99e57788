// The library was built without its launchers of whole arrays.
bool arrays_are_right();

bool arrays_are_right() {
  return true;
}
