// Algorithms on whole arrays on the GPU, for plain C++: the contents of libtessera.a.
//
//   tessera::grid::workspace memory;
//   cudaError_t error = tessera::grid::reduce(in, n, out, tessera::plus{}, {stream, memory});
//
// Every launcher takes device pointers, 64-bit sizes, and last an execution: a stream, a workspace, both or neither. It
// checks its arguments before any launch, never throws, waits or prints, and can be captured into a graph.
#pragma once

#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/count_on_device.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/group_by_label.hpp>
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/merge.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/route_rows.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/runs.hpp>
#include <tessera/grid/sample_rows.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/search.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments.hpp>
#include <tessera/grid/select.hpp>
#include <tessera/grid/shard.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>
#include <tessera/grid/start_on_device.hpp>
#include <tessera/grid/top_k.hpp>
#include <tessera/grid/views.hpp>
#include <tessera/grid/workspace.hpp>
