// tally counts bytes, lines and words of files, on the GPU or on host tiles.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <tessera/device.hpp>
#include <vector>

#include "output.hpp"
#include "progress.hpp"
#include "tally.hpp"

namespace {

enum exit_status { all_done = 0, some_failed = 1, cannot_begin = 2, broke_down = 3 };

char const* const about = R"(Counts bytes, lines and words of files.

It prints one `key value` pair a line, or one JSON object:
  backend  gpu NAME, or cpu
  file     the file's name, if there are several
  bytes
  lines    newlines
  words    runs of bytes that are none of space, \t, \n, \v, \f and \r
  longest  bytes of the longest line, without its newline
  top      the eight most frequent bytes as 0xHH:count, ties by lower
           byte; fewer if fewer occur, none for an empty file)";

char const* const exits = R"(Exit status:
  0  all files were counted
  1  a file could not be read (the others were counted), or the output
     could not be written
  2  the options are wrong, or --gpu was given and no GPU can be used
  3  the GPU failed)";

struct arguments {
  std::vector<std::string> files;
  bool histogram = false;
  bool json = false;
  bool gpu = false;
  bool cpu = false;
};

void declare(CLI::App& app, arguments& to) {
  app.footer(exits);
  app.add_option("FILE", to.files, "Files to count; - is standard input")->required();
  app.add_flag("--histogram", to.histogram, "Also print the number of bytes of each of the 256 values");
  app.add_flag("--json", to.json, "Print everything, with the histogram, as one JSON object");
  auto* const gpu = app.add_flag("--gpu", to.gpu, "Count on the GPU, and fail if there is none");
  app.add_flag("--cpu", to.cpu, "Count on the CPU, even if there is a GPU")->excludes(gpu);
}

/// The size of all files together, or 0 if one of them has no size, like a pipe.
std::uint64_t total_size(std::vector<std::string> const& files) {
  std::uint64_t total = 0;
  for (std::string const& name : files) {
    struct stat about_file;
    bool const exists = name != "-" && stat(name.c_str(), &about_file) == 0;
    if (name == "-" || (exists && !S_ISREG(about_file.st_mode) && !S_ISDIR(about_file.st_mode))) return 0;
    if (exists && S_ISREG(about_file.st_mode)) total += static_cast<std::uint64_t>(about_file.st_size);
  }
  return total;
}

exit_status tally_files(arguments const& args, tally::backend const& where) {
  exit_status status = all_done;
  bool const several = args.files.size() > 1;
  std::unique_ptr<tally::output> const out =
      args.json ? tally::json_output(several) : tally::text_output(several, args.histogram);
  tally::progress bar(total_size(args.files));

  tally::listener to;
  to.read = [&](std::size_t bytes) { bar.advance(bytes); };
  to.counted = [&](std::string const& name, tally::file_count const& count) {
    bar.hide();
    out->counted(name, count);
  };
  to.failed = [&](std::string const& name, int error) {
    bar.hide();
    std::cerr << "tally: " << name << ": " << std::strerror(error) << std::endl;
    out->failed(name, std::strerror(error));
    status = some_failed;
  };

  tally::tallier work(where, to);
  out->begin(where);
  for (std::string const& name : args.files) work.add(name);
  work.finish();
  out->end();
  if (!std::cout.flush()) {
    std::cerr << "tally: cannot write to standard output" << std::endl;
    status = some_failed;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  CLI::App app(about, "tally");
  declare(app, args);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return app.exit(e) == 0 ? all_done : cannot_begin;
  }

  try {
    tessera::device_info device;
    if (!args.cpu) device = tessera::find_device();
    if (args.gpu && !device.usable) {
      std::cerr << "tally: --gpu: " << device.reason << std::endl;
      return cannot_begin;
    }
    return tally_files(args, device.usable ? tally::gpu_backend(device) : tally::cpu_backend());
  } catch (tally::gpu_error const& e) {
    std::cerr << "tally: the GPU failed at " << e.what() << " (--cpu needs no GPU)" << std::endl;
  } catch (std::exception const& e) {
    std::cerr << "tally: " << e.what() << std::endl;
  }
  return broke_down;
}
