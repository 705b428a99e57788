// Misuse that must not compile, and what the compiler must say. check.py compiles each case on its own, behind these
// lines; `good` must compile.
#include <tessera/host/launch.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <string>

using namespace tessera;
inline auto const multiply = [](int a, int b) { return a * b; };

//// good
void use(host::tile<8> tile) {
  reduce(tile, 1, multiply);
  reduce(tile, 1, make_operator(multiply, 1), first(3) | converged);
}

//// tile size that is no power of two: a power of two of lanes, from 1 to 1024: write 1, 2, 4, 8
void use(host::block block) {
  tessera::tiled_partition<12>(block);
}

//// tile size above 1024: a power of two of lanes, from 1 to 1024: write 1, 2, 4, 8
void use(host::block block) {
  tessera::tiled_partition<2048>(block);
}

//// part larger than the tile: the tile to divide has fewer than M lanes
void use(host::tile<8> tile) {
  tessera::tiled_partition<16>(tile);
}

//// no tile: write auto tile = tessera::tiled_partition<32>(block)
void use(host::block block) {
  reduce(block, 1);
}

//// type that isn't trivially copyable: reduce or move a plain struct of its numbers
void use(host::tile<8> tile) {
  reduce(tile, std::string("x"));
}

//// movement of a type that isn't trivially copyable: reduce or move a plain struct of its numbers
void use(host::tile<8> tile) {
  broadcast(tile, std::string("x"));
}

//// convergence named twice: keep one of adaptive/converged/isolated
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, converged | isolated);
}

//// participants named twice: one of everyone/first(n)/where(pred)
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, first(2) | where(true));
}

//// method of a vote: leave automatic/shuffles/hardware out
void use(host::tile<8> tile) {
  ballot(tile, true, hardware);
}

//// participants of a movement: only adaptive, converged or isolated make sense
void use(host::tile<8> tile) {
  broadcast(tile, 1, 0, first(3));
}

//// partial reduce without identity: write make_operator(f, identity)
void use(host::tile<8> tile) {
  reduce(tile, 1, multiply, first(3));
}

//// identity of a type that is no number: write make_operator(f, identity)
enum class level { low, high };
void use(host::tile<8> tile) { reduce(tile, level::high, minimum{}, first(2)); }

//// operator that can't be called while const: a const operator(), no mutable lambda
void use(host::tile<8> tile) {
  int calls = 0;
  reduce(tile, 1, [calls](int a, int b) mutable { return a + b + calls++; });
}

//// hardware where there is none: no instruction combines this type by this operator: write automatic
void use(host::tile<8> tile) {
  reduce(tile, 1.0, plus{}, hardware);
}

//// policy in the operator's place: the operator comes before the policy: write
void use(host::tile<8> tile) {
  reduce(tile, 1, converged);
}

//// operator in the policy's place: a policy is made of choices joined with |
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, plus{});
}

//// n that is no integer: n is an integer
void use(host::tile<8> tile) {
  reduce(tile, 1, plus{}, first(2.5));
}

//// host tile of an odd size: power of two
void use(host::block block) {
  host::tiled_partition<3>(block);
}
