#include "mpc/Dialect/Graph/IR/Profiles.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::graph;
using EmitError = TrainingSettings::EmitError;

/// torch.optim: the one default that is not that of the op here.
static constexpr HyperparameterDefault torchOptimizers[] = {
    {"adamw", "weight_decay", 0.01}};

ArrayRef<Profile> graph::profiles() {
  // name, precision, autocast, lists, keep-normalization, output, master,
  // loss-scale
  static const Profile profiles[] = {
      {"torch-cuda", "fp16", "torch", "cuda", false, "f32", "f32", "torch",
       "torch.autocast(\"cuda\") and GradScaler", torchOptimizers},
      {"torch-cpu", "bf16", "torch", "cpu", false, "f32", "f32", "none",
       "torch.autocast(\"cpu\")", torchOptimizers},
      {"apex-O0", "fp32", "whole", "cuda", false, "f32", "f32", "none",
       "apex/amp/frontend.py"},
      {"apex-O1", "fp16", "torch", "apex", false, "f32", "f32", "apex",
       "apex/amp/frontend.py"},
      {"apex-O2", "fp16", "whole", "cuda", true, "f32", "f32", "apex",
       "apex/amp/frontend.py"},
      {"apex-O3", "fp16", "whole", "cuda", false, "f32", "f16", "none",
       "apex/amp/frontend.py"},
      {"tf-fp16", "fp16", "tf", "cuda", false, "f32", "f32", "tf2",
       "auto_mixed_precision of TensorFlow"},
      {"tf-bf16", "bf16", "tf", "cuda", false, "f32", "f32", "none",
       "auto_mixed_precision_onednn_bfloat16 of TensorFlow"},
      {"mixed_float16", "fp16", "whole", "cuda", false, "f32", "f32", "keras",
       "Keras's policy of that name"},
      {"mixed_bfloat16", "bf16", "whole", "cuda", false, "f32", "f32", "none",
       "Keras's policy of that name"},
  };
  return profiles;
}

static LogicalResult apply(TrainingSettings &settings, const Profile &profile,
                           EmitError emitError) {
  SettingTexts texts = {
      {"precision", profile.precision.str()},
      {"autocast", profile.autocast.str()},
      {"lists", profile.lists.str()},
      {"keep-normalization", profile.keepNormalization ? "true" : "false"},
      {"output", profile.output.str()},
      {"master", profile.master.str()},
      {"loss-scale", profile.lossScale.str()}};
  return settings.apply(texts, emitError);
}

/// "f16" for "half", or an empty text.
static StringRef parseType(StringRef word) {
  return llvm::StringSwitch<StringRef>(word)
      .Cases({"float32", "f32", "full"}, "f32")
      .Cases({"float16", "f16", "half"}, "f16")
      .Cases({"bfloat16", "bf16"}, "bf16")
      .Default("");
}

namespace {
/// The three types of a jmp policy; empty: not given.
struct JmpPolicy {
  StringRef params, compute, output;

  LogicalResult parse(StringRef text, EmitError emitError) {
    if (!text.contains('='))
      return set(params, text, emitError);
    for (StringRef part : llvm::split(text, ',')) {
      auto [key, word] = part.split('=');
      StringRef *type = llvm::StringSwitch<StringRef *>(key.trim())
                            .Cases({"params", "p"}, &params)
                            .Cases({"compute", "c"}, &compute)
                            .Cases({"output", "o"}, &output)
                            .Default(nullptr);
      if (!type)
        return emitError() << "expected params=, compute= or output= (or p, c, "
                              "o) in a jmp profile, but got '"
                           << part << "'";
      if (failed(set(*type, word, emitError)))
        return failure();
    }
    return success();
  }

  static LogicalResult set(StringRef &type, StringRef word,
                           EmitError emitError) {
    type = parseType(word.trim());
    if (type.empty())
      return emitError() << "expected float32 (f32, full), float16 (f16, half) "
                            "or bfloat16 (bf16) in a jmp profile, but got '"
                         << word.trim() << "'";
    return success();
  }
};
} // namespace

static LogicalResult applyJmp(TrainingSettings &settings, StringRef text,
                              EmitError emitError) {
  JmpPolicy policy;
  if (failed(policy.parse(text, emitError)))
    return failure();
  StringRef params = policy.params.empty() ? "f32" : policy.params;
  StringRef compute = policy.compute.empty() ? params : policy.compute;
  StringRef output = policy.output.empty() ? compute : policy.output;
  StringRef precision = llvm::StringSwitch<StringRef>(compute)
                            .Case("f16", "fp16")
                            .Case("bf16", "bf16")
                            .Default("fp32");
  return apply(settings,
               {"jmp", precision, "whole", "cuda", false, output, params,
                compute == "f16" ? "jmp" : "none", "jmp.get_policy"},
               emitError);
}

LogicalResult graph::applyProfile(TrainingSettings &settings, StringRef text,
                                  EmitError emitError) {
  StringRef rest = text;
  if (rest.consume_front("jmp:"))
    return applyJmp(settings, rest, emitError);
  for (const Profile &profile : profiles())
    if (profile.name == text) {
      LogicalResult applied = apply(settings, profile, emitError);
      settings.profileDefaults = profile.hyperparameters; // Once all is given.
      return applied;
    }
  InFlightDiagnostic error = emitError();
  error << "expected profile ";
  for (auto [index, profile] : llvm::enumerate(profiles()))
    error << (index == 0 ? "" : ", ") << profile.name;
  return error << " or jmp: with a policy of jmp, but got '" << text << "'";
}
