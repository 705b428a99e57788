// A user's types and functions, for the namespace that includes this file. Nobody may take their addresses by `&`, or write them
// before or after a comma, `&&` or `||`.

struct alignas(8) value {
  int x, y;
  value* operator&() = delete;
  value const* operator&() const = delete;
};
template <class T>
void operator,(value const&, T const&) = delete;
template <class T>
void operator,(T const&, value const&) = delete;

TESSERA_FN bool operator==(value const& a, value const& b) {
  return a.x == b.x && a.y == b.y;
}

/// What predicates and orders return.
struct truth {
  bool is;
  TESSERA_FN operator bool() const { return is; }
};
template <class T>
void operator&&(truth, T const&) = delete;
template <class T>
void operator&&(T const&, truth) = delete;
template <class T>
void operator||(truth, T const&) = delete;
template <class T>
void operator||(T const&, truth) = delete;
template <class T>
void operator,(truth, T const&) = delete;
template <class T>
void operator,(T const&, truth) = delete;

struct function {
  function* operator&() = delete;
  function const* operator&() const = delete;
};
struct add : function {
  TESSERA_FN value operator()(value const& a, value const& b) const { return {a.x + b.x, a.y + b.y}; }
};
struct last : function {  // doesn't commute
  TESSERA_FN value operator()(value const&, value const& b) const { return b; }
};
struct by_x : function {
  TESSERA_FN truth operator()(value const& a, value const& b) const { return {a.x < b.x}; }
};
struct same_x : function {
  TESSERA_FN truth operator()(value const& a, value const& b) const { return {a.x == b.x}; }
};
struct is_odd : function {
  TESSERA_FN truth operator()(value const& a) const { return {a.x % 2 != 0}; }
};
struct turned : function {
  TESSERA_FN value operator()(value const& a) const { return {a.y, a.x}; }
};
struct x_of : function {
  TESSERA_FN int operator()(value const& a) const { return a.x; }
};
