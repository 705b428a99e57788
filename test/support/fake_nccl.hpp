// An NCCL of several ranks of which this program is one, whose calls fail as they are told and move nothing. Included by
// one file of a program: its functions take the place of the library's.
#pragma once

#include <nccl.h>

#include <cstddef>

struct fake_nccl {
  int calls = 0, failing = 0;  // the call with this number fails, from 1 on
  bool has_failed = false;
  ncclResult_t failure = ncclInternalError;
  ncclResult_t asynchronous = ncclSuccess;  // what ncclCommGetAsyncError tells
  int open_groups = 0;

  ncclResult_t call() {
    if (++calls != failing) return ncclSuccess;
    has_failed = true;
    return failure;
  }
};
inline fake_nccl nccl;
constexpr int fake_ranks = 2;

extern "C" {
ncclResult_t ncclCommUserRank(ncclComm_t const, int* rank) {
  *rank = 1;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t const, int* count) {
  *count = fake_ranks;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = nccl.asynchronous;
  return nccl.call();
}
ncclResult_t ncclCommAbort(ncclComm_t) {
  return nccl.call();
}
ncclResult_t ncclAllGather(void const*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t) {
  return nccl.call();
}
ncclResult_t ncclAllReduce(void const*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) {
  return nccl.call();
}
ncclResult_t ncclSend(void const*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return nccl.call();
}
ncclResult_t ncclRecv(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return nccl.call();
}
ncclResult_t ncclGroupStart() {
  ++nccl.open_groups;
  return nccl.call();
}
ncclResult_t ncclGroupEnd() {
  --nccl.open_groups;
  return nccl.call();
}
}
