// Every call of the static library in as many bytes of the caller's memory as scratch_bytes says.
#include "gpu.hpp"
#include "scratch_calls.hpp"
#include "scratch_on_gpu.hpp"

namespace {

TEST(GridScratchBytes, SufficeForEachCallOfTheLibrary) {
  SKIP_WITHOUT_GPU();
  scratch::check_all_scratch(scratch::library_calls);
}

}  // namespace
