// Runs sequences of calls on arrays, and compares what they leave with the model. sequences.py makes the file of sequences:
//
//   pair call reduce|type float                                                          occurs in some call
//   NAME stream=graph thread=caller device=0 | call=reduce type=float … | call=sort …    a sequence, and its calls
//
// Each round puts all arrays back as they were, launches all calls without a wait between them, waits, and looks at all arrays; then it
// makes the same calls with other values. There are two rounds, or with stream=graph three: calls, and then the graph that they are
// captured into, twice.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include <tessera/device.hpp>

#include "../options.hpp"
#include "arrays.hpp"

namespace oracle::arrays {
namespace {

// ---- The GPU, or with --pretend the CPU's memory, where each call writes what the model says (and one of them a fault)

enum class pretended { nothing, right, element, beyond, input, second_round };
pretended pretends = pretended::nothing;
int devices = 2;  // where there is one, it has the sequences of the other, too

void check(cudaError_t status, char const* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// The stream that a sequence names; it must outlive the workspaces that are used on it.
class stream {
 public:
  explicit stream(choices const& what) {
    if (what.is("stream", "per_thread")) stream_ = cudaStreamPerThread;
    owns_ = pretends == pretended::nothing && (what.is("stream", "created") || what.is("stream", "graph"));
    if (owns_) check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  ~stream() {
    if (owns_) (void)cudaStreamDestroy(stream_);
  }
  operator cudaStream_t() const { return stream_; }
  void wait() const {
    if (pretends == pretended::nothing) check(cudaStreamSynchronize(stream_), "after the calls");
  }
  void copy(void* to, void const* from, std::size_t bytes) const {
    if (pretends != pretended::nothing)
      std::memcpy(to, from, bytes);
    else
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "a copy");
  }

 private:
  cudaStream_t stream_ = nullptr;
  bool owns_ = false;
};

void allocate(call& c) {
  for (buffer& b : c.buffers) {
    if (pretends != pretended::nothing)
      b.device = new unsigned char[b.image.size()];
    else
      check(cudaMalloc(reinterpret_cast<void**>(&b.device), b.image.size()), "memory");
  }
}
void release(call& c) {
  for (buffer& b : c.buffers) {
    if (pretends != pretended::nothing)
      delete[] b.device;
    else
      (void)cudaFree(b.device);
  }
}

/// Writes what the model says, and the fault.
void pretend(call& c, unsigned round) {
  for (buffer& b : c.buffers) std::memcpy(b.device, b.expected.data(), b.expected.size());
  for (buffer& b : c.buffers) {
    unsigned char* const end = b.device + b.begin + (b.expected.size() - b.begin - buffer::guard);
    bool const writes = b.image != b.expected;
    if (pretends == pretended::beyond && writes) ++*end;
    if (pretends == pretended::input && !b.judge) --end[-1];
    if ((pretends == pretended::element || (pretends == pretended::second_round && round == 1)) && writes)
      end[-1] ^= 0x40;
  }
}

// ---- Sequences

struct sequence {
  std::string text;
  choices head;
  std::vector<choices> calls;
};

choices parsed(std::istringstream& words) {
  choices all;
  for (std::string word; words >> word && word != "|";) {
    auto const at = word.find('=');
    if (at == std::string::npos)
      all.of["name"] = word;
    else if (at + 1 < word.size())
      all.of[word.substr(0, at)] = word.substr(at + 1);
  }
  return all;
}
sequence parsed(std::string const& line) {
  sequence all{line, {}, {}};
  std::istringstream words(line);
  all.head = parsed(words);
  while (words) {
    choices c = parsed(words);
    if (!c.of.empty()) all.calls.push_back(c);
  }
  return all;
}

std::unique_ptr<call> made(choices const& what, u64 seed) {
  auto one = std::make_unique<call>();
  one->what = what;
  one->seed = seed;
  one->n = size_of(what, mixed(seed, 2));
  bool const any = what.is("type", "affine") || what.is("type", "upper2");
  auto const make = makers().find((any ? "any " : "") + what["call"]);
  if (make == makers().end()) throw std::runtime_error("no such call: " + what["call"] + " of " + what["type"]);
  make->second(*one);
  return one;
}

/// The calls of one thread, and the same with other values, which follow them on the same workspaces: what calls leave there must not matter
/// to the next ones.
struct calls {
  std::vector<std::unique_ptr<call>> first, others;

  template <class F>
  void each(F f) const {
    for (auto const* const set : {&first, &others})
      for (auto const& c : *set) f(*c);
  }
};

/// A sequence that is ready to run: with each thread's calls, and what they must give.
struct program {
  sequence const* of;
  u64 seed;
  std::vector<calls> threads;
  std::string broken;
};
program prepared(sequence const& s, u64 seed) {
  program p{&s, seed, {}, ""};
  try {
    for (u64 thread = 0; thread < (s.head.is("thread", "several") ? 3 : 1); ++thread) {
      p.threads.emplace_back();
      calls& own = p.threads.back();
      for (choices const& c : s.calls) {
        own.others.push_back(made(c, mixed(seed, 100 + thread, own.first.size())));
        own.first.push_back(made(c, mixed(seed, thread, own.first.size())));
      }
    }
  } catch (std::exception const& error) {
    p.broken = error.what();
  }
  return p;
}

/// Lets so many threads go on together.
class starting_line {
 public:
  explicit starting_line(std::size_t threads) : missing_(threads) {}
  void arrive() {
    --missing_;
    while (missing_ > 0) std::this_thread::yield();
  }

 private:
  std::atomic<std::size_t> missing_;
};

/// The calls of one thread in a stream, which share a workspace.
class running {
 public:
  running(sequence const& s, calls const& all) : what_(s.head), on_(s.head), calls_(all), own_(all.first.size()) {
    calls_.each(allocate);
  }
  running(running const&) = delete;
  running& operator=(running const&) = delete;
  ~running() {
    if (graph_) (void)cudaGraphExecDestroy(graph_);
    calls_.each(release);
  }

  unsigned rounds() const { return what_.is("stream", "graph") ? 3 : 2; }
  void round(unsigned number) {
    run(calls_.first, number);
    run(calls_.others, number);
  }

 private:
  using set = std::vector<std::unique_ptr<call>>;

  void run(set const& all, unsigned number) {
    for (auto const& c : all)
      for (buffer& b : c->buffers) on_.copy(b.device, b.image.data(), b.image.size());
    if (what_.is("stream", "graph") && number > 0 && &all == &calls_.first && pretends == pretended::nothing)
      replay();
    else
      launch(all, number);
    on_.wait();
    for (std::size_t i = 0; i < all.size(); ++i) look_at(all, i, number);
  }
  void launch(set const& all, unsigned number) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      call& c = *all[i];
      if (pretends != pretended::nothing) {
        pretend(c, number);
        continue;
      }
      grid::execution on(on_);
      if (c.what.is("memory", "shared")) on = {on_, shared_};
      if (c.what.is("memory", "own")) on = {on_, own_[i]};
      check(c.launch(on), (place(all, i) + " returned").c_str());
      check(cudaGetLastError(), (place(all, i) + " left an error").c_str());
    }
  }
  void replay() {
    if (!graph_) {
      cudaGraph_t graph = nullptr;
      check(cudaStreamBeginCapture(on_, cudaStreamCaptureModeThreadLocal), "capture");
      launch(calls_.first, 1);
      check(cudaStreamEndCapture(on_, &graph), "the end of the capture");
      cudaError_t const status = cudaGraphInstantiate(&graph_, graph, 0);
      (void)cudaGraphDestroy(graph);
      check(status, "the graph");
    }
    check(cudaGraphLaunch(graph_, on_), "the graph's launch");
  }
  void look_at(set const& all, std::size_t i, unsigned number) {
    std::vector<unsigned char> got;
    for (std::size_t at = 0; at < all[i]->buffers.size(); ++at) {
      buffer& b = all[i]->buffers[at];
      got.resize(b.image.size());
      on_.copy(got.data(), b.device, got.size());
      on_.wait();
      std::string const wrong = b.differs(got);
      if (!wrong.empty())
        throw std::runtime_error(place(all, i) + ", array " + std::to_string(at) + ", round " + std::to_string(number) +
                                 ": " + wrong);
    }
  }
  std::string place(set const& all, std::size_t i) const {
    return "call " + std::to_string(i) + (&all == &calls_.first ? "" : " with other values") + ", " +
           all[i]->what["call"] + " of " + std::to_string(all[i]->n);
  }

  choices const& what_;
  stream on_;  // before the workspaces, which free in its order
  calls const& calls_;
  grid::workspace shared_;
  std::vector<grid::workspace> own_;
  cudaGraphExec_t graph_ = nullptr;
};

/// Runs the rounds of one thread. If they are `handed`, each is another thread's, after the one before has ended.
void run_rounds(running& one, bool handed, int device, std::string& broken) {
  for (unsigned number = 0; number < one.rounds() && broken.empty(); ++number) {
    auto const round = [&] {
      try {
        if (pretends == pretended::nothing) check(cudaSetDevice(device), "the device");
        one.round(number);
      } catch (std::exception const& error) {
        broken = error.what();
      }
    };
    if (handed)
      std::thread(round).join();
    else
      round();
  }
}

/// What is wrong with a program's results; else "".
std::string run(program& p) {
  if (!p.broken.empty()) return p.broken;
  int const device = p.of->head.is("device", "1") && devices > 1 ? 1 : 0;
  bool const handed = p.of->head.is("thread", "handed");
  std::deque<running> all;
  std::vector<std::string> broken(p.threads.size());
  try {
    if (pretends == pretended::nothing) check(cudaSetDevice(device), "the device");
    for (calls const& one : p.threads) all.emplace_back(*p.of, one);
  } catch (std::exception const& error) {
    return error.what();
  }
  starting_line line(all.size());
  std::vector<std::thread> others;
  auto const run_one = [&](std::size_t i) {
    line.arrive();
    run_rounds(all[i], handed, device, broken[i]);
  };
  for (std::size_t i = 1; i < all.size(); ++i) others.emplace_back(run_one, i);
  run_one(0);
  for (std::thread& other : others) other.join();
  for (std::string const& one : broken)
    if (!one.empty()) return one;
  return "";
}

// ---- What ran

struct statistics {
  u64 checks = 0;
  std::size_t sequences = 0, failed = 0;
  std::set<std::string> seen;  // pairs

  void note(program const& p) {
    ++sequences;
    for (calls const& all : p.threads)
      all.each([&](call const& c) {
        for (buffer const& b : c.buffers) checks += b.elements;
      });
    for (choices const& c : p.of->calls) {
      std::map<std::string, std::string> features = p.of->head.of;
      features.insert(c.of.begin(), c.of.end());
      for (char const* const detail : {"name", "seed", "n"}) features.erase(detail);
      for (auto const& [a, x] : features)
        for (auto const& [b, y] : features)
          if (a < b) seen.insert(a + " " + x + "|" + b + " " + y);
    }
  }
};

char running_now[4000];
[[noreturn]] void report_hang(int) {
  (void)!write(1, running_now, std::strlen(running_now));
  _exit(1);
}

/// A sequence that was drawn from a seed has it in its text, so that it is the same in any file.
u64 seed_of(sequence const& s, u64 seed, u64 place) {
  return mixed(seed, s.head["seed"].empty() ? place : number(s.head["seed"].c_str()));
}

/// Returns whether a program's results are right, and says what isn't.
bool is_right(program& p, statistics& stats) {
  std::string const start = "FAILED " + p.of->head["name"] + " --exact " + std::to_string(p.seed) + "\n  ",
                    end = "\n" + p.of->text + "\n";
  std::snprintf(running_now, sizeof running_now, "%sno end%s", start.c_str(), end.c_str());
  alarm(std::getenv("TESSERA_TEST_MOST") ? 0 : 120);  // a sanitizer takes long
  std::string const wrong = run(p);
  alarm(0);
  stats.note(p);
  if (wrong.empty()) return true;
  ++stats.failed;
  std::printf("%s%s%s", start.c_str(), wrong.c_str(), end.c_str());
  std::fflush(stdout);
  return false;
}

/// Prepares the sequences by several threads, and runs one after the other, until one more isn't wanted.
template <class Wanted>
void run_all(std::vector<sequence> const& all, u64 seed, statistics& stats, Wanted wanted) {
  std::size_t const ahead = 2 * std::max(1u, std::thread::hardware_concurrency());
  std::deque<std::future<program>> ready;
  std::size_t next = 0;
  while (wanted() && (next < all.size() || !ready.empty())) {
    for (; next < all.size() && ready.size() < ahead; ++next)
      ready.push_back(std::async(std::launch::async, prepared, std::cref(all[next]), seed_of(all[next], seed, next)));
    program p = ready.front().get();
    ready.pop_front();
    if (is_right(p, stats)) continue;
    if (pretends == pretended::nothing && cudaDeviceSynchronize() != cudaSuccess)
      std::exit(1);  // the process can't use the GPU any more
  }
}

int main(int argc, char** argv) {
  u64 exact = 0;
  std::string file;
  options const given = options_of(argc, argv, [&](std::string const& option, auto value) {
    if (option == "--exact")  // repeats a failed sequence, the only one of the file
      exact = number(value());
    else if (option == "--pretend")  // needs no GPU; with 2 and more, calls that are wrong in some way
      pretends = static_cast<pretended>(number(value()));
    else if (!file.empty() || (option[0] == '-' && option != "-"))
      return false;
    else
      file = option;
    return true;
  });
  if (file.empty())
    return std::fprintf(stderr, "usage: oracle_arrays_test FILE [options]; - reads sequences from stdin\n"), 2;

  std::vector<sequence> all;
  std::vector<std::string> pairs;
  std::ifstream from(file);
  std::istream& lines = file == "-" ? std::cin : from;
  if (lines.peek() == std::istream::traits_type::eof())
    return std::fprintf(stderr, "nothing to read in %s\n", file.c_str()), 2;
  if (pretends == pretended::nothing) {
    tessera::device_info const gpu = tessera::find_device();
    if (!gpu.usable) return std::printf("skipped: needs a GPU: %s\n", gpu.reason), 77;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 1;
  }
  for (std::string line; std::getline(lines, line);) {
    bool const possible = devices > 1 || line.find("device 1") == std::string::npos;
    if (line.rfind("pair ", 0) == 0) {
      if (possible) pairs.push_back(line.substr(5));
    } else if (!line.empty()) {
      all.push_back(parsed(line));
    }
  }
  if (all.empty()) return std::fprintf(stderr, "no sequence in %s\n", file.c_str()), 2;

  statistics stats;
  auto const started = std::chrono::steady_clock::now();
  auto const spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); };
  std::signal(SIGALRM, report_hang);
  auto const wanted = [&] { return stats.failed < (given.stop ? 1u : 40u); };
  if (exact != 0) {
    program p = prepared(all.at(0), exact);
    (void)is_right(p, stats);
  } else {
    run_all(all, given.seed, stats, wanted);
    double const until = spent() + given.seconds;
    if (given.seconds > 0) std::printf("after %.0f s: fresh seed %llu\n", spent(), given.fresh);
    for (u64 round = 0; given.seconds > 0 && spent() < until && wanted() && !all.empty(); ++round)
      run_all(all, mixed(given.fresh, round), stats, [&] { return wanted() && spent() < until; });
  }

  unsigned missing = 0;
  for (std::string const& pair : pairs)
    if (stats.seen.count(pair) == 0 && ++missing <= 20 && given.want_pairs)
      std::printf("missing pair: %s\n", pair.c_str());
  std::printf("%llu checks, %zu sequences, %zu pairs of %zu\n", stats.checks, stats.sequences, pairs.size() - missing,
              pairs.size());
  return stats.failed != 0 || (given.want_pairs && missing != 0);
}

}  // namespace
}  // namespace oracle::arrays

int main(int argc, char** argv) {
  return oracle::arrays::main(argc, argv);
}
