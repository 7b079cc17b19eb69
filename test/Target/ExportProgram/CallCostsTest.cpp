// The operations of library calls are counted twice: by ops of the graph, for
// who chooses what to compute again, and by programs, for who looks at times.
// Both count the same, for each kind of call.
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mpc/InitAll.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Program/Costs.h"
#include "mpc/Target/ExportProgram.h"
#include <gtest/gtest.h>
#include <set>

using namespace mpc;
using namespace mpc::program;

namespace {

constexpr const char *kPasses =
    "mpc-decompose,mpc-group,mpc-convert-graph-to-exec,mpc-plan-buffers";

class CallCostsTest : public testing::Test {
protected:
  static mlir::DialectRegistry allDialects() {
    registerAllPasses();
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  CallCostsTest() : context(allDialects()) {}

  /// Compiles an entry of `arguments` that does `body`, and compares the
  /// operations of its only call, which makes `results`.
  void compare(const std::string &arguments, const std::string &body,
               const std::string &results) {
    SCOPED_TRACE(body);
    std::string text = "func.func @f(" + arguments + ") -> (" + results +
                       ") attributes {graph.entry = \"forward\"} {\n" + body +
                       "\n}\n";
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    double ofGraph = -1;
    module->walk(
        [&](LibraryCallOpInterface call) { ofGraph = call.countFlops(); });
    mlir::PassManager pm(&context, ModuleOp::getOperationName());
    ASSERT_TRUE(succeeded(mlir::parsePassPipeline(kPasses, pm)));
    ASSERT_TRUE(succeeded(pm.run(*module)));
    FailureOr<ProgramT> made = target::exportProgram(*module, "cpu");
    ASSERT_TRUE(succeeded(made));
    ASSERT_EQ(made->calls.size(), 1u);
    kinds.insert(made->calls.front()->options.type);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(program::Program::Pack(builder, &*made));
    const auto &packed =
        *flatbuffers::GetRoot<program::Program>(builder.GetBufferPointer());
    Cost cost =
        getCost(packed, Record(RecordKind::Call, 0, 0, 0, kNoName, 1, 1));
    EXPECT_GT(cost.flops, 0);
    EXPECT_EQ(ofGraph, cost.flops);
  }

  void compareProducts();
  void compareAttention();
  void compareConvolutions();

  MLIRContext context;
  std::set<CallOptions> kinds; ///< That were compared.
};

std::string input(const std::string &name, const std::string &type) {
  return "%" + name + ": " + type + " {graph.input = \"" + name + "\"}";
}

std::string output(const std::string &name, const std::string &type) {
  return type + " {graph.output = \"" + name + "\"}";
}

} // namespace

void CallCostsTest::compareProducts() {
  struct Case {
    const char *lhs, *rhs, *flags, *result;
  };
  for (const Case &c :
       {Case{"4x8", "8x2", "", "4x2"},
        Case{"8x4", "8x2", " transpose_lhs", "4x2"},
        Case{"4x8", "2x8", " transpose_rhs", "4x2"},
        Case{"3x4x8", "3x8x2", "", "3x4x2"}, Case{"3x4x8", "8x2", "", "3x4x2"}})
    for (std::string element : {"xf32>", "xf64>", "xbf16>"}) {
      std::string lhs = std::string("tensor<") + c.lhs + element,
                  rhs = std::string("tensor<") + c.rhs + element,
                  result = std::string("tensor<") + c.result + element;
      compare(input("a", lhs) + ", " + input("b", rhs),
              "  %y = graph.matmul %a, %b" + std::string(c.flags) + " : (" +
                  lhs + ", " + rhs + ") -> " + result +
                  "\n  return %y : " + result,
              output("y", result));
    }
}

void CallCostsTest::compareAttention() {
  // Of 12 queries and 9 keys, six heads that share three.
  const std::string query = "tensor<2x12x6x8xf32>", key = "tensor<2x9x3x8xf32>",
                    value = "tensor<2x9x3x16xf32>",
                    result = "tensor<2x12x6x16xf32>",
                    logsumexp = "tensor<2x6x12xf32>";
  std::string operands =
      input("q", query) + ", " + input("k", key) + ", " + input("v", value);
  for (std::string flags : {"", " causal", " window = 3", " causal window = 1",
                            " causal window = 4", " window = 100",
                            " causal window = 9223372036854775807"}) {
    compare(operands,
            "  %y, %l = graph.scaled_dot_product_attention %q, %k, %v" + flags +
                " : (" + query + ", " + key + ", " + value + ") -> (" + result +
                ", " + logsumexp + ")\n  return %y : " + result,
            output("y", result));
    compare(
        operands + ", " + input("y", result) + ", " + input("l", logsumexp) +
            ", " + input("d", result),
        "  %0, %1, %2 = graph.scaled_dot_product_attention_backward %q, %k, %v "
        "result %y, %l cotangent %d" +
            flags + " : (" + query + ", " + key + ", " + value + ", " + result +
            ", " + logsumexp + ", " + result + ") -> (" + query + ", " + key +
            ", " + value + ")\n  return %0, %1, %2 : " + query + ", " + key +
            ", " + value,
        output("dq", query) + ", " + output("dk", key) + ", " +
            output("dv", value));
  }
}

void CallCostsTest::compareConvolutions() {
  // A convolution of 2 x 4 x 9 x 8 in two groups, and its gradients.
  const std::string x = "tensor<2x4x9x8xf32>", w = "tensor<6x2x3x3xf32>",
                    y = "tensor<2x6x5x4xf32>",
                    windows = " strides = [2, 2] low = [1, 1] high = [1, 1] "
                              "groups = 2";
  auto compareOne = [&](const std::string &op, const std::string &lhs,
                        const std::string &rhs, const std::string &words,
                        const std::string &result) {
    compare(input("a", lhs) + ", " + input("b", rhs),
            "  %y = graph." + op + " %a, %b" + words + windows + " : (" + lhs +
                ", " + rhs + ") -> " + result + "\n  return %y : " + result,
            output("y", result));
  };
  compareOne("convolution", x, w, "", y);
  compareOne("transposed_convolution", y, w, " sizes = [9, 8]", x);
  compareOne("convolution_weight_gradient", x, y, " kernel = [3, 3]", w);
}

TEST_F(CallCostsTest, AreTheSameInBothWings) {
  compareProducts();
  compareAttention();
  compareConvolutions();
#define MPC_CALL_KIND(kind, word)                                              \
  EXPECT_TRUE(kinds.contains(CallOptions::kind)) << word;
#include "mpc/Program/CallKinds.def"
}
