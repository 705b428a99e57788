#include "reduce_cases.hpp"

namespace test {

std::ostream& operator<<(std::ostream& out, row_name const& row) {
  char const* const participants[] = {"everyone", "first(n)", "where(pred)"};
  return out << "N " << row.size << ", seed " << row.seed << ", " << participants[static_cast<int>(row.participants)]
             << (row.leader_only ? ", to_leader" : ", to_all");
}

}  // namespace test
