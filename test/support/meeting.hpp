#pragma once

#include <pthread.h>

namespace test {

/// Where so many threads wait for each other, as often as they like.
class meeting {
 public:
  explicit meeting(int threads) { pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)); }
  meeting(meeting const&) = delete;
  meeting& operator=(meeting const&) = delete;
  ~meeting() { pthread_barrier_destroy(&barrier_); }

  void wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_;
};

}  // namespace test
