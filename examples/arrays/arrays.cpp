// arrays OPERATION [FILE]: sum, argmax, softmax, layer_norm or sort of each row of a matrix of floats.
//
// Plain C++ that links the static library: the GPU computes by its functions for whole arrays, which need no kernel of
// one's own. Where there is no GPU, or the library has none of those functions, CPU lanes compute the same by
// collectives of tiles, in the way in which a kernel of one's own would. A line of text is a row, and the results are
// printed so, too; without FILE it is read from standard input:
//
//   printf '1 2\n3 4\n' | arrays sum     3, and 7 in the next line
//
// A program of your own calls grid:: as `on_gpu` does, with its arrays. On the GPU they need not be copied from step to step.
#include <tessera/host/launch.hpp>
#include <tessera/joint.hpp>
#include <tessera/operators/log_sum_exp.hpp>
#include <tessera/operators/welford.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#if WITH_GRID  // the library has functions for whole arrays
#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/sort_segments.hpp>

#include "../whole_arrays/gpu.hpp"
#endif

struct matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;  // row after row
};

enum class operation { sum, argmax, softmax, layer_norm, sort };
constexpr char const* names[] = {"sum", "argmax", "softmax", "layer_norm", "sort"};
constexpr float epsilon = 1e-5f;  // of layer_norm

/// Room for the results: one number a row, or a row of the same length.
matrix results_of(operation what, matrix const& in) {
  std::int64_t const columns = what == operation::sum || what == operation::argmax ? 1 : in.columns;
  return {in.rows, columns, std::vector<float>(static_cast<std::size_t>(in.rows * columns))};
}

// ---- On the GPU

#if WITH_GRID

/// Whether there is a GPU, which then has computed the results.
bool on_gpu(operation what, matrix const& from, matrix& to) {
  namespace grid = tessera::grid;
  using ladder::check, ladder::gpu_array;
  tessera::device_info const found = tessera::find_device();
  if (!found.usable) return false;
  check(cudaSetDevice(found.index));
  auto const rows = static_cast<std::size_t>(from.rows);
  gpu_array<float> const values(from.values), results(to.values.size());
  grid::matrix<float const> const in{values.data(), from.rows, from.columns};
  grid::matrix<float> const out{results.data(), from.rows, from.columns};

  switch (what) {
    case operation::sum:
      check(grid::reduce_rows(in, results.data()));
      break;
    case operation::argmax: {
      gpu_array<tessera::indexed<float, int>> const best(rows);
      check(grid::argmax_rows(in, best.data()));
      to.values.clear();
      for (auto const& one : best.first(rows)) to.values.push_back(static_cast<float>(one.index));
      return true;
    }
    case operation::softmax:
      check(grid::softmax_rows(in, out));
      break;
    case operation::layer_norm:
      check(grid::layer_norm_rows(in, out, nullptr, nullptr, epsilon));
      break;
    case operation::sort: {
      std::vector<std::int64_t> begins(rows + 1);
      for (std::size_t r = 0; r <= rows; ++r) begins[r] = static_cast<std::int64_t>(r) * from.columns;
      gpu_array<std::int64_t> const offsets(begins);
      check(grid::sort_segments(values.data(), begins[rows], offsets.data(), from.rows, results.data()));
      break;
    }
  }
  to.values = results.first(to.values.size());
  return true;
}

#else

bool on_gpu(operation, matrix const&, matrix&) {
  return false;
}

#endif

// ---- On CPU lanes

/// What a tile does with a row. It is a template as a kernel's function would be, and calls the same.
template <class Tile>
void of_row(Tile const& tile, operation what, float const* row, std::int64_t n, float* out, float* buffer) {
  unsigned const rank = tile.thread_rank();
  switch (what) {
    case operation::sum: {
      float const sum = tessera::joint_reduce(tile, row, n);
      if (rank == 0) *out = sum;
      break;
    }
    case operation::argmax: {
      auto const best = tessera::joint_transform_reduce(
          tile, row, n, tessera::argmax{}, [](float x, std::int64_t i) { return tessera::with_index(x, i); });
      if (rank == 0) *out = static_cast<float>(best.index);
      break;
    }
    case operation::softmax: {
      auto const all = tessera::joint_transform_reduce(tile, row, n, tessera::log_sum_exp{},
                                                       [](float x) { return tessera::as_exp_sum(x); });
      for (std::int64_t i = rank; i < n; i += tile.size()) out[i] = all.share(row[i]);
      break;
    }
    case operation::layer_norm: {
      auto const in_any_order =
          tessera::make_operator(tessera::welford{}, tessera::moments<float>{}, tessera::commutative);
      auto const all =
          tessera::joint_transform_reduce(tile, row, n, in_any_order, [](float x) { return tessera::as_moments(x); });
      float const scale = 1 / std::sqrt(all.variance() + epsilon);
      for (std::int64_t i = rank; i < n; i += tile.size()) out[i] = (row[i] - all.mean) * scale;
      break;
    }
    case operation::sort:
      for (std::int64_t i = rank; i < n; i += tile.size()) out[i] = row[i];
      tile.sync();
      tessera::joint_sort(tile, out, n, buffer);
      break;
  }
}

void on_cpu(operation what, matrix const& in, matrix& to) {
  std::vector<float> buffer(static_cast<std::size_t>(in.columns));  // rows come one after another
  constexpr unsigned lanes = 8;                                     // few: on a CPU they take turns in one thread
  tessera::host::launch_grid(static_cast<unsigned>(in.rows), lanes, [&](tessera::host::block const& block) {
    std::int64_t const r = block.group_index().x;
    of_row(tessera::tiled_partition<lanes>(block), what, in.values.data() + r * in.columns, in.columns,
           to.values.data() + r * to.columns, buffer.data());
  });
}

// ---- Text

/// Reads a matrix; exits if its rows have different lengths, or something else than numbers.
matrix read(std::istream& from) {
  matrix in;
  for (std::string line; std::getline(from, line);) {
    std::size_t const before = in.values.size();
    char const* at = line.c_str();
    for (char* end = nullptr;; at = end) {
      float const value = std::strtof(at, &end);
      if (end == at) break;
      in.values.push_back(value);
    }
    auto const columns = static_cast<std::int64_t>(in.values.size() - before);
    bool const numbers = std::string(at).find_first_not_of(" \t\r") == std::string::npos;
    if (in.rows++ == 0) in.columns = columns;
    if (numbers && columns > 0 && columns == in.columns) continue;
    std::fprintf(stderr, "arrays: line %lld must have numbers, as many as the first line\n",
                 static_cast<long long>(in.rows));
    std::exit(1);
  }
  return in;
}

int main(int argc, char** argv) {
  std::size_t which = 0;
  while (which < std::size(names) && (argc < 2 || argv[1] != std::string(names[which]))) ++which;
  if (which == std::size(names) || argc > 3) {
    std::fprintf(stderr, "usage: arrays sum|argmax|softmax|layer_norm|sort [FILE]\n");
    return 2;
  }
  std::ifstream file;
  if (argc == 3) file.open(argv[2]);
  if (argc == 3 && !file) {
    std::fprintf(stderr, "arrays: %s can't be read\n", argv[2]);
    return 1;
  }
  matrix const in = read(argc == 3 ? file : std::cin);
  if (in.rows == 0) {
    std::fprintf(stderr, "arrays: there are no numbers in %s\n", argc == 3 ? argv[2] : "standard input");
    return 1;
  }

  auto const what = static_cast<operation>(which);
  matrix out = results_of(what, in);
  bool const gpu = on_gpu(what, in, out);
  if (!gpu) on_cpu(what, in, out);
  std::fprintf(stderr, "computed on %s\n", gpu ? "the GPU" : "CPU lanes");
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    bool const ends_row = (i + 1) % static_cast<std::size_t>(out.columns) == 0;
    std::printf("%.9g%c", static_cast<double>(out.values[i]), ends_row ? '\n' : ' ');
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
