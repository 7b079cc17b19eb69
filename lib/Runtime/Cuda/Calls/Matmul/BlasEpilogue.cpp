#include "BlasEpilogue.h"

using namespace mpc;
using namespace mpc::runtime;
using program::Epilogue;
using program::MatmulCall;

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

program::MatrixLayout runtime::getLhsLayout(const MatmulCall &call) {
  return *getMatrixLayout(*call.lhs);
}

program::MatrixLayout runtime::getRhsLayout(const MatmulCall &call) {
  bool isF8 = call.rhs->type() >= program::ElementType::F8E4M3;
  return *getMatrixLayout(*call.rhs, /*preferTransposed=*/isF8);
}

/// What the compiler never asks for when it compiles for cuda.
static Status refuse(const std::string &expected, const std::string &found) {
  return {StatusCode::InvalidProgram,
          "expected " + expected + ", but got " + found +
              "; compile the model for target cuda with this version of "
              "mpc-compile"};
}

static Result<cublasLtEpilogue_t> toDerivative(const MatmulCall &call) {
  if (call.options.epilogue() != Epilogue::GeluTanh)
    return refuse("a product with the derivative of gelu_tanh",
                  "the derivative of " +
                      std::string(getName(call.options.epilogue())));
  if (call.bias || call.addend)
    return refuse("a derivative without bias and addend", "one with");
  return CUBLASLT_EPILOGUE_DGELU;
}

Result<cublasLtEpilogue_t> runtime::toBlasEpilogue(const MatmulCall &call) {
  if (call.options.derivative())
    return toDerivative(call);
  bool bias = call.bias != nullptr;
  if (call.aux && call.options.epilogue() != Epilogue::GeluTanh)
    return refuse("an auxiliary matrix only with gelu_tanh",
                  "one with " + std::string(getName(call.options.epilogue())));
  switch (call.options.epilogue()) {
  case Epilogue::None:
    return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  case Epilogue::GeluTanh:
    if (call.aux)
      return bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                  : CUBLASLT_EPILOGUE_GELU_AUX;
    return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  case Epilogue::Relu:
  case Epilogue::GeluErf:
  case Epilogue::Tanh:
  case Epilogue::Sigmoid:
    break;
  }
  return refuse("gelu_tanh (cuBLASLt's gelu is the tanh form, and its relu "
                "makes 0 of NaN)",
                std::string(getName(call.options.epilogue())));
}
