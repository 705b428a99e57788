// What a shared object that was built with tessera says of it.
#pragma once

struct report_of_tessera {
  const char* headers;  // the version of the headers
  const char* library;  // that of the static library
  unsigned sum;         // what a function gives that every version instantiates with the same types of the caller's
  void (*function)();   // where a function of the headers is
};
