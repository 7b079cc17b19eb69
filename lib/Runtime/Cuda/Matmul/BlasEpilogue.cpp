#include "BlasEpilogue.h"

using namespace mpc;
using namespace mpc::runtime;
using program::BiasGradient;
using program::Epilogue;

std::string_view runtime::getName(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    return "none";
  case Epilogue::Relu:
    return "relu";
  case Epilogue::GeluErf:
    return "gelu_erf";
  case Epilogue::GeluTanh:
    return "gelu_tanh";
  case Epilogue::Tanh:
    return "tanh";
  case Epilogue::Sigmoid:
    return "sigmoid";
  }
  return "unknown";
}

/// What the compiler never asks for when it compiles for cuda.
static Status refuse(const std::string &expected, const std::string &found) {
  return {StatusCode::InvalidProgram,
          "expected " + expected + ", but got " + found +
              "; compile the model for target cuda with this version of "
              "mpc-compile"};
}

static Result<cublasLtEpilogue_t> toDerivative(const program::Matmul &matmul) {
  if (matmul.epilogue() != Epilogue::GeluTanh)
    return refuse("a product with the derivative of gelu_tanh (cuBLASLt reads "
                  "bits for relu, and has no other)",
                  "the derivative of " +
                      std::string(getName(matmul.epilogue())));
  if (matmul.has_bias() || matmul.accumulate())
    return refuse("a derivative without bias and accumulation", "one with");
  switch (matmul.bias_gradient()) {
  case BiasGradient::None:
    return CUBLASLT_EPILOGUE_DGELU;
  case BiasGradient::OfResult:
    return CUBLASLT_EPILOGUE_DGELU_BGRAD;
  case BiasGradient::OfLhs:
  case BiasGradient::OfRhs:
    break;
  }
  return refuse("a derivative with the sums of its result",
                "one with the sums of an operand");
}

static Result<cublasLtEpilogue_t>
toBiasGradient(const program::Matmul &matmul) {
  if (matmul.epilogue() != Epilogue::None || matmul.has_bias() ||
      matmul.has_aux())
    return refuse("a product without epilogue beside the sums of an operand",
                  std::string(getName(matmul.epilogue())) +
                      (matmul.has_bias() ? " with bias" : ""));
  // Our rhs is A, our lhs is B. cuBLASLt sums A only as it is, and B only
  // transposed: along what lies dense.
  if (matmul.bias_gradient() == BiasGradient::OfRhs)
    return matmul.transpose_rhs()
               ? refuse("sums of rhs where it is not transposed", "it so")
               : Result<cublasLtEpilogue_t>(CUBLASLT_EPILOGUE_BGRADA);
  if (matmul.bias_gradient() == BiasGradient::OfLhs)
    return matmul.transpose_lhs()
               ? Result<cublasLtEpilogue_t>(CUBLASLT_EPILOGUE_BGRADB)
               : refuse("sums of lhs where it is transposed", "it as it is");
  return refuse("sums of the result only beside a derivative",
                "sums of the result of a plain product");
}

Result<cublasLtEpilogue_t>
runtime::toBlasEpilogue(const program::Matmul &matmul) {
  if (matmul.derivative())
    return toDerivative(matmul);
  if (matmul.bias_gradient() != BiasGradient::None)
    return toBiasGradient(matmul);
  bool bias = matmul.has_bias();
  if (matmul.has_aux() && matmul.epilogue() != Epilogue::GeluTanh)
    return refuse("an auxiliary matrix only with gelu_tanh (cuBLASLt writes "
                  "bits for relu)",
                  "one with " + std::string(getName(matmul.epilogue())));
  if (matmul.accumulate() && matmul.epilogue() != Epilogue::None)
    return refuse("accumulation without activation",
                  "one with " + std::string(getName(matmul.epilogue())));
  switch (matmul.epilogue()) {
  case Epilogue::None:
    return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  case Epilogue::Relu:
    return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  case Epilogue::GeluTanh:
    if (matmul.has_aux())
      return bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                  : CUBLASLT_EPILOGUE_GELU_AUX;
    return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  case Epilogue::GeluErf:
  case Epilogue::Tanh:
  case Epilogue::Sigmoid:
    break;
  }
  return refuse("one of the activations of cuBLASLt, relu and gelu_tanh (its "
                "gelu is the tanh form)",
                std::string(getName(matmul.epilogue())));
}
