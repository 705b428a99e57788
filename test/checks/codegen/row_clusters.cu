// Kernels of rows that clusters share, of which a multiprocessor runs two blocks of 512 threads: a lane has 64 registers,
// 32 of them for what it holds of its row. And a kernel that draws from logits by a block a row, whose long body nvcc
// made a function, with what it captures in local memory.
#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/top_k_rows.cuh>

#include <cstdint>

namespace detail = tessera::grid::detail;
using tuning = detail::top_k_rows_tuning;

template <class T, class Map>
constexpr auto* map_kernel = detail::map_cluster_kernel<detail::shared_shape<true>, T, Map>;
template <class Held>
constexpr auto* held_kernel = detail::top_k_held_rows_kernel<Held, tuning::digits, std::uint32_t>;
template <class Shape, class T>
constexpr auto* draw_kernel = detail::sample_kernel<Shape, false, T, std::int32_t>;

void const* kernel(int i) {
  void const* const kernels[] = {
      reinterpret_cast<void const*>(map_kernel<float, detail::softmax_map<float>>),
      reinterpret_cast<void const*>(map_kernel<detail::any_half, detail::softmax_map<detail::any_half>>),
      reinterpret_cast<void const*>(map_kernel<float, detail::norm_map<float>>),
      reinterpret_cast<void const*>(
          map_kernel<__nv_bfloat16, detail::cross_entropy_map<__nv_bfloat16, detail::no_cap>>),
      reinterpret_cast<void const*>(map_kernel<float, detail::cross_entropy_map<float, detail::soft_cap>>),
      reinterpret_cast<void const*>(held_kernel<tuning::held>),
      reinterpret_cast<void const*>(held_kernel<tuning::held_by_more>),
      reinterpret_cast<void const*>(draw_kernel<detail::sample_tuning::large, __nv_bfloat16>),
  };
  return kernels[i];
}
