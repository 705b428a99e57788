// Sorting the segments of a group's lanes: the network of sort.hpp, on entries that are compared by their segments
// first.
#pragma once

#include <tessera/core/sort_entry.hpp>
#include <tessera/group/segment.hpp>
#include <tessera/tile/sort.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Compares entries by their segment, by their key, and of equal ones by their lane. The position of an entry has the
/// segment's first lane in its upper half and the entry's lane in the lower.
template <class Field>
struct segmented_before {
  static constexpr bool is_cheap = Field::is_cheap;
  entry_before<Field, true> in_segment;

  TESSERA_FN static stl::uint32_t position(unsigned first, unsigned lane) { return first << 16 | lane; }

  template <class Entry>
  TESSERA_FN bool operator()(Entry const& a, Entry const& b) const {
    bool const is_apart = (a.position ^ b.position) >> 16 != 0, is_earlier = a.position < b.position;
    if constexpr (is_cheap) {
      return (is_apart & is_earlier) | (!is_apart & in_segment(a, b));  // no branch
    } else {
      return is_apart ? is_earlier : in_segment(a, b);
    }
  }
  template <class Entry>
  TESSERA_FN bool or_tie(Entry const& a, Entry const& b, bool) const {
    return (*this)(a, b);
  }
};

/// Represents, for sort_entries_of, the value of a lane whose segment begins in lane `first`.
template <class T, class Before>
class segmented_form {
  using field_t = sort_field<true, T, Before>;
  using before_t = segmented_before<field_t>;

 public:
  static constexpr bool may_branch = !field_t::is_cheap;
  using entry = stable_entry<typename field_t::type>;

  TESSERA_FN segmented_form(Before const& before, unsigned first) : field_(before), first_(first) {}

  TESSERA_FN auto order() const { return comparator_order<before_t>{{{field_}}}; }
  TESSERA_FN entry entry_of(items<T, 1> const& x, unsigned i, unsigned lane) const {
    return {field_.encode(x[i]), before_t::position(first_, lane)};
  }
  TESSERA_FN void store(entry const& from, items<T, 1>& to, unsigned i) const {
    detail::assign(to[i], field_.decode(from.key));
  }

 private:
  field_t field_;
  unsigned first_;
};

template <class Group, class T, class Before, class Policy>
TESSERA_FN T sort_segments_of(Group group, T const& x, segment of, Before const& before, Policy const& policy) {
  segmented_form<T, Before> const form(before, of.first);
  return detail::sort_entries_of(group, form, detail::as_row(x), policy)[0];
}

}  // namespace detail
TESSERA_NAMESPACE_END
