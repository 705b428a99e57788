// tile_queue measures how fast every warp keeps the greatest values of a stream by tessera::top_k_queue, compared with reading it.
#include "streams.hpp"

int main(int argc, char** argv) {
  bench::pass_program p;
  p.name = "tile_queue";
  p.purpose = "Measures streams of random floats of which each warp keeps the K greatest.";
  bench::add_streams(p.tasks);
  for (char const* k : {"K = 8", "K = 32"})
    p.targets.push_back({"greatest of 2^16 floats a warp", k, 0.8, "reading alone", "tessera top_k_queue"});
  return bench::run(p, argc, argv);
}
