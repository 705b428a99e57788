// How rows are dealt to lanes, by their length: chosen by measuring.
//
// Measured on an H200 (132 multiprocessors; a read 4390 GB/s, a copy 4230 GB/s), arrays of 512 MB and 1 GB, in GB/s. W
// lanes a row, V vectors of 16 bytes a lane, R rows at once, blocks of B threads. Of softmax, reads and writes counted:
//
//   16 vectors a row   W16 V1 R1 B256 3464, R4 3834; W8 V2 R1 4151, B128 4192, R4 3946; W4 V4 R1 4078; W8 V4 R1 3905
//   …, a cold cache    W8 V2 R1 B128 4244, B64 4252, B32 3345; W16 V1 R2 B64 4149, R4 B64 4226; W4 V4 4208
//   256 vectors        W32 V8 4025; W64 V4 4087; W128 V2 4105; W256 V1 3128, V2 2949
//   …, a cold cache    W64 V4 4263; W128 V2 4282; W32 V8 4226; of 16-bit floats W64 V4 4257; W128 V2 4174
//   2048 vectors       W256 V8 3964; W512 V4 3890; W1024 V2 2320; clusters of 2 W256 V4 3285, of 4 W128 V4 2896
//   8192 vectors       W1024 V8 4009; clusters of 4 W256 V8 3632, of 2 W512 V8 3218
//
// Of the maximum, reads counted, of which a plain kernel makes 4500 here; rows that are whole, loaded once:
//
//   2 vectors a row    W2 V1 R2 B128 3876, R4 B512 3857; W1 V2 R4 3859: with the results 4361
//   4 vectors          W4 V1 R2 B128 4297, B256 4255; R4 B256 4221
//   6 vectors          W8 V1 R4 B256 4472; W4 V2 R2 B128 4470
//   8 vectors          W8 V1 R4 B256 4487, R2 4511; W4 V2 R2 B128 3625: half a line a load
//   16 vectors         W16 V1 R2 B128 4509, R4 4496; W8 V2 R2 4505; as usual, and not once, 4178
//   32 vectors         W32 V1 R2 B256 4509; W16 V2 R2 B256 4502; W8 V4 R1 4496. Of 25: B128 4504; 4502; –
//   64 vectors         W32 V2 R1 B128 4514, R2 B256 4505; as usual 4331
//   512 vectors        W32 V4 4140; W128 V4 4372; W256 V4 3909. Of 1024: 4279; 4300; 4321 (as usual)
//
// What they tell: 32 to 64 bytes a lane on their way; lanes that all have something to load; several blocks on a
// multiprocessor, so that some load while others store; results that stay in the second-level cache while what was read
// leaves it. Rows that aren't whole have fewer vectors a lane, where more spill; they are loaded as usual, since a line
// comes in two loads (24 columns: 3787 for 4113). So is what softmax and norms read: 8192 x 8192 once 3945 for 4117.
#pragma once

#include <tessera/grid/detail/row_task.hpp>

namespace tessera::grid::detail {

/// Shapes by rising capacity.
template <class... Shapes>
struct row_shapes {};

/// What the last one holds.
template <class... Shapes>
constexpr std::int64_t most_vectors_of(row_shapes<Shapes...>) {
  std::int64_t most = 0;
  ((most = Shapes::W * Shapes::V), ...);
  return most;
}
/// Calls f(shape) with the first whose W · V vectors hold a row; false where none does.
template <class F, class... Shapes>
bool with_shape_for([[maybe_unused]] std::int64_t vectors, row_shapes<Shapes...>, [[maybe_unused]] F f) {
  return ((vectors <= static_cast<std::int64_t>(Shapes::W * Shapes::V) && (f(Shapes{}), true)) || ...);
}

template <class... Shapes, class... More>
constexpr row_shapes<Shapes..., More...> operator+(row_shapes<Shapes...>, row_shapes<More...>) {
  return {};
}
/// Those for rows of T: doubles take too many registers for 8 vectors a lane in blocks of 1024.
template <class Shapes, class Widest, class T>
using with_widest = decltype(Shapes{} +
                             stl::conditional_t<sizeof(T) == 8, row_shapes<>, row_shapes<Widest>>{});

struct map_tuning {
  template <class T>
  using of_256_vectors = stl::conditional_t<tessera::detail::is_half<T>, row_shape<true, 64, 4, 1, 64>,
                                            row_shape<true, 128, 2, 1, 128>>;
  template <class T>
  using whole_shapes =
      row_shapes<row_shape<true, 2, 1, 4, 256>, row_shape<true, 4, 2, 1, 128>, row_shape<true, 8, 2, 1, 64>,
                 row_shape<true, 16, 2, 1, 128>, row_shape<true, 32, 2, 1, 128>,
                 row_shape<true, 32, 4, 1, 128>, of_256_vectors<T>, row_shape<true, 128, 4, 1, 128>,
                 row_shape<true, 256, 4, 1, 256>, row_shape<true, 256, 8, 1, 256>,
                 row_shape<true, 512, 8, 1, 512>>;
  using ragged_shapes = row_shapes<row_shape<false, 4, 2, 1, 128>, row_shape<false, 16, 2, 1, 128>,
                                   row_shape<false, 64, 4, 1, 64>, row_shape<false, 256, 4, 1, 256>,
                                   row_shape<false, 512, 6, 1, 512>>;
  template <class T>
  using whole = with_widest<whole_shapes<T>, row_shape<true, 1024, 8, 1, 1024>, T>;
  template <class T>
  using ragged = with_widest<ragged_shapes, row_shape<false, 1024, 6, 1, 1024>, T>;
  /// A block of a cluster, of up to so many: for rows that no block holds, and for few rows of so many vectors.
  using cluster = row_shape<true, 512, 8, 1, 512>;
  static constexpr unsigned most_blocks = 8;
  static constexpr std::int64_t few_rows_vectors = 2048;
  /// Two reads: the first folds.
  using again = row_shape<false, 256, 4, 1, 256>;
};

struct fold_tuning {
  struct short_rows {
    using whole = row_shapes<row_shape<true, 2, 1, 2, 128>, row_shape<true, 4, 1, 2, 128>,
                             row_shape<true, 8, 1, 4, 256>, row_shape<true, 16, 1, 2, 128>,
                             row_shape<true, 32, 1, 2, 128>, row_shape<true, 32, 2, 1, 128>>;
    using ragged = row_shapes<row_shape<false, 4, 2, 2, 256>, row_shape<false, 16, 2, 2, 256>>;
  };
  /// For what is asked for more seldom, to compile less.
  struct few_short_rows {
    using whole = row_shapes<>;
    using ragged = row_shapes<row_shape<false, 8, 4, 1, 256>>;
  };
  /// Values of 24 bytes, as moments of doubles, would spill with more vectors.
  template <class Value>
  using medium = row_shape<false, 32, (sizeof(Value) > 16 ? 2 : 4), 1, 256>;
  static constexpr std::int64_t long_vectors = 512;
  using large = row_shape<false, 128, 4, 1, 128>;
  /// So many blocks a multiprocessor are enough; fewer rows are split.
  static constexpr std::int64_t blocks_a_multiprocessor = 8;
};

}  // namespace tessera::grid::detail
