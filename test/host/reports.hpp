// Checks that a launch ends in a report, and what the report says.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <tessera/host/launch.hpp>
#include <vector>

namespace test {

namespace host = tessera::host;

/// Stores the source line of its call: `here(line), tile.sync();`
inline void here(unsigned& line, unsigned at = __builtin_LINE()) {
  line = at;
}

/// "file:12", as reports write it.
inline std::string at_line(const char* file, unsigned line) {
  return std::string(file) + ":" + std::to_string(line);
}

struct report {
  bool caught = false;
  host::misuse_kind kind{};
  std::string text;

  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

template <class Launch>
report report_of(Launch launch) {
  try {
    launch();
  } catch (const host::misuse& m) {
    return {true, m.kind(), m.what()};
  }
  return {};
}

/// `launch(options)` must report `kind` under every schedule. The report must contain each of `lines` of
/// `file` and each of `parts`, and end with how to replay the launch.
template <class Launch>
void expect_report(host::misuse_kind kind, const char* file, const std::vector<const unsigned*>& lines,
                   const std::vector<std::string>& parts, Launch launch) {
  for (host::schedule order : host::all_schedules) {
    SCOPED_TRACE(host::name_of(order));
    report const got = report_of([&] { launch(host::options{}.with_schedule(order).with_seed(11)); });
    ASSERT_TRUE(got.caught);
    EXPECT_STREQ(host::name_of(got.kind), host::name_of(kind)) << got.text;
    for (const unsigned* line : lines) EXPECT_TRUE(got.has(at_line(file, *line))) << *line << "\n" << got.text;
    for (const std::string& part : parts) EXPECT_TRUE(got.has(part)) << part << "\n" << got.text;
    std::string const replay = std::string("TESSERA_HOST_SCHEDULE=") + host::name_of(order) + " TESSERA_HOST_SEED=11";
    ASSERT_GE(got.text.size(), replay.size());
    EXPECT_EQ(got.text.substr(got.text.size() - replay.size()), replay);
  }
}

}  // namespace test
