// The launches of host_backend. Only this file compiles the engine.
#include "backend.hpp"

#include <tessera/host/launch.hpp>

namespace test {

template <unsigned N>
void run_on_host(unsigned lanes, void (*body)(tessera::host::tile<N>, unsigned lane, void* context), void* context) {
  constexpr unsigned threads = block_lanes_of(N);
  tessera::host::launch_grid(lanes / threads, threads, [&](tessera::host::block block) {
    unsigned const lane = block.group_index().x * threads + block.thread_rank();
    body(tessera::host::tiled_partition<N>(block), lane, context);
  });
}

void run_block_on_host(tessera::host::dim3 threads, void (*body)(tessera::host::block, void* context), void* context) {
  tessera::host::launch_block(threads, [&](tessera::host::block block) { body(block, context); });
}

template void run_on_host<1>(unsigned, void (*)(tessera::host::tile<1>, unsigned, void*), void*);
template void run_on_host<2>(unsigned, void (*)(tessera::host::tile<2>, unsigned, void*), void*);
template void run_on_host<4>(unsigned, void (*)(tessera::host::tile<4>, unsigned, void*), void*);
template void run_on_host<8>(unsigned, void (*)(tessera::host::tile<8>, unsigned, void*), void*);
template void run_on_host<16>(unsigned, void (*)(tessera::host::tile<16>, unsigned, void*), void*);
template void run_on_host<32>(unsigned, void (*)(tessera::host::tile<32>, unsigned, void*), void*);
template void run_on_host<64>(unsigned, void (*)(tessera::host::tile<64>, unsigned, void*), void*);
template void run_on_host<128>(unsigned, void (*)(tessera::host::tile<128>, unsigned, void*), void*);
template void run_on_host<256>(unsigned, void (*)(tessera::host::tile<256>, unsigned, void*), void*);
template void run_on_host<512>(unsigned, void (*)(tessera::host::tile<512>, unsigned, void*), void*);
template void run_on_host<1024>(unsigned, void (*)(tessera::host::tile<1024>, unsigned, void*), void*);

}  // namespace test
