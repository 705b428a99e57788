// Runs plain kernels (see plain.hpp) on CPU lanes and, from modules, on the GPU, and compares all bits that they store.
//
//   plain_kernels                      on CPU lanes alone
//   plain_kernels FOLDER/kernels_000.cubin …   the kernels of these modules, which may be cubins, fatbins or PTX of any compiler
//   --seed N      what the kernels' inputs are drawn from
//   --draws N     how many times: three if it isn't given
//   --only NAME   one kernel
//
// Prints what differs, and for each module how many kernels ran. Exits with 0 if all bits are equal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <tessera/host/launch.hpp>

#include "driver.hpp"
#include "plain.hpp"

namespace plain {

std::vector<module>& modules() {
  static std::vector<module> all;
  return all;
}

namespace {

constexpr unsigned char poison = 0xcd;

/// Memory that both sides have.
class buffer {
 public:
  void begin(std::size_t bytes) {
    bytes_ = (bytes + 255) / 256 * 256 + 256;
    memory_.reset(static_cast<unsigned char*>(std::aligned_alloc(256, bytes_)), std::free);
    std::fill_n(memory_.get(), bytes_, poison);
  }
  unsigned char* get() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<unsigned char> memory_;
  std::size_t bytes_ = 0;
};

struct buffers {
  buffer values, cells, memory;
};

/// A seed whose floats are no NaNs and no infinities, and whose integers aren't the same in all lanes: compilers may give a NaN any
/// payload, and of −0 and +0 a minimum either. `sampler` draws those of these profiles so.
unsigned long long seed_for(arguments a, kernel const& k, unsigned long long wanted) {
  for (a.seed = oracle::mixed(wanted);; ++a.seed) {
    oracle::draws const at = inputs::draws_of(a, k.size);
    bool usual = true;
    for (unsigned what = 1; what < 7 && usual; ++what) {
      unsigned const profile = at.below(4 * what + 101, 8);
      usual = (profile == 0 || profile > 4) && at.below(4 * what + 100, 16) != 0;
    }
    if (usual) return a.seed;
  }
}

arguments arguments_for(kernel const& k, unsigned long long seed, buffers& on_host) {
  arguments a{};
  a.threads = k.threads;
  a.slot_bytes = k.threads * most_bytes;
  a.memory_bytes = k.memory_bytes;
  a.rounds = most_rounds;
  a.seed = seed_for(a, k, seed);
  on_host.values.begin(std::size_t{all_slots} * a.slot_bytes);
  on_host.cells.begin(std::size_t{most_rounds} * k.threads * cell_bytes);
  on_host.memory.begin(std::size_t{k.threads} * k.memory_bytes);
  a.values = on_host.values.get();
  a.cells = on_host.cells.get();
  a.memory = on_host.memory.get();
  if (k.prepare != nullptr) {
    for (unsigned thread = 0; thread < k.threads; thread += k.size)
      k.prepare(inputs::draws_of(a, k.size), a.memory + thread * k.memory_bytes);
  }
  return a;
}

void run_on_cpu(kernel const& k, arguments& a) {
  tessera::host::launch_grid(1, k.threads, tessera::host::options{},
                             [&](tessera::host::block block) { k.run(a, block); });
}

/// Runs the kernel on the GPU, with the arguments that CPU lanes have left, and brings back what it has written.
void run_on_gpu(driver& gpu, kernel const& k, arguments a, buffers const& at_start, buffers& result) {
  driver::pointer const values = gpu.allocate(at_start.values.bytes()), cells = gpu.allocate(at_start.cells.bytes()),
                        memory = gpu.allocate(at_start.memory.bytes());
  gpu.to_gpu(values, at_start.values.get(), at_start.values.bytes());
  gpu.to_gpu(cells, at_start.cells.get(), at_start.cells.bytes());
  gpu.to_gpu(memory, at_start.memory.get(), at_start.memory.bytes());
  a.values = reinterpret_cast<unsigned char*>(values);
  a.cells = reinterpret_cast<unsigned char*>(cells);
  a.memory = reinterpret_cast<unsigned char*>(memory);
  gpu.launch(k.name, k.threads, &a);
  gpu.to_host(result.cells.get(), cells, result.cells.bytes());
  gpu.to_host(result.memory.get(), memory, result.memory.bytes());
  for (driver::pointer p : {values, cells, memory}) gpu.free(p);
}

std::string hex(unsigned char const* from, unsigned bytes) {
  std::string text;
  char two[4];
  for (unsigned i = 0; i < bytes; ++i) {
    std::snprintf(two, sizeof two, i % 4 == 0 && i != 0 ? " %02x" : "%02x", from[i]);
    text += two;
  }
  return text;
}

/// The first difference, or an empty text.
std::string difference(kernel const& k, buffers const& cpu, buffers const& gpu) {
  unsigned const cells = most_rounds * k.threads;
  for (unsigned i = 0; i < cells; ++i) {
    unsigned char const *const expected = cpu.cells.get() + i * cell_bytes, *const got =
                                                                                gpu.cells.get() + i * cell_bytes;
    if (std::memcmp(expected, got, cell_bytes) == 0) continue;
    unsigned const from =
        static_cast<unsigned>(std::mismatch(expected, expected + cell_bytes, got).first - expected) / 16 * 16;
    return "round " + std::to_string(i / k.threads) + ", thread " + std::to_string(i % k.threads) + ", byte " +
           std::to_string(from) + ": GPU " + hex(got + from, 16) + ", CPU " + hex(expected + from, 16);
  }
  unsigned const tile = k.size * k.memory_bytes;
  for (unsigned i = 0; i < k.threads * k.memory_bytes; ++i) {
    if (k.has_buffer && i % tile >= tile / 2) continue;
    if (cpu.memory.get()[i] == gpu.memory.get()[i]) continue;
    return "memory of tile " + std::to_string(i / tile) + ", byte " + std::to_string(i % tile) + ": GPU " +
           hex(gpu.memory.get() + i, 4) + ", CPU " + hex(cpu.memory.get() + i, 4);
  }
  return "";
}

bool nothing_stored(buffers const& cpu) {
  auto const is_poison = [](unsigned char byte) { return byte == poison; };
  return std::all_of(cpu.cells.get(), cpu.cells.get() + cpu.cells.bytes(), is_poison) &&
         std::all_of(cpu.memory.get(), cpu.memory.get() + cpu.memory.bytes(), is_poison);
}

buffers copy_of(buffers const& from) {
  buffers to;
  to.cells.begin(from.cells.bytes() - 256);
  to.memory.begin(from.memory.bytes() - 256);
  std::copy_n(from.cells.get(), from.cells.bytes(), to.cells.get());
  std::copy_n(from.memory.get(), from.memory.bytes(), to.memory.get());
  to.values = from.values;
  return to;
}

/// Runs one kernel; what is wrong, or an empty text. Notes whether it stored anything.
std::string run(kernel const& k, unsigned long long seed, driver* gpu, bool& stored) {
  buffers on_host;
  arguments a = arguments_for(k, seed, on_host);
  buffers const at_start = copy_of(on_host);
  try {
    run_on_cpu(k, a);
  } catch (std::exception const& error) {
    return std::string("on CPU lanes: ") + error.what();
  }
  stored = stored || !nothing_stored(on_host);
  if (gpu == nullptr) return "";
  buffers result = copy_of(at_start);
  try {
    run_on_gpu(*gpu, k, a, at_start, result);
  } catch (std::exception const& error) {
    gpu->begin_again();
    return error.what();
  }
  return difference(k, on_host, result);
}

/// Runs the kernels of a module; how many of them are wrong.
unsigned run_module(module const& m, unsigned long long seed, unsigned draws, std::string const& only, driver* gpu) {
  unsigned ran = 0, wrong = 0;
  for (kernel const& k : m.kernels) {
    if (!only.empty() && only != k.name) continue;
    ++ran;
    std::string what;
    bool stored = false;
    unsigned long long const own_seed = oracle::mixed(seed, std::strtoull(k.name + 1, nullptr, 10));
    // More where nothing was stored: no element, or no lane, was drawn.
    for (unsigned draw = 0; what.empty() && (draw < draws || (!stored && draw < draws + 20)); ++draw)
      what = run(k, own_seed + draw, gpu, stored);
    if (what.empty() && !stored) what = "nothing is ever stored";
    if (what.empty()) continue;
    ++wrong;
    std::printf("WRONG %s of %s, %u threads: %s\n%s\n", k.name, m.name, k.threads, what.c_str(), k.text);
  }
  std::printf("%s: %u kernels %s, %u wrong\n", m.name, ran, gpu == nullptr ? "on CPU lanes alone" : "on both", wrong);
  return wrong;
}

std::string stem(std::string const& path) {
  std::string const file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.find('.'));
}

}  // namespace

int main(int count, char** words) {
  unsigned long long seed = 1;
  unsigned draws = 3;
  std::string only;
  std::vector<std::string> files;
  for (int i = 1; i < count; ++i) {
    std::string const word = words[i];
    if (word == "--seed" && i + 1 < count) {
      seed = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--draws" && i + 1 < count) {
      draws = static_cast<unsigned>(std::strtoul(words[++i], nullptr, 10));
    } else if (word == "--only" && i + 1 < count) {
      only = words[++i];
    } else {
      files.push_back(word);
    }
  }
  unsigned wrong = 0;
  if (files.empty()) {
    for (module const& m : modules()) wrong += run_module(m, seed, draws, only, nullptr);
    return wrong != 0;
  }
  driver gpu;
  if (!gpu.works()) {
    std::puts("there is no GPU");
    return 77;
  }
  for (std::string const& file : files) {
    auto const& all = modules();
    auto const m = std::find_if(all.begin(), all.end(), [&](module const& one) { return one.name == stem(file); });
    if (m == all.end()) {
      std::printf("%s is none of this program's modules\n", file.c_str());
      return 2;
    }
    gpu.load(file);
    wrong += run_module(*m, seed, draws, only, &gpu);
  }
  return wrong != 0;
}

}  // namespace plain

int main(int count, char** words) {
  return plain::main(count, words);
}
