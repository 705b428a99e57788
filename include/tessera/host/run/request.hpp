// The request that a lane posts at a rendezvous: the operation, what must agree among the lanes, and the
// addresses of the lane's data.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/core/range_uniform.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// An algorithm's description of a call. Every rendezvous of `tile.group(call)` carries this description, and
/// it must agree among the lanes: name and detail by their text, the site by file and line, `uniform`
/// within each tile.
struct collective_call {
  const char* name = "";      // such as "reduce"
  const char* detail = "";    // the type, the operator and the policy, for the report
  std::uint64_t uniform = 0;  // an argument that must be the same in all lanes of the tile
  bool converged = false;     // the caller promises that all lanes of the warp make this call together
  call_site site{"", "", 0};
  bool padded = false;      // the tile may reach past the last lane of the block
  unsigned serial = 0;      // the number of the lane's call in a trace; 0 if the call is one exchange
  std::uint32_t lanes = 0;  // the lanes of its warp that a coalesced group has; 0 for a tile or the block
};

/// The serial number of a rendezvous that only looks for misuse: traces omit it.
inline constexpr unsigned untraced_call = ~0u;

enum class primitive : unsigned char { sync, shuffle, shuffle_xor, shuffle_up, shuffle_down, ballot, match, any };

inline const char* name_of(primitive p) {
  constexpr const char* names[] = {"sync",         "shuffle", "shuffle_xor", "shuffle_up",
                                   "shuffle_down", "ballot",  "match",       "any"};
  return names[static_cast<int>(p)];
}

/// A tile of 2^level lanes has level 0 … 10. The block, of any size, has the highest level.
inline constexpr unsigned warp_level = 5;
inline constexpr unsigned block_level = 11;
/// The level of a coalesced group in a trace. (Its lanes meet in their warp.)
inline constexpr unsigned coalesced_level = 12;

struct request {
  collective_call call;
  primitive kind = primitive::sync;
  unsigned level = block_level;
  const char* type = "";  // from type_tag
  unsigned bytes = 0;     // the size of one lane's value
  unsigned argument = 0;  // the source lane, mask or delta, which may differ between lanes
  const void* in = nullptr;
  void* out = nullptr;

  unsigned tile_size() const { return 1u << level; }
  /// True if the lanes of a coalesced group exchange. Its level is the warp's.
  bool is_coalesced() const { return call.lanes != 0; }
  /// The number of lanes that exchange, and the rank of one of them.
  unsigned lane_count() const {
    return is_coalesced() ? tessera::detail::compiler::population(call.lanes) : tile_size();
  }
  unsigned rank_of(unsigned lane) const {
    if (!is_coalesced()) return lane & (tile_size() - 1);
    return tessera::detail::compiler::population(call.lanes & ((std::uint32_t{1} << lane % 32) - 1));
  }
  /// The level of the rendezvous: the warp's if the call promises `converged`.
  unsigned rendezvous_level() const { return call.converged && level < warp_level ? warp_level : level; }
};

/// A string that differs between types. `readable_type` extracts the type's name for a report.
template <class T>
TESSERA_FN const char* type_tag() {
#if TESSERA_ARCH
  return "";
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// Removes the inline namespace, which means nothing to a user.
inline std::string without_abi(std::string text) {
  std::string const abi = TESSERA_TEXT(TESSERA_ABI) "::";
  for (std::size_t at; (at = text.find("::" + abi)) != std::string::npos;) text.erase(at + 2, abi.size());
  return text;
}

inline std::string readable_type(const char* tag) {
  std::string const text = tag;
  std::size_t const from = text.find("T = ");
  if (from == std::string::npos) return text;
  std::size_t to = text.find(';', from);
  if (to == std::string::npos) to = text.rfind(']');
  return detail::without_abi(text.substr(from + 4, to - from - 4));
}

inline bool same_text(const char* a, const char* b) {
  return a == b || std::strcmp(a, b) == 0;
}
inline bool same_source_line(const call_site& a, const call_site& b) {
  return a.line == b.line && detail::same_text(a.file, b.file);
}
/// True if both are on the same line, and in the same column if the compiler tells it.
inline bool same_place(const call_site& a, const call_site& b) {
  return detail::same_source_line(a, b) && a.column == b.column;
}

/// True if a and b are the same operation, called at the same place.
inline bool same_call(const request& a, const request& b) {
  return a.kind == b.kind && detail::same_place(a.call.site, b.call.site) &&
         detail::same_text(a.call.name, b.call.name);
}
/// True if a and b also agree in type, size and tile size. (Uniform arguments are compared after all lanes have
/// arrived.)
inline bool same_signature(const request& a, const request& b) {
  return a.bytes == b.bytes && a.level == b.level && a.call.lanes == b.call.lanes &&
         a.call.converged == b.call.converged && detail::same_text(a.type, b.type) &&
         detail::same_text(a.call.detail, b.call.detail);
}

/// The name of a function without the library's inline namespace.
inline std::string without_version(std::string name) {
  std::string const version = TESSERA_TEXT(TESSERA_ABI) "::";
  for (std::size_t at = name.find(version); at != std::string::npos; at = name.find(version, at))
    name.erase(at, version.size());
  return name;
}

inline std::string describe(const call_site& site) {
  std::string text = std::string(site.file) + ":" + std::to_string(site.line);
  if (site.function[0] != '\0') text += " (" + detail::without_version(site.function) + ")";
  return text;
}

/// ", column 12" if the line alone doesn't distinguish two calls.
inline std::string describe_column(const call_site& site, const call_site& other) {
  bool const needed = site.column != other.column && detail::same_source_line(site, other);
  return needed ? ", column " + std::to_string(site.column) : "";
}

/// ", uniform argument = 5", or for a range in memory ", uniform argument = 5 of range 1f3a60"; empty if it is 0.
inline std::string describe_uniform(std::uint64_t uniform) {
  using ranges = tessera::detail::range_uniform;
  if (uniform == 0) return "";
  if ((uniform & ranges::mark) == 0) return ", uniform argument = " + std::to_string(uniform);
  char range[32];
  std::snprintf(range, sizeof(range), " of range %llx",
                static_cast<unsigned long long>((uniform & ~ranges::mark) >> ranges::bits));
  return ", uniform argument = " + std::to_string(uniform & ranges::lengths) + range;
}

inline std::string group_name(unsigned level) {
  if (level == coalesced_level) return "coalesced group";
  return level == block_level ? std::string("block") : "tile<" + std::to_string(1u << level) + ">";
}
inline std::string group_name(const request& r) {
  if (!r.is_coalesced()) return detail::group_name(r.level);
  return detail::group_name(coalesced_level) + " of " + std::to_string(r.lane_count());
}

/// "reduce, int plus, in shuffle_xor of int (4 bytes), tile<8>, uniform argument = 5, converged"
inline std::string describe_operation(const request& r) {
  std::string text = r.call.name;
  if (r.call.detail[0] != '\0') text += std::string(", ") + r.call.detail;
  if (std::strstr(r.call.name, detail::name_of(r.kind)) == nullptr)
    text += std::string(", in ") + detail::name_of(r.kind);
  if (r.bytes != 0) text += " of " + detail::readable_type(r.type) + " (" + std::to_string(r.bytes) + " bytes)";
  text += ", " + detail::group_name(r);
  text += detail::describe_uniform(r.call.uniform);
  if (r.call.converged) text += ", converged";
  return text;
}

inline std::string describe(const request& r) {
  return detail::describe_operation(r) + ", at " + detail::describe(r.call.site);
}
}  // namespace host::detail
TESSERA_NAMESPACE_END
