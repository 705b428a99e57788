// What is remembered of one element of shared memory, to tell a race from an access in order.
//
// Two accesses race if they are of different lanes, at least one writes, not both are atomic, and no sync
// that both lanes joined lies between. Only accesses that nothing later has put in order are kept: the last
// write, and the reads and atomics since.
#pragma once

#include <cstdint>
#include <memory>
#include <tessera/config.hpp>
#include <vector>

namespace tessera::host::detail {

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

/// Accesses of one kind by several lanes, at most one a lane: the newest.
class access_set {
 public:
  void clear() {
    few_.clear();
    if (many_)
      for (std::uint64_t& word : many_->present) word = 0;
  }

  /// Adds `now`. `before(old)` says whether `old` happens before it: then `old` needn't be kept, since
  /// whatever comes after `now` in order comes after `old` too.
  template <class Before>
  void add(const access& now, Before before) {
    if (!many_) {
      for (access& old : few_) {
        if (before(old)) {
          old = now;
          return;
        }
      }
      few_.push_back(now);
      if (few_.size() > keep_few) spread();
    } else {
      many_->put(now);
    }
  }

  /// The first access for which `wanted` holds, or null.
  template <class Wanted>
  const access* find(Wanted wanted) const {
    for (const access& a : few_)
      if (wanted(a)) return &a;
    if (!many_) return nullptr;
    for (unsigned w = 0; w < 16; ++w)
      for (std::uint64_t rest = many_->present[w]; rest != 0; rest &= rest - 1) {
        const access& a = many_->by_lane[64 * w + tessera::detail::compiler::trailing_zeros(rest)];
        if (wanted(a)) return &a;
      }
    return nullptr;
  }

 private:
  static constexpr std::size_t keep_few = 4;

  /// A place for each lane: what all 1024 lanes read would make a list slow.
  struct table {
    std::uint64_t present[16] = {};
    std::vector<access> by_lane;

    void put(const access& a) {
      if (a.lane >= by_lane.size()) by_lane.resize(a.lane + 1);
      by_lane[a.lane] = a;
      present[a.lane / 64] |= std::uint64_t{1} << (a.lane % 64);
    }
  };
  void spread() {
    many_ = std::make_unique<table>();
    for (const access& a : few_) many_->put(a);
    few_.clear();
  }

  std::vector<access> few_;
  std::unique_ptr<table> many_;
};

/// The history of one element.
class access_history {
 public:
  bool written() const { return written_; }

  /// Notes `now`, and gives the earlier access that it races with, or null. `before(old)`: does `old` happen
  /// before it?
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

}  // namespace tessera::host::detail
