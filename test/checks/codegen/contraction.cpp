// Products and sums that meet, of which one is the caller's and one an operator's, for check_contraction.py: no compiler may contract
// the two into one fma. `contracted` shows that it would.
#include <tessera/adjacent_difference.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/operators.hpp>

extern "C" {

float contracted(float a, float b, float c) {
  return a * b + c;
}

float sum_of_products(float a, float b, float c) {
  return tessera::plus{}(a * b, c);
}
double sum_of_double_products(double a, double b, double c) {
  return tessera::plus{}(c, a * b);
}
float difference_from_product(float a, float b, float c) {
  return tessera::minus{}(a * b, c);
}
float difference_of_product(float a, float b, float c) {
  return tessera::minus{}(c, a * b);
}
float product_in_sum(float a, float b, float c) {
  return tessera::multiplies{}(a, b) + c;
}
double product_in_difference(double a, double b, double c) {
  return c - tessera::multiplies{}(a, b);
}
float both(float a, float b, float c) {
  return tessera::plus{}(tessera::multiplies{}(a, b), c);
}
float sum_of_items(float a, float b, float c) {
  return tessera::detail::reduce_own(tessera::items<float, 2>{a * b, c * a}, tessera::plus{});
}

}  // extern "C"
