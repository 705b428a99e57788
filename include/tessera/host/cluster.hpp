// A cluster of blocks of CPU lanes, and its lanes as a tile: the counterparts of cooperative_groups::cluster_group and
// of cluster_tile (cluster_tile.hpp).
//
// The lanes of all blocks run as one block of the engine, so a cluster has up to 1024 of them in all. Memory that the
// blocks exchange through is checked as slots of tiles are. host::shared arrays belong to the whole cluster here.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/group/multi_block_group.hpp>
#include <tessera/host/backend.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/tile.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host {

/// The argument of a kernel that host::launch_cluster runs; each lane gets its own.
class cluster {
 public:
  TESSERA_FN cluster(const block& lanes, unsigned threads) : lanes_(lanes), threads_(threads) {}

  TESSERA_FN unsigned thread_rank() const { return lanes_.thread_rank(); }
  TESSERA_FN unsigned size() const { return lanes_.size(); }
  TESSERA_FN unsigned num_threads() const { return lanes_.size(); }
  TESSERA_FN unsigned block_rank() const { return thread_rank() / threads_; }
  TESSERA_FN unsigned num_blocks() const { return size() / threads_; }
  /// A barrier of all threads of the cluster. It also orders their accesses to memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const { lanes_.sync(site); }

  /// The threads of each block; all threads as one block.
  TESSERA_FN unsigned block_threads() const { return threads_; }
  TESSERA_FN const block& lanes() const { return lanes_; }

 private:
  block lanes_;
  unsigned threads_;
};

namespace detail {

/// Values of all blocks, in memory in which every access is checked.
template <class T>
struct values_of_blocks {
  checked_slots<T> all;

  TESSERA_FN T read(unsigned number) const { return all.read(number); }
  TESSERA_FN void write(unsigned number, T const& x) const { all.write(number, x); }
  TESSERA_FN T read_own(unsigned number) const { return all.read(number); }
  TESSERA_FN void write_own(unsigned number, T const& x) const { all.write(number, x); }
};

/// The backend of a group of several blocks: group/multi_block_group.hpp lists its members. Barriers are rendezvous of
/// all lanes, so one set of slots suffices.
template <unsigned Blocks, unsigned Threads>
class cluster_backend {
  using block_memory = library_memory<tessera::detail::library_layout_of<Threads, true>>;
  static constexpr unsigned N = Blocks * Threads;

 public:
  static constexpr unsigned blocks = Blocks, threads = Threads;
  template <class T>
  using slots_of = checked_slots<T>;

  TESSERA_FN cluster_backend(const lane_id& id, const collective_call& call) : id_(id), call_(call) {}

  TESSERA_FN unsigned block() const { return id_.rank / Threads; }
  TESSERA_FN auto in_block() const {
    return tessera::detail::multi_warp_group<backend<Threads, block_memory>>(
        backend<Threads, block_memory>(id_, call_, {}));
  }
  TESSERA_FN unsigned begin() const { return 0; }
  template <class T, class Load>
  TESSERA_FN auto all_gather(unsigned /*turn*/, T const& x, unsigned source, Load load) const {
    unsigned const thread = id_.rank % Threads, lane = thread % 32;
    if (thread / 32 == source / 32) {
      T const mine = host::group<32>(id_, call_).shuffle(x, source % 32);
      if (lane < Blocks) slots_of_block<T>(lane).write(block(), mine);
    }
    sync();
    auto const got = load(slots_of_block<T>(block()));
    sync();
    return got;
  }
  TESSERA_FN void sync() const { host::group<N>(id_, call_).sync(); }

  template <unsigned Bytes>
  TESSERA_FN auto in_block_with() const {
    return in_block();
  }
  template <class T, unsigned K, unsigned After, unsigned Bytes>
  TESSERA_FN values_of_blocks<T> values_of() const {
    unsigned const use = After == 0 ? keys_use : values_use;
    return {{id_, {N << 20 | K << 4 | use, 0, type_tag<char[sizeof(T)]>(), sizeof(T), N * K, N, 0}, 0, call_.site}};
  }

 private:
  static constexpr unsigned blocks_use = 2, keys_use = 3, values_use = 4;  // after the inputs and outputs of tiles

  template <class T>
  TESSERA_FN checked_slots<T> slots_of_block(unsigned of) const {
    return {id_,
            {N << 20 | Blocks << 4 | blocks_use, 0, type_tag<char[sizeof(T)]>(), sizeof(T), Blocks * Blocks, N, 0},
            of * Blocks,
            call_.site};
  }

  lane_id id_;
  collective_call call_;
};

}  // namespace detail

/// The lanes of N / Threads blocks, as the calling lane sees them. Made by this_cluster_tile.
template <unsigned N, unsigned Threads>
class cluster_tile {
  static_assert(N <= 1024, "A cluster of host lanes has up to 1024 of them: test with blocks of fewer threads.");

 public:
  TESSERA_FN explicit cluster_tile(const detail::lane_id& id) : id_(id) {}

  TESSERA_FN static constexpr unsigned size() { return N; }
  TESSERA_FN static constexpr unsigned num_threads() { return N; }
  TESSERA_FN static constexpr unsigned num_blocks() { return N / Threads; }
  TESSERA_FN unsigned thread_rank() const { return id_.rank; }
  TESSERA_FN unsigned block_rank() const { return id_.rank / Threads; }
  /// This block's lanes as a tile.
  TESSERA_FN tile<Threads> block() const { return {id_, id_.rank % Threads, Threads}; }
  /// Collective. A barrier of the lanes. It also orders their accesses to memory.
  TESSERA_FN void sync(call_site site = call_site::here()) const {
    host::group<N>(id_, {"tile.sync", "", 0, false, site}).sync();
  }

  /// The group for the collective that `call` describes, after a rendezvous, as those of other tiles of several warps.
  template <bool TakesPadded = false, class Policy = policy<>>
  TESSERA_FN auto group(detail::collective_call call, [[maybe_unused]] Policy const& how = {}) const {
    detail::collective_call meeting = call;
    meeting.serial = detail::untraced_call;
    if (detail::is_any_launch_traced()) call.serial = detail::begin_traced_call();
    host::group<N>(id_, meeting).ballot(true);
    using backend = detail::cluster_backend<N / Threads, Threads>;
    return tessera::detail::multi_block_group<backend>(backend(id_, call));
  }

  /// Records the result of this lane's last call, if the launch is traced.
  template <class T>
  TESSERA_FN void trace_result([[maybe_unused]] const char* name, [[maybe_unused]] const char* types,
                               [[maybe_unused]] const call_site& site, [[maybe_unused]] const T& value) const {
    if constexpr (std::is_trivially_copyable_v<T>)
      if (detail::is_any_launch_traced())
        detail::trace_result({name, types, 0, false, site}, detail::log2_of(N), detail::type_tag<T>(), sizeof(T),
                             TESSERA_ADDRESS_OF(value));
  }

  TESSERA_FN const detail::lane_id& id() const { return id_; }

 private:
  detail::lane_id id_;
};

namespace detail {

/// All lanes of a cluster as a tile.
TESSERA_ONE_SIDED
template <unsigned N, unsigned Threads>
TESSERA_FN host::cluster_tile<N, Threads> cluster_tile_of(const cluster& whole, [[maybe_unused]] call_site site) {
#if !TESSERA_ARCH
  if (whole.size() != N || whole.block_threads() != Threads)
    detail::engine_of(whole.lanes().id(), "the cluster as a tile", site).fail(misuse_kind::incomplete_group, site, [&] {
      return "lane " + std::to_string(whole.thread_rank()) + " takes a cluster of " +
             std::to_string(whole.num_blocks()) + " blocks of " + std::to_string(whole.block_threads()) +
             " threads as a tile of " + std::to_string(N / Threads) + " blocks of " + std::to_string(Threads) +
             ", at " + detail::describe(site);
    });
#endif
  return host::cluster_tile<N, Threads>(whole.lanes().id());
}

}  // namespace detail
}  // namespace host
TESSERA_NAMESPACE_END
