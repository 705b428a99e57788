// The last argument of each call on whole arrays: the stream and the memory that it uses.
//
//   error = tessera::grid::reduce(in, n, out);                           // on the default stream
//   error = tessera::grid::reduce(in, n, out, plus{}, stream);           // on a stream
//   error = tessera::grid::reduce(in, n, out, plus{}, {stream, memory}); // there, with a workspace of yours
//   error = tessera::grid::reduce(in, n, out, plus{}, memory);           // on the default stream, with it
//
// Without a workspace, a call uses one that the library keeps for the stream: see workspace.hpp.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class Given>
using if_stream = stl::enable_if_t<stl::is_convertible_v<Given const&, cudaStream_t>, bool>;
template <class Given>
using if_workspace = stl::enable_if_t<stl::is_same_v<Given, workspace>, bool>;

}  // namespace detail

/// The stream of a call, and the workspace that it uses. A call keeps neither.
struct execution {
  /// nullptr is the default stream of the file that makes the call: workspace.hpp says which.
  cudaStream_t stream = nullptr;
  /// Null: one of the library's.
  workspace* memory = nullptr;

  constexpr execution() noexcept = default;
  constexpr execution(cudaStream_t s) noexcept : stream(s) {}
  /// From an object that converts to its stream.
  template <class Stream, detail::if_stream<Stream> = true>
  constexpr execution(Stream const& s) : stream(s) {}
  constexpr execution(workspace& w) noexcept : memory(&w) {}
  constexpr execution(cudaStream_t s, workspace& w) noexcept : stream(s), memory(&w) {}

  // Write {stream, memory}, not the workspace's address.
  template <class W, detail::if_workspace<W> = true>
  execution(W*) = delete;
  template <class W, detail::if_workspace<W> = true>
  execution(cudaStream_t, W*) = delete;
};

namespace detail {

/// True if an argument can be an execution. Functions that take an argument of any type in the same position
/// exclude it by this.
template <class Given>
inline constexpr bool is_execution = stl::is_convertible_v<Given&, execution>;

}  // namespace detail

}  // namespace grid
TESSERA_NAMESPACE_END
