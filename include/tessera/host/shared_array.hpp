// One array of a block's shared memory: its bytes, and the history of each element.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <tessera/host/access_history.hpp>
#include <tessera/host/request.hpp>
#include <vector>

namespace tessera::host::detail {

/// What all lanes of the block must declare alike.
struct array_form {
  const char* type;
  std::size_t bytes;  // of an element
  std::size_t align;
  std::size_t count;
  call_site site;

  friend bool operator==(const array_form& a, const array_form& b) {
    return a.bytes == b.bytes && a.align == b.align && a.count == b.count && same_text(a.type, b.type) &&
           same_place(a.site, b.site);
  }
};

inline std::string describe(const array_form& form) {
  return "shared<" + readable_type(form.type) + ">, " + std::to_string(form.count) + " elements, at " +
         describe(form.site);
}

class shared_array {
 public:
  shared_array(const array_form& form, unsigned declared_by)
      : form_(form), declared_by_(declared_by), history_(form.count) {
    data_ = ::operator new(size(), std::align_val_t(form.align));
    std::memset(data_, 0xa5, size());  // a GPU's shared memory isn't zero either
  }
  shared_array(const shared_array&) = delete;
  shared_array& operator=(const shared_array&) = delete;
  ~shared_array() { ::operator delete(data_, std::align_val_t(form_.align)); }

  const array_form& form() const { return form_; }
  unsigned declared_by() const { return declared_by_; }
  void* data() const { return data_; }
  access_history& history(std::size_t i) { return history_[i]; }

 private:
  std::size_t size() const { return form_.bytes * (form_.count == 0 ? 1 : form_.count); }

  array_form form_;
  unsigned declared_by_;
  std::vector<access_history> history_;
  void* data_ = nullptr;
};

}  // namespace tessera::host::detail
