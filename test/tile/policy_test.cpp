// Policies: how they compose, and the members of a composed policy. (diagnostics/ has those that must not
// compile.)
#include <tessera/core/policy.hpp>

#include <climits>

#include <gtest/gtest.h>

namespace {

using namespace tessera;

TEST(Policy, DefaultsStandFirst) {
  using none = policy<>;
  static_assert(std::is_same_v<none::convergence, choice::adaptive>);
  static_assert(std::is_same_v<none::placement, choice::to_all>);
  static_assert(std::is_same_v<none::participants, choice::everyone>);
  static_assert(std::is_same_v<none::method, choice::automatic>);
  static_assert(std::is_same_v<none::order, choice::blocked>);
  static_assert(!none::names<detail::policy_kind::method>);
}

TEST(Policy, ChoicesJoinInAnyOrder) {
  auto const a = converged | to_leader | first(5) | shuffles;
  auto const b = shuffles | first(5) | to_leader | converged;
  using A = std::remove_const_t<decltype(a)>;
  using B = std::remove_const_t<decltype(b)>;
  static_assert(std::is_same_v<A::convergence, choice::converged> && std::is_same_v<B::convergence, choice::converged>);
  static_assert(std::is_same_v<A::placement, choice::to_leader> && std::is_same_v<B::placement, choice::to_leader>);
  static_assert(std::is_same_v<A::method, choice::shuffles> && std::is_same_v<B::method, choice::shuffles>);
  static_assert(A::names<detail::policy_kind::participants>);
  static_assert(detail::is_striped<decltype(first(5) | striped)> && !detail::is_striped<A>);
  EXPECT_EQ(a.n, 5u);
  EXPECT_EQ(b.n, 5u);
}

TEST(Policy, FirstTakesAnyInteger) {
  EXPECT_EQ(first(3).n, 3u);
  EXPECT_EQ(first(-3).n, 0u);
  EXPECT_EQ(first(INT_MIN).n, 0u);
  EXPECT_GE(first(LLONG_MAX).n, 1024u);
  EXPECT_EQ(first(-1ll).n, 0u);
  EXPECT_GE(first(ULLONG_MAX).n, 1024u);
  EXPECT_EQ(first(static_cast<unsigned char>(7)).n, 7u);
}

TEST(Policy, Participants) {
  EXPECT_TRUE(detail::participates(policy<>{}, 31));
  EXPECT_TRUE(detail::participates(first(3), 2));
  EXPECT_FALSE(detail::participates(converged | first(3), 3));
  EXPECT_TRUE(detail::participates(where(true) | isolated, 9));
  EXPECT_FALSE(detail::participates(where(false), 0));
  static_assert(detail::everyone_participates<decltype(converged | to_all)>);
  static_assert(!detail::everyone_participates<decltype(first(1))>);
}

TEST(Policy, ArePolicies) {
  static_assert(is_policy_v<policy<>> && is_policy_v<decltype(converged | to_all)> && !is_policy_v<int>);
  static_assert(sizeof(converged | to_all | shuffles) == 1);
}

}  // namespace
