// The backend of a group of several blocks on the GPU: slots in distributed shared memory, and barriers in shared
// memory that count the bytes which arrive.
//
//   block 2 of 4     lanes 0, 1 and 3 of a warp store the value asynchronously into slot 2 of blocks 0, 1 and 3; lane 2
//                    stores it into the block's own, and expects the bytes of three more
//   a block's lanes  wait until the barrier of this turn has had the arrival and the bytes, and read their own slots
//
// So an exchange takes one trip through the cluster's network. A barrier of the cluster takes longer, even after the
// values have arrived: sm_90 waits at it until all earlier stores of each warp are visible to the whole GPU.
//
// Turn k uses slots and barrier k % 2, whose phase is k / 2 % 2. The turn is kept in shared memory, so that copies of a
// tile agree: all lanes read it, and after a barrier of the block the lane that stores into the own slot counts on.
//
// Source: PTX ISA, "st.async", "mbarrier", "mapa".
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/gpu_backend.hpp>
#include <tessera/group/multi_block_group.hpp>

#if TESSERA_CUDA

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The address of the two barriers of 8 bytes, and of the turn after them.
template <class = void>
TESSERA_FN unsigned cluster_barriers() {
#if TESSERA_ARCH
  alignas(16) __shared__ unsigned char bytes[32];
  return detail::shared_address(bytes);
#else
  return 0;
#endif
}
/// The address of slots of so many bytes in all: two sets.
template <unsigned Bytes>
TESSERA_FN unsigned cluster_slots() {
#if TESSERA_ARCH
  alignas(16) __shared__ unsigned char bytes[Bytes];
  return detail::shared_address(bytes);
#else
  return 0;
#endif
}

/// This block's number in its cluster; the number of the cluster's blocks.
TESSERA_FN unsigned block_of_cluster() {
  unsigned rank = 0;
#if TESSERA_ARCH >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
TESSERA_FN unsigned blocks_of_cluster() {
  unsigned count = 1;
#if TESSERA_ARCH >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
#endif
  return count;
}

/// The halves of a barrier of all threads of the cluster, which orders no memory. Between them a thread may do other
/// things.
TESSERA_FN void arrive_at_cluster_barrier() {
#if TESSERA_ARCH >= 900
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
}
TESSERA_FN void wait_at_cluster_barrier() {
#if TESSERA_ARCH >= 900
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

/// A barrier of all threads of the cluster, which orders memory.
TESSERA_FN void sync_cluster() {
#if TESSERA_ARCH >= 900
  asm volatile(
      "barrier.cluster.arrive.release;\n\t"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
#endif
}

/// Begins a barrier: a phase ends when one thread has arrived and the bytes that it expects have come. Other blocks may
/// use it after publish_barriers and a barrier of the cluster.
TESSERA_FN void begin_barrier([[maybe_unused]] unsigned barrier) {
#if TESSERA_ARCH >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
#endif
}
TESSERA_FN void publish_barriers() {
#if TESSERA_ARCH >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
/// Begins and publishes one barrier.
TESSERA_FN void make_barrier(unsigned barrier) {
  detail::begin_barrier(barrier);
  detail::publish_barriers();
}

/// Prepares the barriers. Called by all threads of the cluster, once before the first exchange.
TESSERA_FN void begin_exchanges() {
#if TESSERA_ARCH >= 900
  __syncthreads();  // an earlier tile's last exchange has ended
  unsigned const at = detail::cluster_barriers();
  if (thread_of_block() == 0) {
    detail::begin_barrier(at);
    detail::begin_barrier(at + 8);
    detail::store_shared(at + 16, 0u);
    detail::publish_barriers();
  }
  detail::sync_cluster();
#endif
}

/// The address in another block's shared memory that `address` is in this block's.
TESSERA_FN unsigned address_in_block([[maybe_unused]] unsigned address, [[maybe_unused]] unsigned block) {
  unsigned there = 0;
#if TESSERA_ARCH >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
#endif
  return there;
}

/// Stores words into another block's shared memory, and then adds their bytes to what its barrier has.
template <unsigned Count>
TESSERA_FN void send_to_block([[maybe_unused]] unsigned to, [[maybe_unused]] stl::uint32_t const (&word)[Count],
                              [[maybe_unused]] unsigned barrier) {
#if TESSERA_ARCH >= 900
  if constexpr (Count % 4 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 4)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                       to + 4 * i),
                   "r"(word[i]), "r"(word[i + 1]), "r"(word[i + 2]), "r"(word[i + 3]), "r"(barrier)
                   : "memory");
  } else if constexpr (Count % 2 == 0) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 2)
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to + 4 * i),
          "r"(word[i]), "r"(word[i + 1]), "r"(barrier)
          : "memory");
  } else {
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; ++i)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to + 4 * i),
                   "r"(word[i]), "r"(barrier)
                   : "memory");
  }
#endif
}

/// Loads or stores words in the shared memory of any block of the cluster.
template <unsigned Count>
TESSERA_FN void load_of_cluster([[maybe_unused]] stl::uint32_t (&word)[Count], [[maybe_unused]] unsigned address) {
#if TESSERA_ARCH >= 900
  constexpr unsigned together = Count % 2 == 0 ? 2 : 1;
  TESSERA_UNROLL
  for (unsigned i = 0; i < Count; i += together) {
    if constexpr (together == 2) {
      asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                   : "=r"(word[i]), "=r"(word[i + 1])
                   : "r"(address + 4 * i));
    } else {
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word[i]) : "r"(address + 4 * i));
    }
  }
#endif
}
template <unsigned Count>
TESSERA_FN void store_of_cluster([[maybe_unused]] unsigned address,
                                 [[maybe_unused]] stl::uint32_t const (&word)[Count]) {
#if TESSERA_ARCH >= 900
  constexpr unsigned together = Count % 2 == 0 ? 2 : 1;
  TESSERA_UNROLL
  for (unsigned i = 0; i < Count; i += together) {
    if constexpr (together == 2) {
      asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(address + 4 * i), "r"(word[i]), "r"(word[i + 1])
                   : "memory");
    } else {
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address + 4 * i), "r"(word[i]) : "memory");
    }
  }
#endif
}

/// Values of all blocks, PerBlock in the memory of each from `address` on, in whole words: value i of block b has the
/// number b · PerBlock + i.
template <class T, unsigned PerBlock>
struct values_of_blocks {
  unsigned address;

  TESSERA_FN T read(unsigned number) const {
    words<T> w{};
    detail::load_of_cluster(w.word, address_of(number));
    return detail::from_words<T>(w);
  }
  TESSERA_FN void write(unsigned number, T const& x) const {
    detail::store_of_cluster(address_of(number), detail::to_words(x).word);
  }
  /// Reads a value in this block.
  TESSERA_FN T read_own(unsigned number) const {
    words<T> w{};
    detail::load_shared(w.word, address_within(number));
    return detail::from_words<T>(w);
  }
  TESSERA_FN void write_own(unsigned number, T const& x) const {
    detail::store_shared(address_within(number), detail::to_words(x).word);
  }

 private:
  TESSERA_FN unsigned address_within(unsigned number) const {
    return address + number % PerBlock * static_cast<unsigned>(sizeof(words<T>));
  }
  TESSERA_FN unsigned address_of(unsigned number) const {
    return detail::address_in_block(address_within(number), number / PerBlock);
  }
};

/// Bytes of one thread in a block's memory of values.
template <unsigned Bytes>
struct bytes_of_thread {
  unsigned char byte[Bytes];
};
template <unsigned Bytes, unsigned Threads>
TESSERA_FN scratch<bytes_of_thread<Bytes>, Threads>* memory_of_values() {
#if TESSERA_ARCH
  __shared__ scratch<bytes_of_thread<Bytes>, Threads> memory;
  return &memory;
#else
  return nullptr;
#endif
}

/// Arrives at this block's barrier, which then still expects `bytes` from other blocks.
TESSERA_FN void arrive_and_expect([[maybe_unused]] unsigned barrier, [[maybe_unused]] unsigned bytes) {
#if TESSERA_ARCH >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
#endif
}
/// Makes a barrier for one phase, which ends when `bytes` have come.
TESSERA_FN void expect_bytes_once(unsigned barrier, unsigned bytes) {
  detail::make_barrier(barrier);
  detail::arrive_and_expect(barrier, bytes);
}
/// Waits for the end of a phase of this block's barrier.
TESSERA_FN void wait_for_phase([[maybe_unused]] unsigned barrier, [[maybe_unused]] unsigned phase) {
#if TESSERA_ARCH >= 900
  unsigned ended = 0;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ended)
                 : "r"(barrier), "r"(phase)
                 : "memory");
  } while (ended == 0);
#endif
}

/// The values of all blocks, in this block's memory.
template <class T>
struct gathered_slots {
  packed_slots<words<T>> of_words;

  TESSERA_FN T read(unsigned block) const { return detail::from_words<T>(of_words.read(block)); }
  /// Reads Count neighboring slots, beginning at `block`, a multiple of Count.
  template <unsigned Count>
  TESSERA_FN items<T, Count> read_row(unsigned block) const {
    auto const row = of_words.template read_row<Count>(block);
    auto out = detail::from_words<items<T, Count>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      T const x = detail::from_words<T>(row[i]);
      detail::copy_bytes(TESSERA_ADDRESS_OF(out.item[i]), TESSERA_ADDRESS_OF(x), sizeof(T));
    }
    return out;
  }
};

template <unsigned Blocks, unsigned Threads>
class cluster_backend {
  using storage = library_storage<library_layout_of<Threads, true>>;
  using block_backend = backend<Threads, whole_block, storage, false>;

 public:
  static constexpr unsigned blocks = Blocks, threads = Threads;
  template <class T>
  using slots_of = gathered_slots<T>;

  TESSERA_FN explicit cluster_backend(unsigned block) : block_(block) {}

  TESSERA_FN unsigned block() const { return block_; }
  TESSERA_FN auto in_block() const { return multi_warp_group<block_backend>(block_backend(whole_block{}, storage{})); }
  TESSERA_FN unsigned begin() const {
    unsigned turn[1] = {};
    detail::load_shared(turn, detail::cluster_barriers() + 16);
    return turn[0];
  }
  template <class T, class Load>
  TESSERA_FN auto all_gather(unsigned turn, T const& x, unsigned source, Load load) const {
    // Sets of all types that share an array begin at the same bytes, since turns of other types may follow.
    constexpr unsigned slot = sizeof(words<T>),
                       set = detail::bytes_of_array(Blocks * slot, 16 * Blocks, 4, 256 * Blocks);
    unsigned const barriers = detail::cluster_barriers(), barrier = barriers + turn % 2 * 8;
    unsigned const first = detail::cluster_slots<2 * set>() + turn % 2 * set;
    unsigned const thread = thread_of_block(), lane = thread % 32;
    if (thread / 32 == source / 32) {
      words<T> const mine = detail::to_words(warp_group<32, whole_warp>().shuffle(x, source % 32));
      if (lane == block_) {
        detail::store_shared(first + block_ * slot, mine.word);
        detail::store_shared(barriers + 16, (turn + 1) % 4);
        detail::arrive_and_expect(barrier, (Blocks - 1) * slot);
      } else if (lane < Blocks) {
        detail::send_to_block(detail::address_in_block(first + block_ * slot, lane), mine.word,
                              detail::address_in_block(barrier, lane));
      }
    }
    detail::wait_for_phase(barrier, turn / 2 % 2);
    return load(gathered_slots<T>{{first}});
  }
  TESSERA_FN void sync() const { detail::sync_cluster(); }

  /// The group of the block's lanes that exchanges through the memory of values_of with as many bytes a lane.
  template <unsigned Bytes>
  TESSERA_FN auto in_block_with() const {
    using memory = caller_storage<scratch<bytes_of_thread<Bytes>, Threads>, true>;
    using group = backend<Threads, whole_block, memory, false>;
    return multi_warp_group<group>(group(whole_block{}, memory{detail::memory_of_values<Bytes, Threads>()}));
  }
  /// K values of each lane of the cluster, after so many bytes of each lane, of Bytes in all.
  template <class T, unsigned K, unsigned After, unsigned Bytes>
  TESSERA_FN auto values_of() const {
    static_assert(Threads * Bytes <= 40960,
                  "A sort of a cluster's lanes keeps all keys and values in shared memory, up to 40960 bytes a block: "
                  "give each lane fewer items, or the blocks fewer threads.");
    unsigned const first = detail::shared_address(detail::memory_of_values<Bytes, Threads>()->bytes);
    return values_of_blocks<T, K * Threads>{first + Threads * After};
  }

 private:
  unsigned block_;
};

}  // namespace detail
TESSERA_NAMESPACE_END

#endif
