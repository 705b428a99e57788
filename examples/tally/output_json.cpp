#include <iostream>
#include <nlohmann/json.hpp>

#include "output.hpp"

namespace tally {

namespace {

using object = nlohmann::ordered_json;

/// Bytes of a file name that aren't UTF-8 are replaced.
std::string dump(object const& o) {
  return o.dump(-1, ' ', false, object::error_handler_t::replace);
}

/// Writes each file's object as soon as the file is counted, so that memory doesn't depend on the number of
/// files.
class json_object : public output {
 public:
  explicit json_object(bool several_files) : several_files_(several_files) {}

  void begin(backend const& where) override {
    object head = {{"backend", where.name}};
    if (!where.device.empty()) head["device"] = where.device;
    std::string text = dump(head);
    text.pop_back();  // removes the closing brace, which end() prints
    std::cout << text << (several_files_ ? ",\"files\":[" : "");
  }
  void counted(std::string const& name, file_count const& count) override {
    object top = object::array();
    for (byte_count const& b : most_frequent(count))
      top.push_back(object{{"byte", hex(b.byte)}, {"count", b.count}});
    add({{"file", name},
         {"bytes", count.seen.bytes},
         {"lines", count.seen.lines},
         {"words", count.seen.words},
         {"longest", count.seen.longest},
         {"top", top},
         {"histogram", count.bytes}});
  }
  void failed(std::string const& name, std::string const& why) override {
    add({{"file", name}, {"error", why}});
  }
  void end() override { std::cout << (several_files_ ? "\n]}" : "}") << std::endl; }

 private:
  void add(object const& file) {
    if (several_files_) {
      std::cout << (first_ ? "\n" : ",\n") << dump(file) << std::flush;
    } else {
      std::string const text = dump(file);
      std::cout << ',' << text.substr(1, text.size() - 2);
    }
    first_ = false;
  }

  bool several_files_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<output> json_output(bool several_files) {
  return std::make_unique<json_object>(several_files);
}

}  // namespace tally
