// One rank of several GPUs, for calls on arrays of which each has a part: they are in <tessera/grid/sharded.cuh>, and
// in the headers that it names.
//
//   tessera::grid::communicator ranks(comm);                      // an ncclComm_t of yours
//   tessera::grid::shard const part = ranks.shard_of(total);      // what this rank holds: part.begin, part.count
//   error = tessera::grid::reduce(ranks, in, part, sum, tessera::plus{}, {stream, memory});
//
// NCCL moves the bytes. The compiler must find nccl.h of version 2.27 or later, and you link the library: with Meson,
// dependency('tessera-nccl') brings both.
//
// Who calls   One process a GPU, or one process with a thread a GPU. All ranks make the same calls in the same order,
//             as with NCCL, with their own shards of one array. Not between ncclGroupStart and ncclGroupEnd: a call's
//             kernels depend on what NCCL has moved.
// Streams     Calls run in stream order and don't block the CPU; only the sorts of sharded_sort.cuh wait for the stream
//             once. A communicator serves one stream at a time: all calls share its 64 KiB for exchanges.
// Graphs      Calls can be captured where NCCL's can, except those sorts.
// Errors      A call returns what it finds out when it is made: invalid arguments, an error of CUDA's, or an error that
//             NCCL has had since, also on another rank, if NCCL knows of it: status() then says which. The other ranks
//             can't know of an error of this one, and wait: call abort() on all of them, or end their processes.
// NVLink      Up to 128 ranks that are all in one NVLink domain, each with a GPU of its own, exchange up to 2 KiB each
//             by themselves, but in top_k, histograms and calls on rows, if NCCL is 2.29.2 or later when the program is
//             compiled and run, and the ncclComm_t blocks: one kernel writes them into the memory of all, waits and
//             combines. That memory, some KiB, is registered with NCCL when the communicator is made. Elsewhere, and
//             with exchange::nccl, NCCL moves these bytes, too.
#pragma once

#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded/kept_memory.hpp>
#include <tessera/grid/sharded/push_agent.hpp>
#include <tessera/grid/sharded/swapped_piece.hpp>
#include <tessera/grid/workspace.hpp>

#if !__has_include(<nccl.h>)
#error \
    "<tessera/grid/sharded.hpp> needs NCCL 2.27 or later, and the compiler finds no nccl.h: install NCCL, as by \
`pip install nvidia-nccl-cu13`, and add its folder `include` (-I)."
#endif
#include <cuda_runtime_api.h>
#include <nccl.h>
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 27, 0)
#error "<tessera/grid/sharded.hpp> needs NCCL 2.27 or later."
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 29, 2)
#define TESSERA_NCCL_WINDOWS 1  // the CPU can ask for the addresses of other ranks' memory
#include <nccl_device.h>
#else
#define TESSERA_NCCL_WINDOWS 0
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {
struct communicator_access;
}

/// The ways in which ranks exchange few bytes.
enum class exchange {
  nccl,    ///< an all-gather of NCCL's
  nvlink,  ///< the kernel that combines them, where it can: see above
};

/// One rank of an ncclComm_t, which stays yours: destroy it after this object. Not to be used by two threads at once.
class communicator {
 public:
  /// All ranks construct it together, each with its device current: the constructor may wait for the others. If NCCL
  /// refuses `comm`, count() is 0, and status() says why. If memory runs out, count() is 0, too.
  explicit communicator(ncclComm_t comm, exchange by = exchange::nvlink) noexcept : comm_(comm) {
    note(ncclCommUserRank(comm, &index_));
    int count = 0;
    note(ncclCommCount(comm, &count));
    count_ = status_ == ncclSuccess ? count : 0;
    void* memory = nullptr;
    if (cudaMalloc(&memory, kept_bytes) == cudaSuccess) {
      kept_ = detail::kept_memory(memory, kept_bytes);
    } else {
      count_ = 0;
    }
    if (count_ > 1 && by == exchange::nvlink) open_window();
  }
  /// Waits for the calls' kernels.
  ~communicator() {
    close_window();
    (void)cudaFree(kept_.base());
  }
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;

  /// This rank, and how many there are.
  int index() const noexcept { return index_; }
  int count() const noexcept { return count_; }
  /// Null after abort().
  ncclComm_t get() const noexcept { return comm_; }
  /// This rank's shard of an array of `total` elements that is cut evenly: see shard_of of shard.hpp.
  shard shard_of(std::int64_t total) const noexcept { return grid::shard_of(total, index_, count_ > 0 ? count_ : 1); }

  /// NCCL's last error; ncclSuccess if it has had none.
  ncclResult_t status() const noexcept { return status_; }
  /// cudaSuccess if NCCL has had no error yet, on this rank or, where it knows, on another one. Every call asks this
  /// first.
  cudaError_t async_error() noexcept {
    if (comm_ == nullptr || count_ == 0) return cudaErrorNotPermitted;
    ncclResult_t asynchronous = ncclSuccess;
    cudaError_t const error = take(ncclCommGetAsyncError(comm_, &asynchronous));
    return error == cudaSuccess && asynchronous != ncclInProgress ? take(asynchronous) : error;
  }
  /// Ends what NCCL has begun, on the GPU, too, so that streams of this rank go on, with results that are undefined.
  /// Destroys the ncclComm_t. Calls return cudaErrorNotPermitted from now on.
  cudaError_t abort() noexcept {
    if (comm_ == nullptr) return cudaSuccess;
    if (aborted_ != nullptr) *static_cast<std::uint32_t volatile*>(aborted_) = 1;
    ncclComm_t const comm = comm_;
    comm_ = nullptr;
    return take(ncclCommAbort(comm));
  }

  /// True if ranks exchange a few bytes by themselves, within their NVLink domain.
  bool has_links() const noexcept { return links_.window != nullptr; }

 private:
  friend struct detail::communicator_access;

  /// Each rank's `bytes` bytes at all + index() · bytes are copied to all ranks, in the order of `stream`.
  cudaError_t gather(void* all, std::size_t bytes, cudaStream_t stream) noexcept {
    if (count_ == 1) return cudaSuccess;
    char* const own = static_cast<char*>(all) + static_cast<std::size_t>(index_) * bytes;
    return take(ncclAllGather(own, all, bytes, ncclInt8, comm_, stream));
  }
  /// counts[i] becomes the sum of all ranks' counts[i].
  cudaError_t add_counts(std::uint64_t* counts, std::int64_t n, cudaStream_t stream) noexcept {
    if (count_ == 1 || n == 0) return cudaSuccess;
    return take(ncclAllReduce(counts, counts, static_cast<std::size_t>(n), ncclUint64, ncclSum, comm_, stream));
  }

  /// Exchanges pieces with other ranks, in the order of `stream`.
  cudaError_t swap(detail::swapped_piece const* pieces, std::size_t count, cudaStream_t stream) noexcept {
    ncclResult_t result = ncclGroupStart();
    for (std::size_t i = 0; result == ncclSuccess && i < count; ++i) {
      detail::swapped_piece const& piece = pieces[i];
      if (piece.sent > 0) result = ncclSend(piece.from, piece.sent, ncclInt8, piece.peer, comm_, stream);
      if (result == ncclSuccess && piece.got > 0)
        result = ncclRecv(piece.to, piece.got, ncclInt8, piece.peer, comm_, stream);
    }
    ncclResult_t const ended = ncclGroupEnd();
    return take(result == ncclSuccess || result == ncclInProgress ? ended : result);
  }
  detail::push_links links() const noexcept { return links_; }
  /// Memory for sorts, which grows, and is freed with this object: the stream of the last sort must exist until then.
  workspace& scratch() noexcept { return scratch_; }
  /// Memory for what calls exchange.
  detail::kept_memory& kept() noexcept { return kept_; }

  static constexpr std::size_t kept_bytes = std::size_t{1} << 16;

  /// Makes the memory in which other ranks write. All ranks have it, or none. Ranks that share a GPU mustn't wait for
  /// the whole device here, on which others wait for them.
  void open_window() noexcept {
#if TESSERA_NCCL_WINDOWS
    std::size_t const bytes = (detail::push_layout::bytes(count_) + 4095) / 4096 * 4096;
    cudaStream_t stream = nullptr;
    unsigned char* peers[detail::push_layout::most_ranks];
    bool is_open =
        count_ <= detail::push_layout::most_ranks &&
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
        cudaHostAlloc(&aborted_, sizeof(std::uint32_t), cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess;
    // After the first question, it is known whether NCCL's calls block.
    is_open = all_have(is_open, stream) && all_have(blocks_, stream) && all_have(have_own_gpus(stream), stream) &&
              all_have(is_in_one_domain() && ncclMemAlloc(&memory_, bytes) == ncclSuccess &&
                           cudaMemsetAsync(memory_, 0, bytes, stream) == cudaSuccess,
                       stream) &&
              take(ncclCommWindowRegister(comm_, memory_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC)) == cudaSuccess &&
              window_ != nullptr;
    for (int peer = 0; is_open && peer < count_; ++peer) {
      void* address = nullptr;
      is_open = ncclGetLsaDevicePointer(window_, 0, peer, &address) == ncclSuccess && address != nullptr;
      peers[peer] = static_cast<unsigned char*>(address);
    }
    unsigned char* const own = static_cast<unsigned char*>(memory_);
    if (is_open) {
      *static_cast<std::uint32_t*>(aborted_) = 0;
      is_open =
          cudaMemcpyAsync(own + detail::push_layout::addresses, peers, sizeof(void*) * static_cast<std::size_t>(count_),
                          cudaMemcpyHostToDevice, stream) == cudaSuccess;
    }
    if (all_have(is_open, stream)) {
      links_ = {own, static_cast<std::uint32_t const*>(aborted_), index_, count_};
    } else {
      close_window();
    }
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
#endif
  }
  void close_window() noexcept {
#if TESSERA_NCCL_WINDOWS
    links_ = {};
    if (window_ != nullptr && comm_ != nullptr) {
      (void)cudaDeviceSynchronize();
      (void)take(ncclCommWindowDeregister(comm_, window_));
    }
    if (memory_ != nullptr) note(ncclMemFree(memory_));
    window_ = nullptr;
    memory_ = nullptr;
#endif
    if (aborted_ != nullptr) (void)cudaFreeHost(aborted_);
    aborted_ = nullptr;
  }
#if TESSERA_NCCL_WINDOWS
  bool is_in_one_domain() const noexcept {
    int version = 0;
    ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
    return ncclGetVersion(&version) == ncclSuccess && version >= NCCL_VERSION(2, 29, 2) &&
           ncclCommQueryProperties(comm_, &properties) == ncclSuccess && properties.deviceApiSupport &&
           ncclTeamLsa(comm_).nRanks == count_;
  }
  /// True if each rank has a GPU of its own. A kernel mustn't wait for one that may come after it on the same GPU.
  bool have_own_gpus(cudaStream_t stream) noexcept {
    int device = 0;
    cudaDeviceProp properties;
    constexpr std::size_t size = sizeof(properties.uuid);
    char ids[detail::push_layout::most_ranks * size];
    char *const all = static_cast<char*>(kept_.base()), *const own = all + static_cast<std::size_t>(index_) * size;
    bool const known =
        cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    if (!all_have(known, stream) ||
        cudaMemcpyAsync(own, &properties.uuid, size, cudaMemcpyHostToDevice, stream) != cudaSuccess ||
        take(ncclAllGather(own, all, size, ncclInt8, comm_, stream)) != cudaSuccess ||
        cudaMemcpyAsync(ids, all, static_cast<std::size_t>(count_) * size, cudaMemcpyDeviceToHost, stream) !=
            cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
      return false;
    for (int a = 0; a < count_; ++a)
      for (int b = 0; b < a; ++b)
        if (std::memcmp(ids + static_cast<std::size_t>(a) * size, ids + static_cast<std::size_t>(b) * size, size) == 0)
          return false;
    return true;
  }
  /// True if `has` is true on all ranks, which ask together.
  bool all_have(bool has, cudaStream_t stream) noexcept {
    std::uint32_t count = has ? 0 : 1;
    void* const sum = kept_.base();
    bool const known = cudaMemcpyAsync(sum, &count, sizeof(count), cudaMemcpyHostToDevice, stream) == cudaSuccess &&
                       take(ncclAllReduce(sum, sum, 1, ncclUint32, ncclSum, comm_, stream)) == cudaSuccess &&
                       cudaMemcpyAsync(&count, sum, sizeof(count), cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
                       cudaStreamSynchronize(stream) == cudaSuccess;
    return known && count == 0;
  }
#endif

  void note(ncclResult_t result) noexcept {
    if (result != ncclSuccess && result != ncclInProgress) status_ = result;
  }
  /// The result of a call of NCCL's as an error of CUDA's. If the ncclComm_t doesn't block, the call is waited for.
  cudaError_t take(ncclResult_t result) noexcept {
    if (result == ncclInProgress) blocks_ = false;
    while (result == ncclInProgress && comm_ != nullptr) {
      ncclResult_t state = ncclSuccess;
      result = ncclCommGetAsyncError(comm_, &state);
      if (result == ncclSuccess) result = state;
    }
    note(result);
    switch (result) {
      case ncclSuccess:
        return cudaSuccess;
      case ncclInvalidArgument:
        return cudaErrorInvalidValue;
      case ncclInvalidUsage:
        return cudaErrorNotPermitted;
      case ncclSystemError:
        return cudaErrorOperatingSystem;
      case ncclRemoteError:
        return cudaErrorSystemNotReady;
      default:
        return cudaErrorUnknown;
    }
  }

  ncclComm_t comm_;
  int index_ = 0;
  int count_ = 0;
  ncclResult_t status_ = ncclSuccess;
  bool blocks_ = true;  // until a call of NCCL's has returned before it was done
  workspace scratch_;
  detail::kept_memory kept_;
  detail::push_links links_;
  void* memory_ = nullptr;   // which other ranks write
  void* aborted_ = nullptr;  // of the CPU, read by kernels that wait
#if TESSERA_NCCL_WINDOWS
  ncclWindow_t window_ = nullptr;
#endif
};

}  // namespace grid
TESSERA_NAMESPACE_END
