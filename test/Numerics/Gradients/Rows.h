// The table of the gradient check: for each differentiable op, uses of it on
// several shapes (rank 0, size 1, odd sizes, broadcasting either way).
#ifndef MPC_TEST_NUMERICS_GRADIENTS_ROWS_H
#define MPC_TEST_NUMERICS_GRADIENTS_ROWS_H

#include <iosfwd>
#include <string>
#include <vector>

namespace mpc::gradients {

struct Row {
  /// Names the test; the op is what stands after "graph." in `text`.
  std::string name;
  /// Types of the operands: a shape alone ("2x3", "" for rank 0) is f64 and a
  /// parameter; with an element type ("4xi32", "4xi1") it is an input.
  std::vector<std::string> operands;
  /// The op, with $0, $1, ... for operands, $R for the result type and $F for
  /// "(operand types) -> result type".
  std::string text;
  /// Shape of the f64 result.
  std::string result;
  /// Range of the float operands.
  double low = -1, high = 1;
  /// Operands keep this distance from 0, where the op has a kink.
  double margin = 0;
  /// What stands before the op, and how many results it has: the first is the
  /// f64 one.
  std::string before = "";
  int numResults = 1;
};

std::vector<Row> allRows();
/// Of family Normalization, those of channels.
void addChannelNormRows(std::vector<Row> &rows);
/// Of family Convolution.
void addConvolutionRows(std::vector<Row> &rows);
/// Of family Recurrent.
void addRecurrentRows(std::vector<Row> &rows);
/// Of families Pooling and Resize.
void addSpaceRows(std::vector<Row> &rows);

void PrintTo(const Row &row, std::ostream *out);

} // namespace mpc::gradients

#endif // MPC_TEST_NUMERICS_GRADIENTS_ROWS_H
