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

items<int, 4> const four{1, 2, 3, 4};

std::vector<collective> all_collectives() {
  return {
      {"reduce", true, [](tile_t const& t, unsigned u) { tessera::reduce(t, 1, plus{}, first(u)); }},
      {"reduce_batch", true, [](tile_t const& t, unsigned u) { reduce_batch(t, four, plus{}, first(u)); }},
      {"inclusive_scan", true,
       [](tile_t const& t, unsigned u) { tessera::inclusive_scan(t, 1, plus{}, first(u)); }},
      {"exclusive_scan", true,
       [](tile_t const& t, unsigned u) { tessera::exclusive_scan(t, 1, plus{}, first(u)); }},
      {"segmented_inclusive_scan", true,
       [](tile_t const& t, unsigned u) { segmented_inclusive_scan(t, 1, true, plus{}, first(u)); }},
      {"segmented_exclusive_scan", true,
       [](tile_t const& t, unsigned u) { segmented_exclusive_scan(t, 1, true, plus{}, first(u)); }},
      {"segmented_reduce", true,
       [](tile_t const& t, unsigned u) { segmented_reduce(t, 1, true, plus{}, first(u)); }},
      {"ballot", true, [](tile_t const& t, unsigned u) { ballot(t, true, first(u)); }},
      {"any_of", true, [](tile_t const& t, unsigned u) { tessera::any_of(t, true, first(u)); }},
      {"all_of", true, [](tile_t const& t, unsigned u) { tessera::all_of(t, true, first(u)); }},
      {"none_of", true, [](tile_t const& t, unsigned u) { tessera::none_of(t, true, first(u)); }},
      {"count_if", true, [](tile_t const& t, unsigned u) { tessera::count_if(t, true, first(u)); }},
      {"elect", true, [](tile_t const& t, unsigned u) { elect(t, first(u)); }},
      {"invoke_one", false, [](tile_t const& t, unsigned) { tessera::invoke_one(t, [] { return 1; }); }},
      {"match_any", true, [](tile_t const& t, unsigned u) { match_any(t, 1, first(u)); }},
      {"match_all", true, [](tile_t const& t, unsigned u) { match_all(t, 1, first(u)); }},
      {"peers", false, [](tile_t const& t, unsigned) { peers(t, 1); }},
      {"reduce_by_label", true,
       [](tile_t const& t, unsigned u) { reduce_by_label(t, 1, 1, plus{}, first(u)); }},
      {"histogram", true, [](tile_t const& t, unsigned u) { histogram<4>(t, 1, first(u)); }},
      {"aggregated_add", true,
       [](tile_t const& t, unsigned u) { aggregated_add(t, counters, 1, 1, first(u)); }},
      {"adjacent_difference", false, [](tile_t const& t, unsigned) { tessera::adjacent_difference(t, 1); }},
      {"sort", true, [](tile_t const& t, unsigned u) { tessera::sort(t, 1, tessera::less{}, first(u)); }},
      {"stable_sort", true,
       [](tile_t const& t, unsigned u) { tessera::stable_sort(t, 1, tessera::less{}, first(u)); }},
      {"sort_by_key", true,
       [](tile_t const& t, unsigned u) { tessera::sort_by_key(t, 1, 2, tessera::less{}, first(u)); }},
      {"stable_sort_by_key", true,
       [](tile_t const& t, unsigned u) { tessera::stable_sort_by_key(t, 1, 2, tessera::less{}, first(u)); }},
      {"merge", true, [](tile_t const& t, unsigned u) { tessera::merge(t, 1, u, 2, 3); }},
      {"merge_by_key", true, [](tile_t const& t, unsigned u) { tessera::merge_by_key(t, 1, 2, 3, 4, 5, u); }},
      {"top_k", true,
       [](tile_t const& t, unsigned u) { tessera::top_k<2>(t, 1, tessera::greater{}, first(u)); }},
      {"top_k_queue::push", true,
       [](tile_t const& t, unsigned u) {
         tessera::top_k_queue<2, int, tessera::greater, 8>().push(t, 1, first(u));
       }},
      {"top_k_queue::best", false,
       [](tile_t const& t, unsigned) { tessera::top_k_queue<2, int, tessera::greater, 8>().best(t); }},
      {"nth_element", true, [](tile_t const& t, unsigned u) { tessera::nth_element(t, 1, u); }},
      {"is_sorted", true,
       [](tile_t const& t, unsigned u) { tessera::is_sorted(t, 1, tessera::less{}, first(u)); }},
      {"partition", true, [](tile_t const& t, unsigned u) { tessera::partition(t, true, first(u)); }},
      {"scatter", false, [](tile_t const& t, unsigned) { tessera::scatter(t, 1, t.thread_rank()); }},
      {"radix_rank", true, [](tile_t const& t, unsigned u) { radix_rank<2>(t, 1, first(u)); }},
      {"unique", true, [](tile_t const& t, unsigned u) { tessera::unique(t, 1, equal_to{}, first(u)); }},
      {"run_length_encode", true,
       [](tile_t const& t, unsigned u) { run_length_encode(t, 1, equal_to{}, first(u)); }},
      {"run_length_decode", true, [](tile_t const& t, unsigned u) { run_length_decode(t, 1, 1u, u); }},
      {"compact", true, [](tile_t const& t, unsigned u) { compact(t, 1.0f, false, memory + u); }},
      {"compact", true, [](tile_t const& t, unsigned u) { compact(t, 1.0f, false, memory, &counters[u]); },
       "_appending"},
      {"atomic_reduce", true, [](tile_t const& t, unsigned u) { atomic_reduce(t, &counters[u], 1); }},
      {"shuffle", false, [](tile_t const& t, unsigned) { shuffle(t, 1, 0); }},
      {"broadcast", true, [](tile_t const& t, unsigned u) { broadcast(t, 1, u); }},
      {"shift_up", true, [](tile_t const& t, unsigned u) { shift_up(t, 1, u); }},
      {"shift_down", true, [](tile_t const& t, unsigned u) { shift_down(t, 1, u, 0); }},
      {"rotate", true, [](tile_t const& t, unsigned u) { tessera::rotate(t, 1, static_cast<int>(u)); }},
      {"reverse", false, [](tile_t const& t, unsigned) { tessera::reverse(t, 1); }},
      {"butterfly", true, [](tile_t const& t, unsigned u) { butterfly(t, four, u); }},
      {"exchange_items", true, [](tile_t const& t, unsigned u) { exchange_items(t, four, 1, u, 0); }},
      {"blocked_to_striped", false, [](tile_t const& t, unsigned) { blocked_to_striped(t, four); }},
      {"striped_to_blocked", false, [](tile_t const& t, unsigned) { striped_to_blocked(t, four); }},
      {"transpose", false, [](tile_t const& t, unsigned) { transpose(t, four); }},
      {"load", true, [](tile_t const& t, unsigned u) { load<4>(t, memory, 32 + u); }},
      {"store", true, [](tile_t const& t, unsigned u) { store(t, 1.0f, memory, u); }},
      {"joint_merge", true,
       [](tile_t const& t, unsigned u) { joint_merge(t, memory, 8, memory + 8, u, memory + 32); }},
      {"joint_sort", true, [](tile_t const& t, unsigned u) { joint_sort(t, memory, 20 + u, memory + 32); }},
      {"joint_stable_sort", true,
       [](tile_t const& t, unsigned u) { joint_stable_sort(t, memory, 20 + u, memory + 32); }},
      {"joint_reduce", true, [](tile_t const& t, unsigned u) { joint_reduce(t, memory, 32 + u); }},
      {"joint_top_k", true, [](tile_t const& t, unsigned u) { joint_top_k<4>(t, memory, 32 + u); }},
      {"joint_transform_top_k", true,
       [](tile_t const& t, unsigned u) {
         joint_transform_top_k<4>(t, memory, 32 + u, tessera::greater{}, [](float x) { return -x; });
       }},
      {"joint_transform_reduce", true,
       [](tile_t const& t, unsigned u) {
         joint_transform_reduce(t, memory, 32 + u, plus{}, [](float x) { return x; });
       }},
      {"lower_bound", true, [](tile_t const& t, unsigned u) { lower_bound(t, memory, 32 + u, 1.0f); }},
      {"upper_bound", true, [](tile_t const& t, unsigned u) { upper_bound(t, memory, 32 + u, 1.0f); }},
      {"lower_bound", true,
       [](tile_t const& t, unsigned u) { tessera::equal_range(t, memory, 32 + u, 1.0f); }, "OfEqualRange"},
      {"lower_bound", true,
       [](tile_t const& t, unsigned u) { tessera::binary_search(t, memory, 32 + u, 1.0f); },
       "OfBinarySearch"},
      {"find_if", true, [](tile_t const& t, unsigned u) { find_first(t, memory, 32 + u, 1.0f); },
       "OfFindFirst"},
      {"find_if", true,
       [](tile_t const& t, unsigned u) { find_if(t, memory, 32 + u, [](float x) { return x > 1; }); }},
      {"joint_any_of", true,
       [](tile_t const& t, unsigned u) { joint_any_of(t, memory, 32 + u, [](float x) { return x > 1; }); }},
      {"joint_all_of", true,
       [](tile_t const& t, unsigned u) { joint_all_of(t, memory, 32 + u, [](float x) { return x < 1; }); }},
      {"joint_none_of", true,
       [](tile_t const& t, unsigned u) { joint_none_of(t, memory, 32 + u, [](float x) { return x > 1; }); }},
      {"joint_inclusive_scan", true,
       [](tile_t const& t, unsigned u) { joint_inclusive_scan(t, memory, 32 + u, memory); }},
      {"joint_exclusive_scan", true,
       [](tile_t const& t, unsigned u) { joint_exclusive_scan(t, memory, 32 + u, memory); }},
      {"joint_transform_inclusive_scan", true,
       [](tile_t const& t, unsigned u) {
         joint_transform_inclusive_scan(t, memory, 32 + u, memory, plus{}, [](float x) { return x; });
       }},
      {"joint_transform_exclusive_scan", true,
       [](tile_t const& t, unsigned u) {
         joint_transform_exclusive_scan(t, memory, 32 + u, memory, plus{}, [](float x) { return x; });
       }},
  };
}

struct Collectives : testing::TestWithParam<collective> {};

TEST_P(Collectives, ByHalfATile) {
  collective const c = GetParam();
  unsigned elsewhere = 0;
  test::expect_report(misuse_kind::divergent_call, __FILE__, {&elsewhere},
                      {c.name, "tile.sync", "lanes 0-3 wait in", "lanes 4-7 wait in"},
                      [&](const host::options& how) {
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
                        host::launch_tile<8>(
                            how, [&](tile_t tile) { c.call(tile, tile.thread_rank() == 6 ? 3 : 2); });
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
