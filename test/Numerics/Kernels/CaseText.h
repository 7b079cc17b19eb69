// What the modules of kernel cases are written with.
#ifndef MPC_TEST_NUMERICS_KERNELS_CASETEXT_H
#define MPC_TEST_NUMERICS_KERNELS_CASETEXT_H

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace mpc::test {
using Shape = std::vector<int64_t>;

inline std::string type(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

inline std::string list(const Shape &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

/// Collects functions of one op each: `"graph.op"` text with %0, %1, ... as
/// operands of `operands` types.
class Cases {
public:
  void add(const std::string &op, const std::vector<std::string> &operands,
           const std::string &result, const std::string &types,
           const std::string &attributes = "") {
    std::string arguments;
    for (size_t i = 0; i < operands.size(); ++i)
      arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " + operands[i];
    text << "func.func @c" << count++ << "(" << arguments << ") -> " << result
         << attributes << " {\n  %r = " << op << " : " << types
         << "\n  return %r : " << result << "\n}\n";
  }
  void addFunction(const std::string &signature, const std::string &body) {
    text << "func.func @c" << count++ << signature << " {\n" << body << "}\n";
  }
  std::string str() const { return text.str(); }

private:
  std::ostringstream text;
  int count = 0;
};

inline std::string functional(const std::vector<std::string> &operands,
                              const std::string &result) {
  std::string text = "(";
  for (size_t i = 0; i < operands.size(); ++i)
    text += (i ? ", " : "") + operands[i];
  return text + ") -> " + result;
}
inline void addFunctional(Cases &cases, const std::string &op,
                          const std::vector<std::string> &operands,
                          const std::string &result) {
  cases.add(op, operands, result, functional(operands, result));
}

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_CASETEXT_H
