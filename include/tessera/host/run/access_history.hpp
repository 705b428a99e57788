// The history of one element of shared memory, which tells a race from ordered accesses.
//
// Two accesses race if different lanes make them, at least one is a write, they aren't both atomic, and no
// sync that both lanes joined came in between. The history keeps only accesses that a later access doesn't
// make redundant: the last write, and the reads and atomics since then.
#pragma once

#include <cstdint>
#include <memory>
#include <tessera/core/config.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

enum class access_kind : unsigned char { read, write, atomic };

inline const char* name_of(access_kind kind) {
  return kind == access_kind::read ? "read" : kind == access_kind::write ? "write" : "atomic";
}

struct access {
  access_kind kind = access_kind::read;
  unsigned lane = 0;
  std::uint64_t tick = 0;
  call_site site{"", "", 0};
};

/// Accesses of one kind by several lanes: the newest access of each lane.
class access_set {
 public:
  void clear() {
    list_.clear();
    if (table_)
      for (std::uint64_t& word : table_->occupied) word = 0;
  }

  /// Adds `now`. `before(old)` tells whether `old` happens before `now`. If so, `old` needn't be kept: any access that
  /// is ordered after `now` is ordered after `old`, too.
  template <class Before>
  void add(const access& now, Before before) {
    if (!table_) {
      for (access& old : list_) {
        if (before(old)) {
          old = now;
          return;
        }
      }
      list_.push_back(now);
      if (list_.size() > max_listed) move_to_table();
    } else {
      table_->put(now);
    }
  }

  /// Returns the first access that meets the predicate `wanted`, or null.
  template <class Wanted>
  const access* find(Wanted wanted) const {
    for (const access& a : list_)
      if (wanted(a)) return &a;
    if (!table_) return nullptr;
    for (unsigned w = 0; w < 16; ++w)
      for (std::uint64_t rest = table_->occupied[w]; rest != 0; rest &= rest - 1) {
        const access& a = table_->by_lane[64 * w + tessera::detail::compiler::trailing_zeros(rest)];
        if (wanted(a)) return &a;
      }
    return nullptr;
  }

 private:
  static constexpr std::size_t max_listed = 4;

  /// A table with one entry per lane. An element that all 1024 lanes read would make a list slow.
  struct table {
    std::uint64_t occupied[16] = {};
    std::vector<access> by_lane;

    void put(const access& a) {
      if (a.lane >= by_lane.size()) by_lane.resize(a.lane + 1);
      by_lane[a.lane] = a;
      occupied[a.lane / 64] |= std::uint64_t{1} << (a.lane % 64);
    }
  };
  void move_to_table() {
    table_ = std::make_unique<table>();
    for (const access& a : list_) table_->put(a);
    list_.clear();
  }

  std::vector<access> list_;
  std::unique_ptr<table> table_;
};

class access_history {
 public:
  bool written() const { return written_; }

  /// Records `now`, and returns the earlier access that it races with, or null. `before(old)` tells whether `old`
  /// happens before `now`.
  template <class Before>
  const access* note(const access& now, Before before) {
    auto const races = [&](const access& old) { return !before(old); };
    if (written_by_store_ && races(write_)) return &write_;
    if (now.kind != access_kind::atomic)
      if (const access* const old = atomics_.find(races)) return old;
    if (now.kind != access_kind::read)
      if (const access* const old = reads_.find(races)) return old;
    switch (now.kind) {
      case access_kind::read:
        reads_.add(now, before);
        break;
      case access_kind::atomic:
        atomics_.add(now, before);
        written_ = true;
        break;
      case access_kind::write:
        reads_.clear();
        atomics_.clear();
        write_ = now;
        written_ = written_by_store_ = true;
    }
    return nullptr;
  }

 private:
  bool written_ = false;
  bool written_by_store_ = false;
  access write_;
  access_set reads_;
  access_set atomics_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
