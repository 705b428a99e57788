// arrays applies one operation to an array in a .npy file, on the GPU or on host tiles.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "backend.hpp"

namespace {

enum exit_status { all_done = 0, bad_file = 1, cannot_begin = 2, broke_down = 3 };

char const* const about =
    R"(Applies one operation to an array in a .npy file: to each of its rows, or to all of it.

INPUT has elements of float16, float32 or float64 in C order, and 2 dimensions, or 1 for a single row.
OUTPUT gets, in the same format:
  sum         the sum of each row (float32 if the input is float16)
  max         the greatest value of each row; NaN if the row has one
  argmax      the column of that value, the first if there are several: int64
  softmax     exp(x) / sum of exp over the row
  layer_norm  (x - mean) / sqrt(variance + epsilon)
  histogram   the number of values in each of even bins over [lower, upper): uint64
  scan        the sum of each row up to each element
  sort        each row in order, NaN last
  topk        the k greatest values of each row, the greatest first, NaN last
  quantiles   of each row the values at the places q * (columns - 1), rounded down, of the sorted row
  unique      of all elements those that differ from the one before them
It prints `key value` pairs: backend, rows, columns, and what was written.)";

char const* const exits = R"(Exit status:
  0  OUTPUT is written
  1  INPUT is no such array, or a file could not be read or written
  2  the options are wrong, or --backend gpu was given and no GPU can be used
  3  the GPU failed, or memory ran out)";

enum class backend_choice { automatic, gpu, cpu };

struct arguments {
  arrays::task task;
  std::string input, output;
  backend_choice where = backend_choice::automatic;
};

/// Makes the option accept these names only.
template <class Names>
void take_name(CLI::Option* option, Names const& names) {
  option->transform(CLI::Transformer(names).description(""));
  option->transform(
      CLI::IsMember(names).description(""));  // CLI11 applies the transform that was added last first
}

void declare(CLI::App& app, arguments& to) {
  using arrays::operation;
  static std::map<std::string, operation> const operations{{"sum", operation::sum},
                                                           {"max", operation::max},
                                                           {"argmax", operation::argmax},
                                                           {"softmax", operation::softmax},
                                                           {"layer_norm", operation::layer_norm},
                                                           {"histogram", operation::histogram},
                                                           {"scan", operation::scan},
                                                           {"sort", operation::sort},
                                                           {"topk", operation::top_k},
                                                           {"quantiles", operation::quantiles},
                                                           {"unique", operation::unique}};
  static std::map<std::string, backend_choice> const choices{
      {"auto", backend_choice::automatic}, {"gpu", backend_choice::gpu}, {"cpu", backend_choice::cpu}};
  app.footer(exits);
  auto* const what = app.add_option("OPERATION", to.task.what, "One of the words above");
  take_name(what->required()->type_name(""), operations);
  app.add_option("INPUT", to.input, "The .npy file to read")->required();
  app.add_option("OUTPUT", to.output, "The .npy file to write")->required();
  auto* const where = app.add_option("--backend", to.where, "gpu, cpu, or auto: the GPU if there is one");
  take_name(where->type_name("NAME"), choices);
  app.add_option("--epsilon", to.task.epsilon, "The epsilon of layer_norm (1e-5)");
  app.add_option("--bins", to.task.bins, "The number of bins of histogram, 1 to 65536 (256)");
  app.add_option("--lower", to.task.lower, "The lower bound of histogram (0)");
  app.add_option("--upper", to.task.upper, "The upper bound of histogram (1)");
  app.add_option("--k", to.task.k, "How many values topk takes (10)");
  app.add_option("--q", to.task.q, "The quantiles, from 0 to 1 (0,0.25,0.5,0.75,1)")->delimiter(',');
  static constexpr std::pair<char const*, operation> takers[]{{"--epsilon", operation::layer_norm},
                                                              {"--bins", operation::histogram},
                                                              {"--lower", operation::histogram},
                                                              {"--upper", operation::histogram},
                                                              {"--k", operation::top_k},
                                                              {"--q", operation::quantiles}};
  app.callback([&app, &to] {
    for (auto const& [option, taker] : takers) {
      if (app.count(option) > 0 && to.task.what != taker)
        throw CLI::ValidationError(option, "belongs to another operation, see --help");
    }
  });
}

/// Calls `access(name)`, and prefixes the message of a file_error with the file's name.
template <class F>
auto with_name(std::string const& name, F access) {
  try {
    return access(name);
  } catch (arrays::file_error const& e) {
    throw arrays::file_error(name + ": " + e.what());
  }
}

void work(arguments const& args, arrays::backend const& where) {
  arrays::array const in = with_name(args.input, arrays::read_npy);
  arrays::array out = arrays::zeros_for(args.task, in);
  where.run(args.task, in, out);
  with_name(args.output, [&](std::string const& name) { arrays::write_npy(name, out); });
  auto const size = arrays::extent_of(in);
  std::cout << "backend " << where.name << (where.device.empty() ? "" : " ") << where.device << '\n'
            << "rows " << size.rows << '\n'
            << "columns " << size.columns << '\n'
            << "wrote " << arrays::name_of(out.type) << ' ' << arrays::text_of(out.shape) << std::endl;
}

exit_status fail(exit_status status, std::string const& why) {
  std::cerr << "arrays: " << why << std::endl;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  CLI::App app(about, "arrays");
  declare(app, args);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return app.exit(e) == 0 ? all_done : cannot_begin;
  }

  try {
    tessera::device_info device;
    if (args.where != backend_choice::cpu) device = arrays::find_gpu();
    if (args.where == backend_choice::gpu && !device.usable)
      return fail(cannot_begin, std::string("--backend gpu: ") + device.reason);
    work(args, device.usable ? arrays::gpu_backend(device) : arrays::cpu_backend());
    return all_done;
  } catch (arrays::file_error const& e) {
    return fail(bad_file, e.what());
  } catch (arrays::task_error const& e) {
    return fail(cannot_begin, e.what());
  } catch (arrays::gpu_error const& e) {
    return fail(broke_down, std::string("the GPU failed at ") + e.what() + " (--backend cpu needs no GPU)");
  } catch (std::bad_alloc const&) {
    return fail(broke_down, "out of memory");
  } catch (std::exception const& e) {
    return fail(broke_down, e.what());
  }
}
