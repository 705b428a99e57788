// The command line of both oracles: what they both take, and the loop over it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace oracle {

struct options {
  unsigned long long seed = 1;
  unsigned long long fresh = 0;  // the fresh seed of another run, which is repeated; 0 draws one
  double seconds = 10;           // the time for the fresh seed
  bool want_pairs = false;       // a pair that doesn't occur is a failure
  bool stop = false;             // at the first failure
};

inline unsigned long long number(char const* text) {
  return std::strtoull(text, nullptr, 0);
}

/// Reads what both oracles take. Every other argument is given to `other(argument, value)`, where value() is the one
/// after it; it returns false for one that it doesn't know, and the program ends.
template <class Other>
options options_of(int argc, char** argv, Other other) {
  options all;
  if (char const* const budget = std::getenv("TESSERA_ORACLE_SECONDS")) all.seconds = std::atof(budget);
  for (int i = 1; i < argc; ++i) {
    std::string const option = argv[i];
    auto const value = [&]() -> char const* {
      if (++i >= argc) std::exit((std::fprintf(stderr, "%s needs a value\n", option.c_str()), 2));
      return argv[i];
    };
    if (option == "--seed")
      all.seed = number(value());
    else if (option == "--fresh")
      all.fresh = number(value());
    else if (option == "--seconds")
      all.seconds = std::atof(value());
    else if (option == "--pairs")
      all.want_pairs = true;
    else if (option == "--stop")
      all.stop = true;
    else if (!other(option, value))
      std::exit((std::fprintf(stderr, "unknown option %s\n", option.c_str()), 2));
  }
  if (all.fresh == 0) {
    std::random_device entropy;
    all.fresh = static_cast<unsigned long long>(entropy()) << 32 | entropy();
  }
  return all;
}

}  // namespace oracle
