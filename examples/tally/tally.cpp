// tally FILE…: counts the lines, words and bytes of files, and the bytes of the longest line.
//
// A whole program in one file. It counts on the GPU, or on CPU lanes where it finds none or was compiled without CUDA:
//
//   nvcc -std=c++17 -Iinclude -x cu examples/tally/tally.cpp -o tally
//   g++ -std=c++17 -Iinclude examples/tally/tally.cpp -o tally
//
//   batch of the file   | slice of tile 0                   | slice of tile 1                   | …
//   slice               | part of lane 0 | part of lane 1 | … |
//
// Each lane counts a part of the text by itself. A word or a line may go on in the next part, so that the counts of two
// neighbors are joined by an operator that doesn't commute: first by a tile those of its lanes, then by the host those
// of slices and batches. To count something else, change `text`, `join` and `one`.
#include <tessera/core/tile.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// ---- What is counted

/// The counts of a piece of text, which suffice to join them with those of the next piece. text{} is the empty piece.
struct text {
  std::uint64_t bytes, lines, words;
  std::uint64_t longest;     // bytes of the longest line, be it cut off by an end of the piece or not
  std::uint64_t first_line;  // bytes before the first newline, or all bytes if there is none
  std::uint64_t last_line;   // bytes after the last newline, or all bytes if there is none
  bool starts_in_word, ends_in_word;
};

/// The counts of a followed by b.
struct join {
  TESSERA_FN text operator()(text const& a, text const& b) const {
    if (a.bytes == 0) return b;
    if (b.bytes == 0) return a;
    std::uint64_t const seam = a.last_line + b.first_line;  // the line that goes on from a to b
    text both;
    both.bytes = a.bytes + b.bytes;
    both.lines = a.lines + b.lines;
    both.words = a.words + b.words - (a.ends_in_word && b.starts_in_word ? 1 : 0);
    both.longest = a.longest < b.longest ? b.longest : a.longest;
    if (both.longest < seam) both.longest = seam;
    both.first_line = a.lines == 0 ? seam : a.first_line;
    both.last_line = b.lines == 0 ? seam : b.last_line;
    both.starts_in_word = a.starts_in_word;
    both.ends_in_word = b.ends_in_word;
    return both;
  }
};

/// The counts of one byte. Words are runs of bytes other than space, \t, \n, \v, \f and \r.
TESSERA_FN text one(unsigned char byte) {
  bool const newline = byte == '\n', in_word = byte != ' ' && (byte < '\t' || byte > '\r');
  std::uint64_t const in_line = newline ? 0 : 1;
  return {1, 1 - in_line, in_word ? 1u : 0u, in_line, in_line, in_line, in_word, in_word};
}

// ---- The kernel, whose body is the same for GPU and CPU lanes

constexpr unsigned part = 256, lanes = 32, threads = 128;  // part: the bytes of a lane
constexpr unsigned slice = lanes * part;
constexpr unsigned batch = 2048 * slice;  // bytes in memory at a time

template <class Block>
TESSERA_FN void count_slices(Block const& block, unsigned char const* bytes, unsigned n, text* counts) {
  auto const tile = tessera::tiled_partition<lanes>(block);
  unsigned const which = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
  unsigned const begin = which * slice + tile.thread_rank() * part;
  text mine{};
  for (unsigned i = begin; i < n && i < begin + part; ++i) mine = join{}(mine, one(bytes[i]));
  text const all = tessera::reduce(tile, mine, tessera::make_operator(join{}, text{}), tessera::to_leader);
  if (tile.thread_rank() == 0) counts[which] = all;
}

/// The blocks that count n bytes. A block counts a slice a tile; the last one counts empty slices, too.
constexpr unsigned blocks_for(unsigned n) {
  constexpr unsigned of_block = threads / lanes * slice;
  return (n + of_block - 1) / of_block;
}

// ---- Its launch

#if TESSERA_CUDA

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "tally: the GPU failed: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void __launch_bounds__(threads) count_on_gpu(unsigned char const* bytes, unsigned n, text* counts) {
  count_slices(cooperative_groups::this_thread_block(), bytes, n, counts);
}

/// Whether there is a GPU that this program has code for.
bool has_gpu() {
  cudaFuncAttributes found;
  static bool const usable = cudaFuncGetAttributes(&found, count_on_gpu) == cudaSuccess;
  return usable;
}

/// An array in the GPU's memory for as long as the program runs.
template <class T>
T* gpu_array(std::size_t n) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, n * sizeof(T)));
  return static_cast<T*>(memory);
}

void launch_on_gpu(std::vector<unsigned char> const& bytes, unsigned n, std::vector<text>& counts) {
  static auto* const gpu_bytes = gpu_array<unsigned char>(batch);
  static auto* const gpu_counts = gpu_array<text>(batch / slice);
  check(cudaMemcpy(gpu_bytes, bytes.data(), n, cudaMemcpyHostToDevice));
  count_on_gpu<<<blocks_for(n), threads>>>(gpu_bytes, n, gpu_counts);
  check(cudaGetLastError());
  check(cudaMemcpy(counts.data(), gpu_counts, counts.size() * sizeof(text), cudaMemcpyDeviceToHost));
}

#else

bool has_gpu() {
  return false;
}

#endif

text count(std::vector<unsigned char> const& bytes, unsigned n) {
  std::vector<text> counts(blocks_for(n) * (threads / lanes));
#if TESSERA_CUDA
  if (has_gpu()) launch_on_gpu(bytes, n, counts);
#endif
  if (!has_gpu()) {
    tessera::host::launch_grid(blocks_for(n), threads, [&](tessera::host::block const& block) {
      count_slices(block, bytes.data(), n, counts.data());
    });
  }
  text all{};
  for (text const& next : counts) all = join{}(all, next);
  return all;
}

// ---- Files

/// Prints the counts of a file, or why it can't be read. `-` is standard input.
bool tally(char const* name) {
  static std::vector<unsigned char> bytes(batch);
  std::FILE* const file = std::strcmp(name, "-") == 0 ? stdin : std::fopen(name, "rb");
  text all{};
  bool ok = file != nullptr;
  while (ok) {
    std::size_t const n = std::fread(bytes.data(), 1, batch, file);
    ok = std::ferror(file) == 0;
    if (n == 0) break;
    all = join{}(all, count(bytes, static_cast<unsigned>(n)));
  }
  if (!ok) std::fprintf(stderr, "tally: %s: %s\n", name, std::strerror(errno));
  if (file != nullptr && file != stdin) std::fclose(file);
  auto const print = [](std::uint64_t number) { std::printf("%llu ", static_cast<unsigned long long>(number)); };
  if (ok) {
    for (std::uint64_t number : {all.lines, all.words, all.bytes, all.longest}) print(number);
    std::printf("%s\n", name);
  }
  return ok;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: tally FILE…\nprints of each file: lines, words, bytes, bytes of the longest line, name\n");
    return 2;
  }
  std::fprintf(stderr, "counting on %s\n", has_gpu() ? "the GPU" : "CPU lanes");
  bool ok = true;
  for (int i = 1; i < argc; ++i) ok = tally(argv[i]) && ok;
  return ok && std::fflush(stdout) == 0 ? 0 : 1;
}
