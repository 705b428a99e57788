// Every collective of the library in every kind of misuse: called by half of a tile while the other half is
// in another call, called after some lanes have exited, and called with an argument that isn't uniform.
// Each report must name the call.
#include <tessera/host/shared.hpp>
#include <tessera/tessera.hpp>

#include <functional>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using namespace tessera;
using tile_t = host::tile<8>;
using host::misuse_kind;

// An array whose size the compiler doesn't know. Otherwise it warns about code for other alignments, which
// doesn't run.
std::vector<float> floats(64);
float* const memory = floats.data();
int counters[8];

/// A collective. If it `has_uniform`, its argument must be the same in all lanes.
struct collective {
  const char* name;
  bool has_uniform;
  std::function<void(tile_t const&, unsigned)> call;
  const char* how = "";  // distinguishes calls with the same name
};

int numbers[64];

std::vector<collective> all_collectives() {
  // Each collective once, as examples.py writes them: their names have an underscore before.
  return {
#include "collective_calls.hpp"
      // Other forms of the calls.
      {"compact", true, [](tile_t const& t, unsigned u) { compact(t, 1.0f, false, memory + u); }, "OfPointers"},
      {"compact", true, [](tile_t const& t, unsigned u) { compact(t, 1.0f, false, memory, &counters[u]); },
       "_appending"},
      {"atomic_reduce", true, [](tile_t const& t, unsigned u) { atomic_reduce(t, &counters[u], 1); }, "OfPointers"},
      {"lower_bound", true, [](tile_t const& t, unsigned u) { tessera::equal_range(t, memory, 32 + u, 1.0f); },
       "OfEqualRange"},
      {"lower_bound", true, [](tile_t const& t, unsigned u) { tessera::binary_search(t, memory, 32 + u, 1.0f); },
       "OfBinarySearch"},
      {"find_if", true, [](tile_t const& t, unsigned u) { find_first(t, memory, 32 + u, 1.0f); }, "OfFindFirst"},
  };
}

struct Collectives : testing::TestWithParam<collective> {};

TEST_P(Collectives, ByHalfATile) {
  collective const c = GetParam();
  unsigned elsewhere = 0;
  test::expect_report(misuse_kind::divergent_call, __FILE__, {&elsewhere},
                      {c.name, "tile.sync", "lanes 0-3 wait in", "lanes 4-7 wait in"}, [&](const host::options& how) {
                        host::launch_tile<8>(how, [&](tile_t tile) {
                          if (tile.thread_rank() < 4)
                            c.call(tile, 2);
                          else
                            test::here(elsewhere), tile.sync();
                        });
                      });
}

TEST_P(Collectives, AfterAnExit) {
  collective const c = GetParam();
  test::expect_report(misuse_kind::exited_lane, __FILE__, {}, {c.name, "lanes 2, 5: exited"},
                      [&](const host::options& how) {
                        host::launch_tile<8>(how, [&](tile_t tile) {
                          unsigned const rank = tile.thread_rank();
                          if (rank == 2 || rank == 5) return;
                          c.call(tile, 2);
                        });
                      });
}

struct UniformCollectives : testing::TestWithParam<collective> {};

TEST_P(UniformCollectives, WithDifferentArguments) {
  collective const c = GetParam();
  test::expect_report(misuse_kind::mismatched_call, __FILE__, {}, {c.name, "uniform argument"},
                      [&](const host::options& how) {
                        host::launch_tile<8>(how, [&](tile_t tile) { c.call(tile, tile.thread_rank() == 6 ? 3 : 2); });
                      });
}

std::vector<collective> with_uniform_arguments() {
  std::vector<collective> some;
  for (collective const& c : all_collectives()) {
    if (c.has_uniform) some.push_back(c);
  }
  return some;
}

/// The members of classes have colons in their names, which a case's name may not have.
auto const name_of = [](auto const& c) {
  std::string name = std::string(c.param.name) + c.param.how;
  for (char& letter : name) {
    if (letter == ':') letter = '_';
  }
  return name;
};

INSTANTIATE_TEST_SUITE_P(Each, Collectives, testing::ValuesIn(all_collectives()), name_of);
INSTANTIATE_TEST_SUITE_P(Each, UniformCollectives, testing::ValuesIn(with_uniform_arguments()), name_of);

}  // namespace
