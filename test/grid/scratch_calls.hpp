// Every call that the static library has, for the tests of scratch_bytes.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid.hpp>

#include "scratch_case.hpp"

namespace scratch {

using tessera::plus;

inline scratch_case const library_calls[] = {
    {call::adjacent_difference, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::adjacent_difference(a.in<float>(), n, a.to<float>(), tessera::minus{}, on);
     }},
    {call::reduce, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce(a.in<float>(), n, a.to<float>(), plus{}, on);
     }},
    {call::argmax, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argmax(a.in<double>(), n, a.to<tessera::indexed<double, int64_t>>(), on);
     }},
    {call::argmin, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argmin(a.in<float>(), n, a.to<tessera::indexed<float, int64_t>>(), on);
     }},
    {call::minmax, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::minmax(a.in<double>(), n, a.to<tessera::min_max<double>>(), on);
     }},
    {call::moments, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::moments(a.in<float>(), n, a.to<tessera::moments<double>>(), on);
     }},
    {call::reduce_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<float>(), plus{}, on);
     }},
    {call::reduce_rows, "many of halves", many_rows, sizeof(__half),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_rows(matrix_at(a.in<__half>(), many_rows(n)), a.to<float>(), plus{}, on);
     }},
    {call::argmax_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argmax_rows(matrix_at(a.in<float>(), few_rows(n)), a.to<tessera::indexed<float, int>>(), on);
     }},
    {call::argmin_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argmin_rows(matrix_at(a.in<double>(), few_rows(n)), a.to<tessera::indexed<double, int>>(), on);
     }},
    {call::minmax_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::minmax_rows(matrix_at(a.in<double>(), few_rows(n)), a.to<tessera::min_max<double>>(), on);
     }},
    {call::moments_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::moments_rows(matrix_at(a.in<double>(), few_rows(n)), a.to<tessera::moments<double>>(), on);
     }},
    {call::softmax_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::softmax_rows(matrix_at(a.in<float>(), sizes), matrix_at(a.to<float>(), sizes), nullptr, on);
     }},
    {call::softmax_rows, "many of doubles", many_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = many_rows(n);
       return grid::softmax_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.to<double>(), sizes), nullptr, on);
     }},
    {call::log_softmax_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::log_softmax_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.to<double>(), sizes), nullptr, on);
     }},
    {call::layer_norm_rows, "few of floats", few_rows, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::layer_norm_rows(matrix_at(a.in<float>(), sizes), matrix_at(a.to<float>(), sizes), nullptr, nullptr,
                                    1e-5, on);
     }},
    {call::rms_norm_rows, "few of doubles", few_rows, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       auto const sizes = few_rows(n);
       return grid::rms_norm_rows(matrix_at(a.in<double>(), sizes), matrix_at(a.to<double>(), sizes), nullptr, nullptr,
                                  1e-5, on);
     }},
    {call::softmax128, "rows", n_alone, sizeof(__nv_bfloat16),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::softmax128(a.to<__nv_bfloat16>(), a.in<__nv_bfloat16>(), n / 128, on);
     }},
    {call::reduce_segments, "floats", two_segments, sizeof(float),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<float>(), a.offsets, 2, a.to<float>(), plus{}, on);
     }},
    {call::reduce_segments, "doubles", two_segments, sizeof(double),
     [](arrays const& a, int64_t, grid::execution on) {
       return grid::reduce_segments(a.in<double>(), a.offsets, 2, a.to<double>(), plus{}, on);
     }},
    {call::inclusive_scan, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan(a.in<float>(), n, a.to<float>(), plus{}, on);
     }},
    {call::inclusive_scan,
     "halves",
     n_alone,
     {sizeof(__half), 0, sizeof(float)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan(a.in<__half>(), n, a.to<__half>(), plus{}, on);
     }},
    {call::exclusive_scan, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::exclusive_scan(a.in<double>(), n, a.to<double>(), plus{}, 0.0, on);
     }},
    {call::inclusive_scan_by_key,
     "floats",
     n_alone,
     {sizeof(int), sizeof(float)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan_by_key(a.in<int>(), a.beside<float>(), n, a.to<float>(), plus{}, on);
     }},
    {call::exclusive_scan_by_key,
     "doubles",
     n_alone,
     {sizeof(int64_t), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::exclusive_scan_by_key(a.in<int64_t>(), a.beside<double>(), n, a.to<double>(), plus{}, 0.0, on);
     }},
    {call::inclusive_scan_segments, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::inclusive_scan_segments(a.in<float>(), n, a.offsets, 2, a.to<float>(), plus{}, on);
     }},
    {call::exclusive_scan_segments, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::exclusive_scan_segments(a.in<double>(), n, a.offsets, 2, a.to<double>(), plus{}, 0.0, on);
     }},
    {call::select,
     "16 bits by flags of 32",
     n_alone,
     {2, sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::select(a.in<std::uint16_t>(), a.beside<int>(), n, a.to<std::uint16_t>(), a.count, on);
     }},
    {call::partition,
     "doubles",
     n_alone,
     {sizeof(double), 1},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::partition(a.in<double>(), a.beside<char>(), n, a.to<double>(), a.count, on);
     }},
    {call::partition_copy,
     "floats",
     n_alone,
     {sizeof(float), 1},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::partition_copy(a.in<float>(), a.beside<char>(), n, a.to<float>(), a.also_to<float>(), a.count, on);
     }},
    {call::unique, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::unique(a.in<float>(), n, a.to<float>(), a.count, tessera::equal_to{}, on);
     }},
    {call::unique_by_key,
     "integers with doubles",
     n_alone,
     {sizeof(int), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::unique_by_key(a.in<int>(), a.beside<double>(), n, a.to<int>(), a.also_to<double>(), a.count,
                                  tessera::equal_to{}, on);
     }},
    {call::run_length_encode,
     "integers",
     n_alone,
     {sizeof(int), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::run_length_encode(a.in<int>(), n, a.to<int>(), a.also_to<int>(), a.count, tessera::equal_to{}, on);
     }},
    {call::reduce_by_key,
     "integers with doubles",
     n_alone,
     {sizeof(int), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::reduce_by_key(a.in<int>(), a.beside<double>(), n, a.to<int>(), a.also_to<double>(), a.count, plus{},
                                  tessera::equal_to{}, on);
     }},
    {call::lower_bound, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::lower_bound(a.in<float>(), n, a.beside<float>(), n / 2, a.to<int64_t>(), tessera::less{}, on);
     }},
    {call::upper_bound, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::upper_bound(a.in<double>(), n, a.beside<double>(), n / 2, a.to<int64_t>(), tessera::less{}, on);
     }},
    {call::merge, "floats", [](int64_t n) { return grid::array_sizes(n / 3, n / 2); }, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::merge(a.in<float>(), n / 3, a.beside<float>(), n / 2, a.to<float>(), tessera::less{}, on);
     }},
    {call::sort, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n,
        grid::execution on) { return grid::sort(a.in<float>(), n, a.to<float>(), tessera::greater{}, on); }},
    {call::sort, "doubles in place", n_alone, sizeof(double),
     [](arrays const& a, int64_t n,
        grid::execution on) { return grid::sort(a.to<double>(), n, a.to<double>(), tessera::less{}, on); }},
    {call::stable_sort, "halves", n_alone, sizeof(__half),
     [](arrays const& a, int64_t n,
        grid::execution on) { return grid::stable_sort(a.in<__half>(), n, a.to<__half>(), tessera::less{}, on); }},
    {call::sort_by_key,
     "floats with doubles",
     n_alone,
     {sizeof(float), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_by_key(a.in<float>(), a.beside<double>(), n, a.to<float>(), a.also_to<double>(),
                                tessera::less{}, on);
     }},
    {call::sort_by_key,
     "halves in place",
     n_alone,
     {sizeof(__half), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_by_key(a.to<__half>(), a.also_to<int>(), n, a.to<__half>(), a.also_to<int>(), tessera::less{},
                                on);
     }},
    {call::stable_sort_by_key,
     "integers of 64 bits with such of 32",
     n_alone,
     {sizeof(int64_t), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::stable_sort_by_key(a.in<int64_t>(), a.beside<int>(), n, a.to<int64_t>(), a.also_to<int>(),
                                       tessera::greater{}, on);
     }},
    {call::argsort,
     "floats, indices of 32 bits",
     n_alone,
     {sizeof(float), sizeof(std::uint32_t)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(a.in<float>(), n, a.to<std::uint32_t>(), tessera::less{}, on);
     }},
    {call::argsort,
     "halves, indices of 64 bits",
     n_alone,
     {sizeof(__half), sizeof(int64_t)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(a.in<__half>(), n, a.to<int64_t>(), tessera::less{}, on);
     }},
    {call::sort_segments, "floats", n_alone, sizeof(float),
     [](arrays const& a, int64_t n,
        grid::execution
            on) { return grid::sort_segments(a.in<float>(), n, a.offsets, 2, a.to<float>(), tessera::greater{}, on); }},
    {call::stable_sort_segments, "doubles", n_alone, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::stable_sort_segments(a.in<double>(), n, a.offsets, 2, a.to<double>(), tessera::less{}, on);
     }},
    {call::sort_segments_by_key,
     "integers with doubles",
     n_alone,
     {sizeof(int), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_segments_by_key(a.in<int>(), a.beside<double>(), n, a.offsets, 2, a.to<int>(),
                                         a.also_to<double>(), tessera::greater{}, on);
     }},
    {call::histogram, "floats", [](int64_t n) { return grid::array_sizes(n, 256); }, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::histogram(a.in<float>(), n, a.to<std::uint64_t>(), 256, 0.0f, 1.0f, {}, on);
     }},
    {call::top_k, "50 of floats", [](int64_t n) { return grid::array_sizes(n, n < 50 ? n : 50); }, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k(a.in<float>(), n, n < 50 ? n : 50, a.to<float>(), a.also_to<int64_t>(), tessera::greater{},
                          on);
     }},
    {call::top_k, "a third of floats", [](int64_t n) { return grid::array_sizes(n, n / 3); }, sizeof(float),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k(a.in<float>(), n, n / 3, a.to<float>(), a.also_to<int64_t>(), tessera::less{}, on);
     }},
    {call::top_k, "a thousandth of doubles", [](int64_t n) { return grid::array_sizes(n, n / 1000); }, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::top_k(a.in<double>(), n, n / 1000, a.to<double>(), a.also_to<int64_t>(), tessera::greater{}, on);
     }},
    {call::nth_element, "halves", [](int64_t n) { return grid::array_sizes(n, n / 7); }, sizeof(__half),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::nth_element(a.in<__half>(), n, n / 7, a.to<__half>(), a.also_to<int64_t>(), tessera::less{}, on);
     }},
    {call::quantiles, "median of doubles", [](int64_t n) { return grid::array_sizes(n, (n - 1) / 2); }, sizeof(double),
     [](arrays const& a, int64_t n, grid::execution on) {
       double const half = 0.5;
       return grid::quantiles(a.in<double>(), n, &half, 1, a.to<double>(), grid::quantile_method::linear, on);
     }},
};

}  // namespace scratch
