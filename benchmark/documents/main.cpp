// documents measures the methods that documents on warp primitives and reductions teach, including the slow
// ones, and compares them with CUB, the library and the ceilings. (`primitives` measures the single
// instructions.)
#include "tasks.hpp"

int main(int argc, char** argv) {
  bench::pass_program p;
  p.name = "documents";
  p.purpose = "Measures the reductions and softmaxes that documents on warp primitives teach.";
  bench::add_reductions(p.tasks);
  bench::add_softmaxes(p.tasks);
  return bench::run(p, argc, argv);
}
