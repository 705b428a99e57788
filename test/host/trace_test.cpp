// Traces that a launch's options ask for: their files, and what these show. (trace_files_test.py reads
// them as JSON, has them drawn, and tests those of the environment.)
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>
#include <thread>
#include <vector>

#include "reports.hpp"

namespace {

namespace host = tessera::host;

/// A file that is gone after the test.
class trace_file {
 public:
  explicit trace_file(const std::string& name)
      : path_(testing::TempDir() + "tessera_" + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
              name) {
    std::remove(path_.c_str());
  }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;
  ~trace_file() { std::remove(path_.c_str()); }

  host::options options(unsigned block = 0) const {
    return host::options{}.with_trace(path_, block).with_schedule(host::schedule::ascending).with_seed(3);
  }
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t count(const std::string& part) const {
    std::string const all = text();
    std::size_t found = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
    return found;
  }

 private:
  std::string path_;
};

auto const sum = [](auto tile) { return tessera::reduce(tile, 1 + tile.thread_rank()); };

TEST(HostTrace, HasAFlowForEachValueThatMoves) {
  trace_file const json("sum.json");
  EXPECT_EQ(host::launch_tile<8>(json.options(), sum), std::vector<unsigned>(8, 36));
  EXPECT_EQ(json.count("\"ph\": \"s\""), 24u);
  EXPECT_EQ(json.count("\"ph\": \"f\""), 24u);
  EXPECT_EQ(json.count("\"value\": \"36\""), 8u);
  EXPECT_EQ(json.count("\"kind\": \"shuffle\", \"tile\": [0, 8]"), 24u);
  EXPECT_EQ(json.count("\"kind\": \"result\", \"tile\": [0, 8], \"type\": \"unsigned int\""), 8u);
}

TEST(HostTrace, ShowsTheLanesThatAValueComesFrom) {
  trace_file const json("up.json");
  host::launch_tile<4>(json.options(), [](auto tile) { return tile.shfl_up(10 * tile.thread_rank(), 1); });
  for (const char* moved : {"\"value\": \"10\", \"received\": \"0\", \"from lane\": 0}",
                            "\"value\": \"20\", \"received\": \"10\", \"from lane\": 1}",
                            "\"value\": \"30\", \"received\": \"20\", \"from lane\": 2}"})
    EXPECT_EQ(json.count(moved), 1u) << moved;
  EXPECT_EQ(json.count("\"ph\": \"s\""), 3u);
}

TEST(HostTrace, LeavesTheBlockThatIsAskedFor) {
  trace_file const json("grid.json");
  auto const kernel = [](auto all) { return tessera::tiled_partition<2>(all).shfl(100 + all.group_index().x, 0); };
  host::launch_grid(5, 2, json.options(3), kernel);
  EXPECT_EQ(json.count("\"value\": \"103\""), 2u);
  EXPECT_EQ(json.count("block (3,0,0) of 5x1x1"), 2u);
  EXPECT_THROW(host::launch_grid(5, 2, json.options(5), kernel), std::invalid_argument);
}

TEST(HostTrace, EveryLaunchWithTheOptionWritesItsFile) {
  trace_file const json("twice.json");
  for (int value : {4, 7}) {
    host::launch_tile<2>(json.options(), [value](auto tile) { return tile.shfl(value, 0); });
    EXPECT_EQ(json.count("\"value\": \"" + std::to_string(value) + "\""), 2u);
  }
}

TEST(HostTrace, OptionsKeepItWhenTheyAreChanged) {
  trace_file const json("options.json");
  host::launch_tile<2>(json.options(), sum);
  EXPECT_EQ(json.count("\"schedule\": \"ascending\", \"seed\": \"3\""), 1u);
}

TEST(HostTrace, RefusesOtherFilesBeforeTheLaunch) {
  bool ran = false;
  auto const kernel = [&](auto) { ran = true; };
  EXPECT_THROW(host::launch_tile<2>(host::options{}.with_trace("sum.svg"), kernel), std::invalid_argument);
  EXPECT_THROW(host::launch_tile<2>(host::options{}.with_trace("no/such/folder.json"), kernel), std::runtime_error);
  EXPECT_FALSE(ran);
  EXPECT_EQ(host::launch_tile<2>(sum), std::vector<unsigned>(2, 3)) << "after launches that were refused";
}

TEST(HostTrace, ReportsSayWhereTheyAreRecorded) {
  trace_file const json("misuse.json");
  unsigned line = 0;
  auto const leaves = [&](auto tile) {
    if (tile.thread_rank() == 2) return 0u;
    return test::here(line), tessera::count_if(tile, true);
  };
  auto const recorded = test::report_of([&] { host::launch_tile<4>(json.options(), leaves); });
  EXPECT_TRUE(recorded.has("\n  recorded in " + json.path() + ", for tools/draw_trace\n  replay with"))
      << recorded.text;
  EXPECT_EQ(json.count("\"failure\": \"exited lane\""), 1u);
  EXPECT_EQ(json.count("\"name\": \"waiting in count_if\""), 3u);
  EXPECT_EQ(json.count("\"name\": \"left the kernel\""), 1u);
  EXPECT_EQ(json.count("trace_test.cpp:" + std::to_string(line) + " "), 3u);
  auto const not_recorded = test::report_of([&] { host::launch_tile<4>(leaves); });
  EXPECT_TRUE(
      not_recorded.has("\n  draw it: TESSERA_HOST_TRACE=misuse.json ./program ...; tools/draw_trace misuse.json\n"))
      << not_recorded.text;
}

TEST(HostTrace, ExceptionsOfLanesComeThrough) {
  trace_file const json("throws.json");
  EXPECT_THROW(host::launch_tile<4>(json.options(),
                                    [](auto tile) {
                                      if (tessera::reduce(tile, 1) == 4) throw std::out_of_range("all lanes");
                                      return 0;
                                    }),
               std::out_of_range);
  EXPECT_EQ(json.count("\"name\": \"threw an exception\""), 1u);
  EXPECT_EQ(json.count("\"ph\": \"s\""), 8u);
}

TEST(HostTrace, ThreadsTraceTheirOwnLaunches) {
  trace_file const first("first.json"), second("second.json");
  auto const work = [](const trace_file& file, int value) {
    for (int i = 0; i < 20; ++i)
      host::launch_tile<4>(file.options(), [value](auto tile) { return tessera::reduce(tile, value); });
  };
  std::thread one(work, std::cref(first), 5), two(work, std::cref(second), 6);
  for (int i = 0; i < 20; ++i) host::launch_tile<4>(sum);
  one.join();
  two.join();
  EXPECT_EQ(first.count("\"value\": \"20\""), 4u);
  EXPECT_EQ(second.count("\"value\": \"24\""), 4u);
}

TEST(HostTrace, CountsTheStepsThatItLeavesOut) {
  trace_file const json("long.json");
  host::launch_tile<2>(json.options(), [](auto tile) {
    for (int i = 0; i < 260; ++i) tile.sync();
    return 0;
  });
  EXPECT_EQ(json.count("\"cat\": \"barrier\""), 2u * 256);
  EXPECT_EQ(json.count("... 4 more steps; a trace shows the first 256"), 1u);
}

TEST(HostTrace, ValuesOfSharedMemoryAreThoseAfterTheAccess) {
  trace_file const json("shared.json");
  host::launch_block(2, json.options(), [](auto all) {
    host::shared<int> cell(all, 2);
    cell[all.thread_rank()] = 7;
    cell[all.thread_rank()].fetch_add(2);
    all.sync();
    return static_cast<int>(cell[1 - all.thread_rank()]);
  });
  EXPECT_EQ(json.count("\"name\": \"write\", \"cat\": \"step\""), 2u);
  EXPECT_EQ(json.count("\"value\": \"7\", \"index\": 0"), 1u);
  EXPECT_EQ(json.count("\"value\": \"9\", \"index\": 1"), 2u) << "the atomic, and the other lane's read";
}

}  // namespace
