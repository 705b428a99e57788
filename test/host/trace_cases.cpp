// Kernels whose traces trace_files_test.py reads: `trace_cases NAME` launches one of them.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>
#include <thread>

namespace {

namespace host = tessera::host;
using tessera::tiled_partition;

void sum() {
  host::launch_tile<8>([](auto tile) {
    return tessera::reduce(tile, 1 + tile.thread_rank());  // line: sum
  });
}

void scan() {
  host::launch_tile<32>([](auto tile) {
    return tessera::inclusive_scan(tile, static_cast<int>(tile.thread_rank() * 7 % 10));  // line: scan
  });
}

void floats() {
  host::launch_tile<32>([](auto tile) {
    return tessera::reduce(tile, 0.37f * static_cast<float>(tile.thread_rank()));  // line: floats
  });
}

void votes() {
  host::launch_block(16, [](auto block) {
    auto const tile = tiled_partition<8>(block);
    unsigned const rank = tile.thread_rank();
    unsigned const third = tessera::count_if(tile, rank % 3 == 0);  // line: votes
    return third + tessera::match_any(tile, rank / 3).count();      // line: match
  });
}

void partial() {
  host::launch_tile<8>([](auto tile) {
    return tessera::reduce(tile, 1 + tile.thread_rank(), tessera::plus{},
                           tessera::first(5));  // line: partial
  });
}

void padded() {
  host::launch_block(40, [](auto block) {
    auto const tile = tessera::padded_block_tile<64>(block);
    return tessera::reduce(tile, 1 + tile.thread_rank());  // line: padded
  });
}

void block() {
  host::launch_block(64, [](auto all) {
    host::shared<int> values(all, 64);
    values[63 - all.thread_rank()] = static_cast<int>(all.thread_rank());  // line: write
    all.sync();                                                            // line: barrier
    int const mine = values[all.thread_rank()];                            // line: read
    return tessera::reduce(tiled_partition<64>(all), mine,                 // line: block
                           tessera::plus{}, tessera::shuffles);
  });
}

void nested() {
  host::launch_block(32, [](auto all) {
    auto const outer = tiled_partition<16>(all);
    auto const inner = tiled_partition<4>(outer);
    unsigned const sum = tessera::reduce(inner, all.thread_rank());                    // line: inner
    return tessera::reduce(outer, sum + inner.shfl_down(sum, 1), tessera::maximum{});  // line: outer
  });
}

void siblings() {
  host::launch_block(16, [](auto all) {
    auto const tile = tiled_partition<8>(all);
    unsigned x = all.thread_rank();
    if (x < 8)
      x = tessera::reduce(tile, x);  // line: first sibling
    else
      x = tessera::inclusive_scan(tile, x);  // line: second sibling
    return tile.shfl(x, 2);                  // line: shfl
  });
}

void loops() {
  host::launch_block(8, [](auto all) {
    auto const tile = tiled_partition<2>(all);
    unsigned x = all.thread_rank();
    for (unsigned i = 0; i <= tile.meta_group_rank(); ++i) x += tessera::reduce(tile, x);  // line: loops
    all.sync();
    return x;
  });
}

void long_loop() {
  host::launch_tile<2>([](auto tile) {
    unsigned x = tile.thread_rank();
    for (unsigned i = 0; i < 300; ++i) x = tile.shfl_xor(x, 1);  // line: long loop
    return x;
  });
}

void wide() {
  host::launch_block(1024, [](auto all) {
    return tessera::reduce(tiled_partition<1024>(all), all.thread_rank(),  // line: wide
                           tessera::plus{}, tessera::shuffles);
  });
}

struct unknown_number {
  int x;
};

void structs() {
  struct complex_number {
    double real, imaginary;
  };
  host::launch_tile<4>([](auto tile) {
    tessera::items<int, 3> const three{{-1, 2, static_cast<int>(tile.thread_rank())}};
    tile.shfl_xor(three, 1);                     // line: items
    tile.shfl_xor(complex_number{1.0, 2.0}, 1);  // line: structs
    return tessera::any_of(tile, false);
  });
}

void operands() {
  host::launch_tile<2>([](auto tile) {
    int const rank = static_cast<int>(tile.thread_rank());
    auto const values = tessera::as_zipped(tessera::with_index(0.5f, rank), tessera::as_min_max(short{3}));
    tile.shfl_xor(values, 1);                                                       // line: zipped
    tile.shfl_xor(tessera::as_affine(2.0f, -1.0f), 1);                              // line: affine
    tile.shfl_xor(tessera::as_moments(4.0), 1);                                     // line: moments
    tile.shfl_xor(tessera::as_exp_sum(2.0f, tessera::items<float, 2>{{3, 4}}), 1);  // line: exp_sum
    tile.shfl_xor(tessera::as_zipped('a', tessera::as_smallest<2>(7ll)), 1);        // line: selection
    tile.shfl_xor(tessera::as_zipped(1, unknown_number{2}), 1);                     // line: unknown
    return 0;
  });
}

void diverging() {
  host::launch_tile<16>([](auto tile) {
    unsigned const x = tessera::reduce(tile, tile.thread_rank());
    if (tile.thread_rank() < 5) return tessera::reduce(tile, x);  // line: five lanes
    return tessera::inclusive_scan(tile, x);                      // line: other lanes
  });
}

void racing() {
  host::launch_block(8, [](auto all) {
    host::shared<int> cell(all, 1);
    cell[0] = static_cast<int>(all.thread_rank());  // line: race
  });
}

void throwing() {
  host::launch_tile<8>([](auto tile) {
    unsigned const x = tessera::reduce(tile, tile.thread_rank());
    if (tile.thread_rank() == 3) throw std::runtime_error("lane 3 throws");
    return tessera::reduce(tile, x);  // line: waiting
  });
}

void several() {
  for (unsigned i = 0; i < 3; ++i)
    host::launch_grid(4, 2, [i](auto all) { return tiled_partition<2>(all).shfl(100 * i + all.group_index().x, 0); });
}

/// A launch that is right, then two that aren't.
void wrong_at_last() {
  host::launch_tile<4>([](auto tile) { return tessera::reduce(tile, 1); });
  for (unsigned wrong = 0; wrong < 2; ++wrong) {
    try {
      host::launch_grid(3, 4, [wrong](auto all) {
        if (all.group_index().x == 1 && all.thread_rank() == wrong) return 0;
        return tessera::reduce(tiled_partition<4>(all), 1);
      });
    } catch (const host::misuse& m) {
      std::puts(m.what());
    }
  }
}

void threads() {
  auto const work = [] {
    for (unsigned i = 0; i < 20; ++i)
      host::launch_tile<8>([](auto tile) { return tessera::reduce(tile, tile.thread_rank()); });
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
}

struct named_case {
  const char* name;
  void (*launch)();
};
constexpr named_case cases[] = {{"sum", sum},
                                {"scan", scan},
                                {"floats", floats},
                                {"votes", votes},
                                {"partial", partial},
                                {"padded", padded},
                                {"block", block},
                                {"nested", nested},
                                {"siblings", siblings},
                                {"loops", loops},
                                {"long_loop", long_loop},
                                {"wide", wide},
                                {"structs", structs},
                                {"operands", operands},
                                {"diverging", diverging},
                                {"racing", racing},
                                {"throwing", throwing},
                                {"several", several},
                                {"wrong_at_last", wrong_at_last},
                                {"threads", threads}};

}  // namespace

int main(int count, char** arguments) {
  for (const named_case& one : cases) {
    if (count < 2 || std::strcmp(arguments[1], one.name) != 0) continue;
    try {
      one.launch();
      return 0;
    } catch (const std::exception& error) {
      std::puts(error.what());
      return 1;
    }
  }
  return 2;
}
