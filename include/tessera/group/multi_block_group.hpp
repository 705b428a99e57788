// A group of several blocks of a cluster, on the GPU and on host lanes alike. Each block has its own lanes, a group of
// several warps, and the blocks exchange one value each.
//
//   block          0          1          2          3
//   in_block()     lanes of the block: collectives as on a tile that is the block
//   slots          [0 1 2 3]  [0 1 2 3]  [0 1 2 3]  [0 1 2 3]    one a block, in the shared memory of every block
//   all_gather     one lane of each block gives its value; the lanes of its warp store it into slot `block()` of every
//                  block | all lanes wait until the slots of their own block have values | and read these
//
// No lane waits for another block's lanes to have read. So the slots are two sets, used alternately: a block stores
// into a set again only after all blocks have stored into the other set, hence after they have read from this one.
//
// A *backend* is the platform of such a group: group/gpu_cluster.hpp on the GPU, host/cluster.hpp on host lanes. For
// `blocks` blocks of `threads` lanes it has:
//
//   block(), in_block()            this block's number; the group of its lanes
//   begin()                        the turn of the next exchange. Between it and the exchange is a barrier of the block
//   all_gather(turn, x, source, load)  the exchange of the x of lane `source` of each block: what load(slots) returns
//   slots<T>                       the slots that `load` gets: read(block), read_row<Count>(block)
//   sync()                         a barrier of the cluster, which orders memory
//   values_of<T, K, After, Bytes>()  K values of each lane, in the memory of its block, `threads` · Bytes in all, from
//                                  byte `threads` · After on: read(number) and write(number, x) by the number in the
//                                  cluster, read_own and write_own of the block's own
//   in_block_with<Bytes>()         the group of the block's lanes, which may exchange through the same memory
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/items.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Backend>
class multi_block_group {
 public:
  static constexpr unsigned blocks = Backend::blocks, threads = Backend::threads, size = blocks * threads;
  static constexpr bool may_be_partial = false;
  /// The slots that `all_gather` passes to its function, which can't have an `auto` parameter for NVRTC.
  template <class T>
  using slots_of = typename Backend::template slots_of<T>;

  TESSERA_FN explicit multi_block_group(Backend place) : backend_(place) {}

  TESSERA_FN unsigned block() const { return backend_.block(); }
  TESSERA_FN auto in_block() const { return backend_.in_block(); }
  TESSERA_FN unsigned rank() const { return block() * threads + in_block().rank(); }
  TESSERA_FN static constexpr unsigned valid_count() { return size; }
  TESSERA_FN Backend const& backend() const { return backend_; }

  TESSERA_FN unsigned begin() const { return backend_.begin(); }
  template <class T, class Load>
  TESSERA_FN auto all_gather(unsigned turn, T const& x, unsigned source, Load load) const {
    return backend_.all_gather(turn, x, source, load);
  }

  /// True if any lane passes true; the number of lanes that do.
  TESSERA_FN bool any(bool mine) const {
    unsigned const turn = begin();
    unsigned const here = in_block().any(mine) ? 1u : 0u;
    return all_gather(turn, here, 0, [](slots_of<unsigned> storage) {
             auto const all = storage.template read_row<blocks>(0);
             unsigned found = 0;
             TESSERA_UNROLL
             for (unsigned b = 0; b < blocks; ++b) found |= all[b];
             return found;
           }) != 0;
  }
  TESSERA_FN unsigned count(bool mine) const {
    unsigned const turn = begin();
    return all_gather(turn, in_block().count(mine), 0, [](slots_of<unsigned> storage) {
      auto const all = storage.template read_row<blocks>(0);
      unsigned sum = 0;
      TESSERA_UNROLL
      for (unsigned b = 0; b < blocks; ++b) sum += all[b];
      return sum;
    });
  }

  TESSERA_FN void sync() const { backend_.sync(); }
  TESSERA_FN void reconverge() const { in_block().reconverge(); }

 private:
  Backend backend_;
};

template <class Group>
inline constexpr bool is_multi_block = false;
template <class Backend>
inline constexpr bool is_multi_block<multi_block_group<Backend>> = true;

}  // namespace detail
TESSERA_NAMESPACE_END
