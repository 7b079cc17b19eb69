#include "mpc/Interfaces/AutocastOpInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;

#include "mpc/Interfaces/AutocastOpInterface.cpp.inc"

StringRef mpc::stringifyAutocastPolicy(AutocastPolicy policy) {
  switch (policy) {
  case AutocastPolicy::Allow:
    return "Allow";
  case AutocastPolicy::Deny:
    return "Deny";
  case AutocastPolicy::DenyIO:
    return "DenyIO";
  case AutocastPolicy::Promote:
    return "Promote";
  case AutocastPolicy::Infer:
    return "Infer";
  case AutocastPolicy::Clear:
    return "Clear";
  }
  llvm_unreachable("unknown autocast policy");
}

StringRef mpc::stringifyTorchPolicy(TorchPolicy policy) {
  switch (policy) {
  case TorchPolicy::LowerPrecisionFp:
    return "lower_precision_fp";
  case TorchPolicy::Fp32:
    return "fp32";
  case TorchPolicy::Fp32SetOptDtype:
    return "fp32_set_opt_dtype";
  case TorchPolicy::Fp32AppendDtype:
    return "fp32_append_dtype";
  case TorchPolicy::Promote:
    return "promote";
  case TorchPolicy::Banned:
    return "banned";
  case TorchPolicy::Fallthrough:
    return "fallthrough";
  }
  llvm_unreachable("unknown torch policy");
}

StringRef mpc::stringifyTensorFlowPolicy(TensorFlowPolicy policy) {
  switch (policy) {
  case TensorFlowPolicy::Allow:
    return "allow";
  case TensorFlowPolicy::Infer:
    return "infer";
  case TensorFlowPolicy::Deny:
    return "deny";
  case TensorFlowPolicy::Clear:
    return "clear";
  case TensorFlowPolicy::Unlisted:
    return "unlisted";
  }
  llvm_unreachable("unknown TensorFlow policy");
}

TorchPolicy mpc::toTorchPolicy(AutocastPolicy policy) {
  switch (policy) {
  case AutocastPolicy::Allow:
    return TorchPolicy::LowerPrecisionFp;
  case AutocastPolicy::Deny:
    return TorchPolicy::Fp32;
  case AutocastPolicy::Promote:
    return TorchPolicy::Promote;
  case AutocastPolicy::DenyIO:
  case AutocastPolicy::Infer:
  case AutocastPolicy::Clear:
    return TorchPolicy::Fallthrough;
  }
  llvm_unreachable("unknown autocast policy");
}

TensorFlowPolicy mpc::toTensorFlowPolicy(AutocastPolicy policy) {
  switch (policy) {
  case AutocastPolicy::Allow:
    return TensorFlowPolicy::Allow;
  case AutocastPolicy::Deny:
    return TensorFlowPolicy::Deny;
  case AutocastPolicy::DenyIO:
  case AutocastPolicy::Infer:
    return TensorFlowPolicy::Infer;
  case AutocastPolicy::Promote: // maximum, select, concat
  case AutocastPolicy::Clear:
    return TensorFlowPolicy::Clear;
  }
  llvm_unreachable("unknown autocast policy");
}

std::optional<AutocastPolicy> mpc::toAutocastPolicy(TorchPolicy policy) {
  switch (policy) {
  case TorchPolicy::LowerPrecisionFp:
    return AutocastPolicy::Allow;
  case TorchPolicy::Fp32:
  case TorchPolicy::Banned:
    return AutocastPolicy::Deny;
  case TorchPolicy::Fp32SetOptDtype:
  case TorchPolicy::Fp32AppendDtype:
    return AutocastPolicy::DenyIO;
  case TorchPolicy::Promote:
    return AutocastPolicy::Promote;
  case TorchPolicy::Fallthrough:
    return std::nullopt;
  }
  llvm_unreachable("unknown torch policy");
}

std::optional<AutocastPolicy> mpc::symbolizeAutocastPolicy(StringRef word) {
  return llvm::StringSwitch<std::optional<AutocastPolicy>>(word)
      .Case("Allow", AutocastPolicy::Allow)
      .Case("Deny", AutocastPolicy::Deny)
      .Case("DenyIO", AutocastPolicy::DenyIO)
      .Case("Promote", AutocastPolicy::Promote)
      .Case("Infer", AutocastPolicy::Infer)
      .Case("Clear", AutocastPolicy::Clear)
      .Default(std::nullopt);
}
