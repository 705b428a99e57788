"""The calls that take a function, with the functions that each call is tested with; and the calls that take none.

A call is an expression in which {f} is replaced by the function. It is compiled in a kernel with
    tile, block   a tile, and its block
    n, x, p       an int, the lane's int, and an int* to global memory
or, for whole arrays, in a host function with n, p, a std::int64_t* count, and offsets and counts. Each collective is tested with its
example (../../oracle/examples.py), with every function that it takes. Lines are here for its other overloads, and for calls that have
no row of their own.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'oracle'))
import examples  # noqa: E402

# The functions for each kind of parameter.
FUNCTIONS = {
    "operator": {
        "a lambda in the kernel": "[](int a, int b) { return a < b ? b : a; }",
        "a lambda with captures": "[&](int a, int b) { return a < b + n ? b : a; }",
        "a functor of the GPU": "of_gpu{n}",
        "a functor of both": "of_both{n}",
        "std::plus<>": "std::plus<>{}",
        "cuda::std::plus<>": "cuda::std::plus<>{}",
        "cg::plus<int>": "cooperative_groups::plus<int>{}",
        "cuda::maximum<>": "cuda::maximum<>{}",
    },
    "function": {
        "a lambda in the kernel": "[](int a) { return 2 * a; }",
        "a lambda with captures": "[&](int a, int i) { return a + i * n; }",
        "a functor of the GPU": "of_gpu{n}",
        "a functor of both": "of_both{n}",
        "cuda::std::negate<>": "cuda::std::negate<>{}",
    },
    "predicate": {
        "a lambda in the kernel": "[](int a) { return a == 2; }",
        "a lambda with captures": "[&](int a, int i) { return a == n && i > 1; }",
        "a functor of the GPU": "of_gpu{n}",
        "a functor of both": "of_both{n}",
        "cuda::std::logical_not<>": "cuda::std::logical_not<>{}",
    },
    "order": {
        "a lambda in the kernel": "[](int a, int b) { return a < b; }",
        "a lambda with captures": "[&](int a, int b) { return a < b + n; }",
        "a functor of the GPU": "of_gpu{n}",
        "a functor of both": "of_both{n}",
        "cuda::std::less<>": "cuda::std::less<>{}",
    },
    "action": {  # takes no arguments; other libraries have no such functions
        "a lambda in the kernel": "[] { return 2; }",
        "a lambda with captures": "[&] { return n; }",
        "a lambda that returns nothing": "[&] { *p = n; }",
        "a lambda with an atomic": "[&] { return atomicAdd(p, n); }",
        "a functor of the GPU": "of_gpu{n}",
        "a functor of both": "of_both{n}",
    },
}

# Functions for the calls for whole arrays, which are written outside of kernels.
NOT_LAMBDAS = [name for functions in FUNCTIONS.values() for name in functions if "lambda" not in name]

# (the kind of {f}, the call), besides the examples. The called function is named before the first parenthesis.
IN_KERNELS = [
    ("operator", "reduce(tile, x, {f}, to_leader | isolated)"),
    ("operator", "reduce(tile, items<int, 3>{{{{x, n, x}}}}, {f})"),
    ("operator", "reduce(tile, x, make_operator({f}, 0), first(n))"),
    ("operator", "reduce(tile, as_zipped(x, n), zip({f}, plus{{}}))"),
    ("operator", "reduce_batch(tile, items<int, 3>{{{{x, n, x}}}}, make_operator({f}, 0), where(x > 1) | scattered)"),
    ("operator", "adjacent_difference(tile, items<int, 3>{{{{x, n, x}}}}, {f}, suffix)"),
    ("order", "sort(tile, items<int, 3>{{{{x, n, x}}}}, {f}, first(5))"),
    ("order", "merge(tile, items<int, 3>{{{{x, n, x}}}}, 5, items<int, 3>{{{{x, n, x}}}}, n, {f})"),
    ("order", "top_k<2>(tile, items<int, 3>{{{{x, n, x}}}}, {f}, first(5))"),
    ("order", "top_k<1>(tile, x, {f}, scattered)"),
    ("order", "unique(tile, items<int, 3>{{{{x, n, x}}}}, {f}, first(5))"),
    ("order", "run_length_encode(tile, items<int, 3>{{{{x, n, x}}}}, {f}, first(5))"),
    ("order", "is_sorted(tile, items<int, 3>{{{{x, n, x}}}}, {f}, where(x > 1))"),
    ("operator", "inclusive_scan(tile, x, {f}, suffix | with_total)"),
    ("operator", "inclusive_scan(tile, items<int, 3>{{{{x, n, x}}}}, {f})"),
    ("operator", "inclusive_scan(tile, x, {f}, n)"),
    ("operator", "exclusive_scan(tile, x, make_operator({f}, 0, commutative), where(x > 1))"),
    ("operator", "exclusive_scan(tile, x, {f}, n)"),
    ("operator", "segmented_exclusive_scan(tile, x, by_key(n), make_operator({f}, 0))"),
    ("operator", "segmented_reduce(tile, x, by_tail(x > 2), {f})"),
    ("operator", "atomic_update(p, x, {f})"),
    ("operator", "joint_transform_reduce(tile, p, n, make_operator({f}, 0, commutative), of_both{{n}})"),
    ("operator", "joint_reduce(tile, p, n, {f}, 0)"),
    ("function", "joint_transform_reduce(tile, p, n, plus{{}}, {f}, 0)"),
    ("operator", "joint_exclusive_scan(tile, p, n, p, make_operator({f}, 0), with_total)"),
    ("operator", "joint_exclusive_scan(tile, p, n, p, {f}, n)"),
    ("operator", "joint_inclusive_scan(tile, p, n, p, {f}, n)"),
    ("operator", "joint_inclusive_scan(tile, p, n, p, {f}, suffix)"),
    ("function", "joint_transform_exclusive_scan(tile, p, n, p, plus{{}}, {f}, n)"),
    ("order", "equal_range(tile, p, n, x, {f})"),
    ("order", "binary_search(tile, p, n, x, {f})"),
    ("action", "invoke_one(tile, {f}, to_leader)"),
]
FOR_ARRAYS = [
    ("operator", "grid::reduce(p, n, p + n, make_operator({f}, 0, commutative))"),
    ("operator", "grid::reduce_rows(grid::matrix<int>{{p, n, n}}, p, make_operator({f}, 0))"),
    ("operator", "grid::inclusive_scan(p, n, p, {f})"),
    ("operator", "grid::exclusive_scan(p, n, p, {f}, 0)"),
    ("operator", "grid::transform_inclusive_scan(p, n, p, {f}, of_both{{n}})"),
    ("function", "grid::transform_inclusive_scan(p, n, p, plus{{}}, {f})"),
    ("function", "grid::transform_exclusive_scan(p, n, p, plus{{}}, {f}, 0)"),
    ("operator", "grid::reduce_segments(p, offsets, n, p, make_operator({f}, 0))"),
    ("operator", "grid::reduce_segments(p, grid::segments_between(offsets, offsets), n, p, make_operator({f}, 0))"),
    ("operator", "grid::inclusive_scan_segments(p, n, grid::segments_between(offsets, offsets), n, p, {f})"),
    ("operator", "grid::inclusive_scan_by_key(p, p, n, p + n, {f})"),
    ("operator", "grid::exclusive_scan_by_key(p, p, n, p + n, make_operator({f}, 0, commutative))"),
    ("operator", "grid::inclusive_scan_segments(p, n, offsets, n, p, {f})"),
    ("operator", "grid::exclusive_scan_segments(p, n, offsets, n, p, {f}, 1)"),
    ("operator", "grid::inclusive_scan_rows(grid::matrix<int>{{p, n, n}}, grid::matrix<int>{{p, n, n}}, {f})"),
    ("operator", "grid::exclusive_scan_rows(grid::matrix<int>{{p, n, n}}, grid::matrix<int>{{p, n, n}}, {f}, {{false, p + n}})"),
    ("operator", "grid::inclusive_scan_columns(grid::matrix<int>{{p, n, n}}, grid::matrix<int>{{p, n, n}}, {f})"),
    ("operator", "grid::exclusive_scan_columns(grid::matrix<int>{{p, n, n}}, grid::matrix<int>{{p, n, n}}, make_operator({f}, 0))"),
    ("operator", "grid::adjacent_difference(p, n, p + n, {f})"),
    ("function", "grid::transform_reduce(p, n, p + n, plus{{}}, {f})"),
    ("function", "grid::transform_reduce(p, n, p + n, plus{{}}, {f}, 0)"),
    ("operator", "grid::reduce(p, n, p + n, {f}, 0)"),
    ("operator", "grid::inclusive_scan(p, n, p, {f}, grid::start_on_device(p + n))"),
    ("function", "grid::transform(p, n, p, {f})"),
    ("operator", "grid::transform(p, p + n, n, p + 2 * n, {f})"),
    ("function", "grid::tabulate(p, n, {f})"),
    ("function", "grid::for_each(p, n, {f})"),
    ("function", "grid::for_each(n, {f})"),
    ("predicate", "grid::find_if(p, n, {f}, reinterpret_cast<std::int64_t*>(counts))"),
    ("predicate", "grid::count_if(p, n, {f}, reinterpret_cast<std::int64_t*>(counts))"),
    ("order", "grid::mismatch(p, p + n, n, reinterpret_cast<std::int64_t*>(counts), {f})"),
    ("order", "grid::equal(p, p + n, n, reinterpret_cast<bool*>(counts), {f})"),
    ("order", "grid::lower_bound(p, n, p, n, p + n, {f})"),
    ("order", "grid::upper_bound(p, n, p, n, p + n, {f})"),
    ("order", "grid::merge(p, n, p, n, p + n, {f})"),
    ("order", "grid::set_difference(p, n, p, n, p + n, count, {f})"),
    ("function", "grid::transform_reduce_rows(grid::matrix<int>{{p, n, n}}, p, plus{{}}, {f})"),
    ("function", "grid::histogram_by(p, n, counts, 256, {f})"),
    ("predicate", "grid::select(p, n, p + n, count, {f})"),
    ("predicate", "grid::select(p, p + n, n, p + 2 * n, count, {f})"),
    ("predicate", "grid::partition(p, n, p + n, count, {f})"),
    ("predicate", "grid::partition_copy(p, n, p + n, p + 2 * n, count, {f})"),
    ("predicate", "grid::three_way_partition(p, n, p + n, p + 2 * n, p + 3 * n, count, {f}, {f})"),
    ("order", "grid::unique(p, n, p + n, count, {f})"),
    ("order", "grid::non_trivial_runs(p, n, p + n, p + 2 * n, count, {f})"),
    ("operator", "grid::reduce_by_key(p, p, n, p + n, p + 2 * n, count, {f})"),
    ("order", "grid::sort(p, n, p, {f})"),
    ("order", "grid::sort_by_key(p, p, n, p, p, {f})"),
    ("order", "grid::sort_segments(p, n, offsets, n, p, {f})"),
    ("function", "grid::top_k_by(p, n, 3, p + n, indices, {f})"),
]

# Calls without a function, besides the examples. The kernel also has
#     memory, wide_memory   a scratch<int, 128>, and one of doubles
#     two                   items<int, 2>
WITHOUT_FUNCTION = [
    "shuffle(tile, x, 1u, shared(memory))",
    "broadcast(tile, x)",
    "shift_up(tile, x, 2u, n, isolated)",
    "shift_down(tile, x, 1u)",
    "shift_down(tile, x, 2u, n, converged)",
    "find_first(tile, p, n, 3)",
    "striped_to_blocked(tile, items<char, 8>{})",
    "any_of(tile, x > 1, first(n))",
    "all_of(tile, x > 1, where(x > 0))",
    "none_of(tile, x > 1, isolated)",
    "count_if(tile, x > 1, converged)",
    "elect(tile, where(x > 1))",
    "match_any(tile, n, where(x > 1))",
    "match_all(tile, n, where(x > 1))",
    "histogram<40>(tile, n, where(x > 1) | scattered)",
    "aggregated_add(tile, p, n)",
    "aggregated_add(tile, reinterpret_cast<double*>(p), n, x)",
    "aggregated_add(tile, p, n, x, where(x > 1) | shuffles)",
    "partition(tile, items<bool, 2>{{x > 1, n > 1}}, first(n))",
    "scatter(tile, two, items<unsigned, 2>{{2 * tile.thread_rank() + 1, 2 * tile.thread_rank()}})",
    "radix_rank<8>(tile, two, first(n))",
    "unique(tile, x)",
    "sort_by_key(tile, x, 1.5 * x)",
    "run_length_encode(tile, two)",
    "load<4>(tile, p, n, 1, striped)",
    "store(tile, two, p, n)",
    "run_length_decode<3>(tile, two, items<unsigned, 2>{{2, 3}}, 1u, first(n))",
    "reduce(tile, x)",
    "reduce(tile, x, plus{}, converged)",
    "reduce(tile, x, minimum{}, isolated | shuffles)",
    "reduce(tile, with_index(x, n), argmax{}, where(x > 1))",
    "reduce(tile, x > 1, logical_and{})",
    "reduce(tile, 1.5 * x, plus{}, shared(wide_memory))",
    "reduce(tile, x, plus{}, fresh(memory) | to_leader)",
    "reduce_batch(tile, two, plus{}, scattered)",
    "reduce_by_label(tile, n, x, minimum{}, to_leader)",
    "inclusive_scan(tile, x)",
    "inclusive_scan(tile, x, minimum{}, first(n) | converged)",
    "inclusive_scan(tile, x, plus{}, shared(memory))",
    "exclusive_scan(tile, two, plus{}, suffix | with_total)",
    "exclusive_scan(tile, x > 1, plus{}, isolated)",
    "segmented_reduce(tile, x, by_head(x > 2))",
    "segmented_inclusive_scan(tile, x, by_tail(x > 2), plus{}, suffix | with_total)",
    "segmented_exclusive_scan(tile, x, by_key(n))",
    "atomic_reduce(tile, p, x, maximum{}, where(x > 1))",
    "reduce(tessera::padded_block_tile<128>(block), x)",
    "inclusive_scan(tessera::padded_block_tile<256>(block), 1.5 * x, plus{}, with_total)",
    "count_if(tessera::padded_block_tile<64>(block), x > 1)",
    "joint_reduce(tile, p, n)",
    "joint_reduce(tile, reinterpret_cast<char*>(p), n, maximum{}, converged)",
    "joint_inclusive_scan(tile, p, n, p)",
    "joint_exclusive_scan(tile, reinterpret_cast<char*>(p), n, reinterpret_cast<char*>(p), plus{}, with_total)",
]

# The tile sizes: a part of a warp, a warp, and several warps.
TILES = {
    "8 lanes": "tessera::tiled_partition<8>(block)",
    "32 lanes": "tessera::tiled_partition<32>(block)",
    "128 lanes": "tessera::this_block_tile<128>(block)",
}


def add_examples():
    places = {'x': 'x', 'u': 'n', 'in': 'p', 'out': 'p'}
    for row in examples.rows().values():
        for kind in row.functions():
            # Of the second the oracle draws the overload with an initial value.
            needs_identity = row.entry.needs_identity or row.name == 'joint_transform_exclusive_scan'
            f = 'make_operator({f}, 0)' if kind == 'operator' and needs_identity else '{f}'
            call = row.call(None, **{**places, 'function': 'of_both{n}', kind: '{f}'})
            IN_KERNELS.append((kind, call.replace('{', '{{').replace('}', '}}').replace('{{f}}', f)))
        if not row.functions():
            WITHOUT_FUNCTION.append(row.call(None, **{**places, 'x': 'static_cast<float>(x)'}))


add_examples()
