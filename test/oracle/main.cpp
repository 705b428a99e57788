// Runs the oracle's programs and compares their results with the model's, on host tiles, or on the GPU if
// nvcc compiles this.
//
//   oracle                      runs each program under fixed seeds, and then all programs under a fresh seed for
//                               TESSERA_ORACLE_SECONDS
//   oracle --program NAME --seed S --threads X,Y,Z    repeats one launch
//
// The last line is `N checks, N programs, N pairs of M`.
#include "harness.hpp"
#include "options.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#if TESSERA_CUDA
#include <tessera/device.hpp>
#else
#include <tessera/host/launch.hpp>
#endif

namespace oracle {

// generate.py defines these, together with the programs.
extern char const* const feature_names[];
extern unsigned const feature_count;
extern unsigned short const pairs[][2];
extern unsigned const pair_count;

std::vector<program>& programs() {
  static std::vector<program> all;
  return all;
}

namespace {

unsigned tiles_of(environment const& e, unsigned size) {
  return (e.threads + size - 1) / size;
}
}  // namespace

void each_tile(checks& k, unsigned which, unsigned size, flow how, void (*check)(expectation&), bool coalesced) {
  for (unsigned block = k.first_block; block < k.last_block; ++block) {
    for (unsigned tile = 0; tile < tiles_of(k.e, size); ++tile) {
      draws at = call::drawn_of(k.e, block, which, size, tile, coalesced);
      bool const gone =
          k.e.leave_after >= 0 && static_cast<unsigned>(k.e.leave_after) < which && k.e.leaves(block, tile * size);
      unsigned const rounds = gone ? 0 : at.rounds(how);
      for (at.round = 0; at.round != most_rounds; ++at.round) {
        expectation one(k, at);
        if (rounds > at.round) {
          check(one);
          k.executed |= 1ull << which;
          continue;
        }
        for (unsigned r = 0; r < at.valid_count; ++r)
          if (!one.untouched_cell(r)) one.fail(r, "wrote a result where it makes no call");
      }
    }
  }
}

void each_memory(environment const& e, unsigned blocks, unsigned which, unsigned size,
                 void (*fill)(draws const& at, unsigned char* memory), bool coalesced) {
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned tile = 0; tile < tiles_of(e, size); ++tile)
      fill(call::drawn_of(e, block, which, size, tile, coalesced), e.memory_of(block, which, tile * size));
}

#if TESSERA_CUDA
namespace {
void check_cuda(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}
unsigned char* on_gpu(unsigned which, u64 bytes) {
  static unsigned char* memory[2] = {};
  static u64 size[2] = {};
  if (size[which] < bytes) {
    check_cuda(cudaFree(memory[which]));
    size[which] = std::max<u64>(bytes, 1 << 20);
    check_cuda(cudaMalloc(&memory[which], size[which]));
  }
  return memory[which];
}
}  // namespace

void launch_on_gpu(launch const& how, void (*kernel)(environment)) {
  environment e = how.e;
  u64 const cells = e.cells_size(how.blocks), memory = e.memory_size(how.blocks);
  e.cells = on_gpu(0, cells);
  e.memory = on_gpu(1, memory);
  check_cuda(cudaMemset(e.cells, poison, cells));
  check_cuda(cudaMemcpy(e.memory, how.e.memory, memory, cudaMemcpyHostToDevice));
  kernel<<<how.blocks, ::dim3(how.threads.x, how.threads.y, how.threads.z)>>>(e);
  check_cuda(cudaGetLastError());
  check_cuda(cudaMemcpy(how.e.cells, e.cells, cells, cudaMemcpyDeviceToHost));
  check_cuda(cudaMemcpy(how.e.memory, e.memory, memory, cudaMemcpyDeviceToHost));
}
#else
void launch_on_host(launch const& how, void (*kernel)(tessera::host::block const&, environment const&)) {
  namespace host = tessera::host;
  auto const order = host::all_schedules[how.schedule_seed % 6];
  host::launch_grid(how.blocks, how.threads, host::options{}.with_schedule(order).with_seed(how.schedule_seed),
                    [&](host::block block) { kernel(block, how.e); });
}
#endif

namespace {

using clock_type = std::chrono::steady_clock;

struct statistics {
  u64 checks = 0, launches = 0;
  u64 executed = 0;  // bit i says whether call i of the current program was made
  u64 reports = 0;   // the number of launches for which host tiles reported that a scratch is too small
  unsigned failures = 0;
  std::vector<char> seen;  // whether a pair of features has occurred
  std::set<std::string> failed;

  statistics() : seen(std::size_t{feature_count} * feature_count) {}
  void add(statistics const& other) {
    checks += other.checks;
    reports += other.reports;
    launches += other.launches;
    failures += other.failures;
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = static_cast<char>(seen[i] | other.seen[i]);
    failed.insert(other.failed.begin(), other.failed.end());
  }
};

/// The parameters of a launch, with which it can be repeated.
struct planned {
  u64 seed;
  dim3 threads;
  counting what = counting::nothing;
  u64 counted = 0;
  unsigned counted_call = 0;
  unsigned blocks = 1;
};

thread_local std::vector<unsigned char> cells, memory;
std::mutex printing;

/// Makes one launch and checks it. Returns whether all results were right.
bool run_once(program const& p, planned const& plan, statistics& all) {
  launch how{{plan.seed, plan.counted, plan.what, plan.counted_call, static_cast<unsigned>(plan.threads.volume()),
              p.calls, p.cell_bytes, p.memory_bytes, plan.what == counting::nothing ? p.leave_after : -1, p.leave_group,
              nullptr, nullptr},
             plan.blocks,
             plan.threads,
             mixed(plan.seed, 4242)};
  cells.assign(how.e.cells_size(plan.blocks), poison);
  memory.assign(how.e.memory_size(plan.blocks) + 16, poison);
  how.e.cells = cells.data();
  how.e.memory = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16;
  if (p.prepare) p.prepare(how.e, plan.blocks);

  std::vector<checks> parts(1);
  std::string broken;
  try {
    p.run(how);
    unsigned const workers =
        plan.blocks < 4 ? 1 : std::min(plan.blocks, std::max(1u, std::thread::hardware_concurrency()));
    parts.resize(workers);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i) {
      parts[i].e = how.e;
      parts[i].first_block = plan.blocks * i / workers;
      parts[i].last_block = plan.blocks * (i + 1) / workers;
      if (workers > 1)
        threads.emplace_back([&p, &parts, i] { p.check(parts[i]); });
      else
        p.check(parts[i]);
    }
    for (std::thread& worker : threads) worker.join();
  } catch (std::exception const& error) {
    broken = error.what();
  }
  ++all.launches;
  if (p.scratch_threads != 0 && how.e.threads > p.scratch_threads &&
      broken.find("exchanges through a scratch for") != std::string::npos) {
    ++all.reports;
    return true;
  }
  std::vector<failure> found;
  for (checks const& part : parts) {
    all.checks += part.done;
    found.insert(found.end(), part.failures.begin(), part.failures.end());
    for (unsigned i = 0; i < p.calls; ++i) {
      if ((part.executed >> i & 1u) == 0) continue;
      all.executed |= 1ull << i;
      for (unsigned short const a : p.features[i])
        for (unsigned short const b : p.features[i]) all.seen[a * feature_count + b] = 1;
    }
  }
  if (broken.empty() && found.empty()) return true;

  ++all.failures;
  all.failed.insert(p.name);
  std::lock_guard<std::mutex> const alone(printing);
  std::printf("FAILED %s, --seed %llu --threads %u,%u,%u --blocks %u --counting %d,%llu,%u\n", p.name, plan.seed,
              plan.threads.x, plan.threads.y, plan.threads.z, plan.blocks, static_cast<int>(plan.what), plan.counted,
              plan.counted_call);
  for (std::size_t i = 0; i < found.size() && i < 3; ++i)
    std::printf("  call %u, block %u, tile %u, round %u, lane %u: %s\n", found[i].which, found[i].block, found[i].tile,
                found[i].round, found[i].lane, found[i].what.c_str());
  if (!broken.empty()) std::printf("  %s\n", broken.c_str());
  std::printf("%s\n", p.text);
  std::fflush(stdout);
#if TESSERA_CUDA
  if (!broken.empty()) std::exit(1);  // after a failed launch the process can't use the GPU
#endif
  return false;
}

/// A random number of threads for a block: few, many, or around whole warps.
unsigned draw_threads(block_rule const& rule, u64 h) {
  if (rule.exactly != 0) return rule.exactly;
  unsigned const most = rule.most / rule.multiple;
  unsigned threads = 0;
  u64 const more = mixed(h);
  switch (h % 8) {
    case 0:
      threads = rule.multiple;
      break;
    case 1:
      threads = rule.multiple * most;
      break;
    case 2:
      threads = rule.multiple * (1 + static_cast<unsigned>(more % std::min(most, 4u)));
      break;
    case 3:
    case 4:  // one lane more or less than whole warps have
      threads = 32 * (1 + static_cast<unsigned>(more % std::max(1u, rule.most / 32))) +
                static_cast<unsigned>((more >> 32) % 3) - 1;
      threads = (threads + rule.multiple - 1) / rule.multiple * rule.multiple;
      break;
    default:
      threads = rule.multiple * (1 + static_cast<unsigned>(more % most));
  }
  return std::min(std::max(threads, rule.multiple), rule.multiple * most);
}

/// A block of this many threads, in one to three dimensions.
dim3 draw_shape(unsigned threads, u64 h) {
  if (h % 3 == 0) return {threads, 1, 1};
  auto const divisor = [](unsigned n, u64 from) {
    unsigned d = 1 + static_cast<unsigned>(from % std::min(n, 64u));
    while (n % d != 0) --d;
    return d;
  };
  unsigned const z = h % 3 == 1 ? 1 : divisor(threads, h >> 8);
  unsigned const y = divisor(threads / z, h >> 20);
  return {threads / z / y, y, z};
}

planned draw_launch(program const& p, u64 seed) {
  planned plan{seed, {}};
  plan.threads = draw_shape(draw_threads(p.blocks, mixed(seed, 1)), mixed(seed, 2));
#if TESSERA_CUDA
  u64 const each = plan.threads.volume() * p.calls * (most_rounds * p.cell_bytes + p.memory_bytes);
  plan.blocks = static_cast<unsigned>(std::min<u64>(64, std::max<u64>(1, (16u << 20) / each)));
#endif
  return plan;
}

/// The greatest possible number of threads of a block up to this many, but at least one tile.
unsigned many_threads(block_rule const& rule, unsigned up_to) {
  if (rule.exactly != 0) return rule.exactly;
  unsigned const most = std::min(std::max(up_to, rule.multiple), rule.most);
  return most / rule.multiple * rule.multiple;
}

/// Launches blocks that are larger than a scratch, by one tile and by many, until one is reported. (In some
/// launches no tile uses the scratch.)
void run_beyond_scratch(program const& p, u64 seed, statistics& all) {
  unsigned const one_more = (p.scratch_threads / p.blocks.multiple + 1) * p.blocks.multiple;
  for (unsigned const threads : {one_more, 1024u}) {
    u64 const before = all.reports;
    for (unsigned i = 0; i < 60 && all.reports == before; ++i)
      if (!run_once(p, {mixed(seed, 34 + threads, i), {threads, 1, 1}}, all)) return;
    if (all.reports != before) continue;
    ++all.failures;
    all.failed.insert(p.name);
    std::lock_guard<std::mutex> const alone(printing);
    std::printf("FAILED %s, --threads %u,1,1\n  nothing says that its scratch, for %u threads, is too small\n%s\n",
                p.name, threads, p.scratch_threads, p.text);
  }
}

/// Tests all predicates of small tiles, all n (above 64 lanes, those around multiples of N / 16), all
/// sizes of blocks (of large tiles, those around whole warps), and blocks that are larger than a scratch.
void run_exhaustively(program const& p, u64 seed, statistics& all) {
  for (unsigned call = 0; call < p.calls; ++call) {
    auto const count = [&](counting what, unsigned lanes, u64 total) {
      unsigned const threads = many_threads(p.blocks, std::max(256u, lanes));
      for (u64 counted = 0; counted < total; counted += std::max(1u, threads / lanes))
        if (lanes > 64 && (counted + 1) % (lanes / 16) > 2)
          continue;
        else if (!run_once(p, {mixed(seed, 31 + call, counted), {threads, 1, 1}, what, counted, call}, all))
          return;
    };
    unsigned const mask_lanes = p.all_of[call].mask_lanes, first_lanes = p.all_of[call].first_lanes;
    if (mask_lanes != 0) count(counting::masks, mask_lanes, 1ull << mask_lanes);
    if (first_lanes != 0) count(counting::numbers, first_lanes, first_lanes + 2);
  }
#if !TESSERA_CUDA  // a GPU reports it with TESSERA_CHECK only
  if (p.scratch_threads != 0) run_beyond_scratch(p, seed, all);
#endif
  if (p.sweep) {
    for (unsigned threads = 1; threads <= p.blocks.most; ++threads)
      if (p.sweep > 1 && threads > 130 && threads % 32 > 2 && threads % 32 < 31)
        continue;
      else if (!TESSERA_CUDA && p.sweep > 2 && threads > 34 && (threads + 1) % 128 > 2)
        continue;
      else if (!run_once(p, {mixed(seed, 32, threads), draw_shape(threads, mixed(seed, 33, threads))}, all))
        return;
  }
}

}  // namespace

}  // namespace oracle

int main(int argc, char** argv) {
  using namespace oracle;
  unsigned launches = 12;
  bool exhaustive = true, list = false, smallest = false, times = false;
  std::string only;
  planned again{0, {0, 0, 0}};
  options const wanted = options_of(argc, argv, [&](std::string const& option, auto value) {
    if (option == "--launches")
      launches = static_cast<unsigned>(number(value()));
    else if (option == "--program")
      only = value();
    else if (option == "--threads")
      return std::sscanf(value(), "%u,%u,%u", &again.threads.x, &again.threads.y, &again.threads.z) == 3;
    else if (option == "--blocks")
      again.blocks = static_cast<unsigned>(number(value()));
    else if (option == "--counting") {
      int what = 0;
      if (std::sscanf(value(), "%d,%llu,%u", &what, &again.counted, &again.counted_call) < 2) return false;
      again.what = static_cast<counting>(what);
    } else if (option == "--smallest")  // searches for the smallest block that fails
      smallest = true;
    else if (option == "--no-exhaustive")
      exhaustive = false;
    else if (option == "--times")  // prints how long each program took
      times = true;
    else if (option == "--list")
      list = true;
    else
      return false;
    return true;
  });
  u64 const seed = again.seed = wanted.seed;

  auto& all = programs();
  std::sort(all.begin(), all.end(), [](program const& a, program const& b) { return std::string(a.name) < b.name; });
  if (!only.empty())
    all.erase(std::remove_if(all.begin(), all.end(), [&](program const& p) { return only != p.name; }), all.end());
  if (all.empty()) return std::fprintf(stderr, "no program has the name %s\n", only.c_str()), 2;
  if (list) {
    for (program const& p : all) std::printf("%s\n%s\n", p.name, p.text);
    return 0;
  }
#if TESSERA_CUDA
  tessera::device_info const gpu = tessera::find_device();
  if (!gpu.usable) return std::printf("skipped: needs a GPU: %s\n", gpu.reason), 77;
#endif

  statistics stats;
  auto const started = clock_type::now();
  auto const spent = [&] { return std::chrono::duration<double>(clock_type::now() - started).count(); };
  std::atomic<unsigned> failures{0};
  auto const over = [&] { return (wanted.stop && failures > 0) || failures >= 40; };
  // Calls each(p, statistics) for all programs. On host tiles each thread has its own engine.
  auto const for_each_program = [&](auto each) {
    unsigned const workers =
        TESSERA_CUDA || again.threads.x != 0 ? 1 : std::max(1u, std::thread::hardware_concurrency());
    std::atomic<std::size_t> next{0};
    std::vector<statistics> parts(workers);
    std::vector<std::thread> threads;
    auto const work = [&](statistics& own) {
      for (std::size_t i = next++; i < all.size() && !over(); i = next++) {
        unsigned const before = own.failures;
        double const begun = spent();
        each(all[i], own);
        failures += own.failures - before;
        if (times) {
          std::lock_guard<std::mutex> const alone(printing);
          std::printf("%8.2f s %s\n", spent() - begun, all[i].name);
        }
      }
    };
    for (unsigned i = 1; i < workers; ++i) threads.emplace_back([&, i] { work(parts[i]); });
    work(parts[0]);
    for (std::thread& thread : threads) thread.join();
    for (statistics const& part : parts) stats.add(part);
  };

  if (again.threads.x != 0) {
    for_each_program([&](program const& p, statistics& own) { run_once(p, again, own); });
  } else if (smallest) {
    for_each_program([&](program const& p, statistics& own) {
      unsigned const from = p.blocks.exactly != 0 ? p.blocks.exactly : p.blocks.multiple;
      unsigned const step = p.blocks.exactly != 0 ? 1024 : from;
      for (unsigned threads = from; threads <= p.blocks.most && own.failures == 0; threads += step)
        for (unsigned i = 0; i < 40 && own.failures == 0; ++i)
          run_once(p, {mixed(seed, threads, i), {threads, 1, 1}}, own);
    });
  } else {
    for_each_program([&](program const& p, statistics& own) {
      own.executed = 0;
      auto const slice = clock_type::now() + std::chrono::milliseconds(30);
      for (unsigned i = 0; i < launches && own.failed.count(p.name) == 0; ++i)
        if (i < 3 || clock_type::now() < slice) run_once(p, draw_launch(p, mixed(seed, 5, i)), own);
      // Launches until each call was made at least once, since tiles draw whether they make it.
      for (unsigned i = 0; i < 100 && own.failed.count(p.name) == 0 && own.executed + 1 != 1ull << p.calls; ++i)
        run_once(p, draw_launch(p, mixed(seed, 7, i)), own);
      if (exhaustive && own.failed.count(p.name) == 0) run_exhaustively(p, seed, own);
    });
    double const until = spent() + wanted.seconds;
    if (wanted.seconds > 0) std::printf("after %.0f s: fresh seed %llu\n", spent(), wanted.fresh);
    std::fflush(stdout);
    for (u64 round = 0; spent() < until && !over() && !all.empty(); ++round)
      for_each_program([&](program const& p, statistics& own) {
        if (spent() < until && stats.failed.count(p.name) == 0)
          run_once(p, draw_launch(p, mixed(wanted.fresh, 6, round)), own);
      });
  }

  unsigned seen = 0, missing = 0;
  for (unsigned i = 0; i < pair_count; ++i) {
    if (stats.seen[std::size_t{pairs[i][0]} * feature_count + pairs[i][1]]) {
      ++seen;
    } else if (wanted.want_pairs && ++missing <= 20) {
      std::printf("missing pair: %s, %s\n", feature_names[pairs[i][0]], feature_names[pairs[i][1]]);
    }
  }
  if (!stats.failed.empty()) {
    std::printf("%zu programs failed:", stats.failed.size());
    for (auto const& name : stats.failed) std::printf(" %s", name.c_str());
    std::printf("\n");
  }
  std::printf("%llu checks, %zu programs, %u pairs of %u\n", stats.checks, all.size(), seen, pair_count);
  return stats.failures != 0 || (wanted.want_pairs && missing != 0);
}
