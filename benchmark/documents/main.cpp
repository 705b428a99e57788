// documents: the methods whose figures the documents on warp primitives and reductions give, the slow ones too, on the GPU at
// hand, beside CUB, the library and the memory's ceilings. (What one primitive takes: `primitives`.)
#include "tasks.hpp"

int main(int argc, char** argv) {
  bench::pass_program p;
  p.name = "documents";
  p.purpose = "Times the reductions and softmaxes of the documents on warp primitives.";
  bench::add_reductions(p.tasks);
  bench::add_softmaxes(p.tasks);
  return bench::run(p, argc, argv);
}
