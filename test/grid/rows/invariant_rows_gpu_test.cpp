// A row's bits depend on its values, its number of columns and the types alone: on the GPU, among any number of rows,
// at any place, and as CPU lanes compute them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/rows/norm_map.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/softmax.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "row_cases.hpp"
#include "rows_on_host.hpp"

namespace {

using namespace test;
using namespace tessera::grid;
using tessera::grid::detail::fold_tuning;
using tessera::grid::detail::map_tuning;
using tessera::grid::detail::row_vector_length;

using bytes = std::vector<unsigned char>;

template <class T>
bytes bytes_of(T const* from, std::size_t n) {
  bytes all(n * sizeof(T));
  std::memcpy(all.data(), from, all.size());
  return all;
}

/// One row of a matrix in a GPU's memory, whose bits are all set: every other row, and the gaps between them, are NaN. All that is
/// done to it is ordered by the default stream: waiting for the GPU takes long where other tests run beside.
template <class T>
class one_row {
 public:
  one_row(device_array<T> const& memory, layout where, std::int64_t row)
      : where_(where), row_(row), begin_(memory.data() + where.offset) {
    EXPECT_LE(static_cast<std::size_t>(where.offset + where.extent()), memory.size());
    check(cudaMemset(begin_, 0xff, static_cast<std::size_t>(where.extent()) * sizeof(T)));
  }
  one_row(device_array<T> const& memory, layout where, std::int64_t row, std::vector<T> const& values)
      : one_row(memory, where, row) {
    check(cudaMemcpy(at(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  matrix<T> view() const { return {begin_, where_.rows, where_.columns, where_.stride()}; }
  bytes row() const {
    bytes all(static_cast<std::size_t>(where_.columns) * sizeof(T));
    check(cudaMemcpy(all.data(), at(), all.size(), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  T* at() const { return begin_ + row_ * where_.stride(); }

  layout where_;
  std::int64_t row_;
  T* begin_;
};

/// Where the row is in a matrix, and in the result.
struct place {
  layout in, out;
  std::int64_t row;
};

constexpr std::int64_t most_rows = 300;
/// Of the longest rows, with the longest gaps between them.
inline std::size_t most_elements() {
  return 100 * (200000 + 64);
}
/// Alone and among others: of few rows, whose parts several blocks share, and of many. At each distance from 16 bytes.
template <class T>
std::vector<place> places(std::int64_t columns) {
  constexpr std::int64_t width = row_vector_length<T>;
  std::int64_t const most = columns <= 40000 ? most_rows : 99;
  std::int64_t const whole = (width - columns % width) % width;  // to rows at multiples of 16 bytes
  std::vector<place> all{{{1, columns}, {1, columns}, 0},
                         {{most, columns, whole}, {most, columns, whole}, most - 1},
                         {{100, columns, whole}, {100, columns, whole + width}, 51},
                         {{most, columns, whole + 1}, {most, columns, 3}, 98},
                         {{3, columns, 1, 1}, {3, columns, 0, 0}, 1}};
  for (std::int64_t offset = 1; offset < width; offset += columns < 5000 ? 1 : 3)
    all.push_back({{1, columns, 0, offset}, {1, columns, 0, offset * 5 % width}, 0});
  return all;
}

/// Columns at the edges of the shapes.
template <class T>
std::vector<std::int64_t> edges() {
  constexpr std::int64_t width = row_vector_length<T>;
  std::vector<std::int64_t> all{1, 2, 3, 5, 100, 1000, 99999, 200000};
  for (std::int64_t vectors = 2; vectors * width <= 180000; vectors *= 2) {
    for (std::int64_t columns : {vectors * width - 1, vectors * width, vectors * width + 1}) all.push_back(columns);
    if (vectors < 2048) all.push_back((vectors + 1) * width);
  }
  return worthwhile(all);
}

template <class T>
class InvariantRowsOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_GPU();
    for (auto& memory : memories) memory = std::make_unique<device_array<T>>(most_elements());
  }

  /// Checks that call(in, columns) gives the same bytes for a row at all places; `expected` are those of CPU lanes,
  /// unless it is empty.
  template <class Call>
  void expect_same(std::string const& what, std::int64_t columns, std::vector<T> const& values, bytes expected,
                   Call call) {
    for (place const& at : places<T>(columns)) {
      if (!is_worth(at.in.extent())) continue;
      one_row<T> const in(*memories[0], at.in, at.row, values);
      bytes const got = call(in, at);
      if (expected.empty()) expected = got;
      ASSERT_EQ(got, expected) << what << ", row " << at.row << " of " << at.in.text() << ", to " << at.out.text();
    }
  }
  template <class R, class Launch>
  void expect_same_folds(std::string const& what, std::int64_t columns, std::vector<T> const& values, R const& expected,
                         Launch launch) {
    device_array<R> const out(most_rows);
    expect_same(what, columns, values, bytes_of(&expected, 1), [&](one_row<T> const& in, place const& at) {
      check(cudaMemset(out.data(), 0xff, out.size() * sizeof(R)));
      check(launch(in.view(), out.data()));
      R const got = out.to_host()[static_cast<std::size_t>(at.row)];
      return bytes_of(&got, 1);
    });
  }
  /// launch(in, out, place)
  template <class Launch>
  void expect_same_maps(std::string const& what, std::int64_t columns, std::vector<T> const& values,
                        bytes const& expected, Launch launch) {
    expect_same(what, columns, values, expected, [&](one_row<T> const& in, place const& at) {
      one_row<T> const out(*memories[1], at.out, at.row);
      check(launch(in.view(), out.view(), at));
      bytes const apart = out.row();
      check(launch(in.view(), in.view(), at));
      EXPECT_EQ(in.row(), apart) << what << " in place, row " << at.row << " of " << at.in.text();
      return apart;
    });
  }

 private:
  std::unique_ptr<device_array<T>> memories[2];  // of the rows, and of the results
};
TYPED_TEST_SUITE(InvariantRowsOnGpu, row_types);

struct itself {
  template <class A>
  A operator()(A x, int) const {
    return x;
  }
};

template <class T>
detail::row_task<T> task_of(std::vector<T> const& in, std::vector<T>& out) {
  auto const n = static_cast<std::int64_t>(in.size());
  return {in.data(), out.data(), n, n, 1, static_cast<int>(n), nullptr};
}

TYPED_TEST(InvariantRowsOnGpu, SumsAndMoments) {
  using T = TypeParam;
  for (std::int64_t const columns : edges<T>()) {
    auto values = random_numbers<T>(columns, -9, 9, static_cast<unsigned>(columns));
    auto const task = task_of(values, values);
    using fold = detail::element_fold<T, tessera::plus, itself>;
    using sum = reduced_t<T, tessera::plus>;
    this->expect_same_folds("sum", columns, values,
                            static_cast<sum>(folded_on_host<fold_tuning::short_rows>(task, false, fold{}, 7)[0]),
                            [](auto in, sum* out) { return reduce_rows(in, out); });
    using moments = detail::moments_of_rows_t<T>;
    this->expect_same_folds("moments", columns, values,
                            moments(folded_on_host<fold_tuning::short_rows>(task, false, detail::norm_map<T>{}, 7)[0]),
                            [](auto in, moments* out) { return moments_rows(in, out); });
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(InvariantRowsOnGpu, Norms) {
  using T = TypeParam;
  using number = detail::arithmetic_t<T>;
  for (std::int64_t const columns : edges<T>()) {
    auto const values = random_numbers<T>(columns, -9, 9, static_cast<unsigned>(columns) + 1);
    auto const weight = random_numbers<T>(columns, -2, 2, 5), bias = random_numbers<T>(columns, -2, 2, 6);
    device_array<T> const weight_on_gpu(weight), bias_on_gpu(bias), weight_beside(weight, 1);
    std::vector<T> expected(values.size());
    map_on_host(task_of(values, expected), false,
                detail::norm_map<T>{weight.data(), bias.data(), static_cast<number>(1e-5), true});
    this->expect_same_maps("layer norm", columns, values, bytes_of(expected.data(), expected.size()),
                           [&](auto in, auto out, place const& at) {
                             auto const& w = at.row % 2 == 0 ? weight_on_gpu : weight_beside;
                             return layer_norm_rows(in, out, w.data(), bias_on_gpu.data());
                           });
    map_on_host(task_of(values, expected), false,
                detail::norm_map<T>{nullptr, nullptr, static_cast<number>(1e-5), false});
    this->expect_same_maps("rms norm", columns, values, bytes_of(expected.data(), expected.size()),
                           [&](auto in, auto out, place const&) { return rms_norm_rows(in, out); });
    if (this->HasFatalFailure()) return;
  }
}

/// The exponential and the logarithm are the platform's, but for doubles: their softmax has the bits of CPU lanes.
TYPED_TEST(InvariantRowsOnGpu, Softmax) {
  using T = TypeParam;
  for (std::int64_t const columns : edges<T>()) {
    auto const values = random_numbers<T>(columns, -9, 9, static_cast<unsigned>(columns) + 2);
    bytes expected;
    if (std::is_same_v<T, double> && columns <= 2 * map_tuning::most_shared_vectors) {
      std::vector<T> on_host(values.size());
      map_on_host(task_of(values, on_host), false, detail::softmax_map<T>{});
      expected = bytes_of(on_host.data(), on_host.size());
    }
    this->expect_same_maps("softmax", columns, values, expected,
                           [](auto in, auto out, place const&) { return softmax_rows(in, out); });
    this->expect_same_maps("log softmax", columns, values, {},
                           [](auto in, auto out, place const&) { return log_softmax_rows(in, out); });
    if (this->HasFatalFailure()) return;
  }
}

/// Rows with lengths have the bits of rows of as many columns whose other elements add nothing.
TYPED_TEST(InvariantRowsOnGpu, RowsWithLengths) {
  using T = TypeParam;
  for (std::int64_t const columns : worthwhile({5, 64, 1000, 5000, 20000})) {
    auto const values = random_numbers<T>(columns, -9, 9, static_cast<unsigned>(columns) + 3);
    device_array<std::int32_t> const lengths(
        std::vector<std::int32_t>(300, static_cast<std::int32_t>(columns - columns / 3)));
    this->expect_same_maps("softmax", columns, values, {},
                           [&](auto in, auto out, place const&) { return softmax_rows(in, out, lengths.data()); });
  }
}

}  // namespace
