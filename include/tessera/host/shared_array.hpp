// An array in the block's shared memory: its bytes, and the history of each element.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <tessera/host/run/access_history.hpp>
#include <tessera/host/run/request.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The signature of an array. All lanes of the block must declare the same one.
struct array_signature {
  const char* type;
  std::size_t bytes;  // the size of an element
  std::size_t align;
  std::size_t count;
  call_site site;

  friend bool operator==(const array_signature& a, const array_signature& b) {
    return a.bytes == b.bytes && a.align == b.align && a.count == b.count && detail::same_text(a.type, b.type) &&
           detail::same_place(a.site, b.site);
  }
};

inline std::string describe(const array_signature& signature) {
  return "shared<" + detail::readable_type(signature.type) + ">, " + std::to_string(signature.count) +
         " elements, at " + detail::describe(signature.site);
}

class shared_array {
 public:
  shared_array(const array_signature& signature, unsigned declared_by)
      : signature_(signature), declared_by_(declared_by), history_(signature.count) {
    data_ = ::operator new(size(), std::align_val_t(signature.align));
    std::memset(data_, 0xa5, size());  // a GPU doesn't clear its shared memory either
  }
  shared_array(const shared_array&) = delete;
  shared_array& operator=(const shared_array&) = delete;
  ~shared_array() { ::operator delete(data_, std::align_val_t(signature_.align)); }

  const array_signature& signature() const { return signature_; }
  unsigned declared_by() const { return declared_by_; }
  void* data() const { return data_; }
  access_history& history(std::size_t i) { return history_[i]; }

 private:
  std::size_t size() const { return signature_.bytes * (signature_.count == 0 ? 1 : signature_.count); }

  array_signature signature_;
  unsigned declared_by_;
  std::vector<access_history> history_;
  void* data_ = nullptr;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END
