#include "mpc/Dialect/Graph/Training/Profiles.h"
#include "mpc/Dialect/Graph/Training/LossScalePresets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::graph;

/// torch.optim: the one default that is not that of the op here.
static constexpr HyperparameterDefault torchOptimizers[] = {
    {"adamw", "weight_decay", 0.01}};

ArrayRef<Profile> graph::profiles() {
  // name, precision, autocast, lists, keep-normalization, output, master,
  // loss-scale
  static const Profile profiles[] = {
      {"torch-cuda", Precision::Fp16, PrecisionMode::Torch, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F32, "torch",
       "torch.autocast(\"cuda\") and GradScaler", torchOptimizers},
      {"torch-cpu", Precision::Bf16, PrecisionMode::Torch, TorchLists::Cpu,
       false, OutputType::F32, MasterType::F32, "none",
       "torch.autocast(\"cpu\")", torchOptimizers},
      {"apex-O0", Precision::Fp32, PrecisionMode::Whole, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F32, "none", "apex/amp/frontend.py"},
      {"apex-O1", Precision::Fp16, PrecisionMode::Torch, TorchLists::Apex,
       false, OutputType::F32, MasterType::F32, "apex", "apex/amp/frontend.py"},
      {"apex-O2", Precision::Fp16, PrecisionMode::Whole, TorchLists::Cuda, true,
       OutputType::F32, MasterType::F32, "apex", "apex/amp/frontend.py"},
      {"apex-O3", Precision::Fp16, PrecisionMode::Whole, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F16, "none", "apex/amp/frontend.py"},
      {"tf-fp16", Precision::Fp16, PrecisionMode::TensorFlow, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F32, "tf2",
       "auto_mixed_precision of TensorFlow"},
      {"tf-bf16", Precision::Bf16, PrecisionMode::TensorFlow, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F32, "none",
       "auto_mixed_precision_onednn_bfloat16 of TensorFlow"},
      {"mixed_float16", Precision::Fp16, PrecisionMode::Whole, TorchLists::Cuda,
       false, OutputType::F32, MasterType::F32, "keras",
       "Keras's policy of that name"},
      {"mixed_bfloat16", Precision::Bf16, PrecisionMode::Whole,
       TorchLists::Cuda, false, OutputType::F32, MasterType::F32, "none",
       "Keras's policy of that name"},
  };
  return profiles;
}

static LogicalResult apply(TrainingSettings &settings, const Profile &profile,
                           EmitError emitError) {
  Numerics &numerics = settings.numerics;
  numerics.precision = profile.precision;
  numerics.autocast = profile.autocast;
  numerics.lists = profile.lists;
  numerics.keepNormalization = profile.keepNormalization;
  numerics.output = profile.output;
  settings.optimizer.master = profile.master;
  return applyLossScale(settings, profile.lossScale, emitError);
}

namespace {

/// A type of a jmp policy, as our settings say it.
struct JmpType {
  MasterType params;
  Precision compute;
  OutputType output;
  StringRef lossScale; ///< That jmp's users take when they compute in it.
};
constexpr JmpType kFull = {MasterType::F32, Precision::Fp32, OutputType::F32,
                           "none"};
constexpr JmpType kHalf = {MasterType::F16, Precision::Fp16, OutputType::F16,
                           "jmp"};
constexpr JmpType kBrain = {MasterType::Bf16, Precision::Bf16, OutputType::Bf16,
                            "none"};

const JmpType *findType(StringRef word) {
  return llvm::StringSwitch<const JmpType *>(word)
      .Cases({"float32", "f32", "full"}, &kFull)
      .Cases({"float16", "f16", "half"}, &kHalf)
      .Cases({"bfloat16", "bf16"}, &kBrain)
      .Default(nullptr);
}

/// The three types of a jmp policy; null: not given.
struct JmpPolicy {
  const JmpType *params = nullptr, *compute = nullptr, *output = nullptr;

  LogicalResult parse(StringRef text, EmitError emitError) {
    if (!text.contains('='))
      return set(params, text, emitError);
    for (StringRef part : llvm::split(text, ',')) {
      auto [key, word] = part.split('=');
      auto *type = llvm::StringSwitch<const JmpType **>(key.trim())
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

  static LogicalResult set(const JmpType *&type, StringRef word,
                           EmitError emitError) {
    type = findType(word.trim());
    if (type)
      return success();
    return emitError() << "expected float32 (f32, full), float16 (f16, half) "
                          "or bfloat16 (bf16) in a jmp profile, but got '"
                       << word.trim() << "'";
  }
};

} // namespace

static LogicalResult applyJmp(TrainingSettings &settings, StringRef text,
                              EmitError emitError) {
  JmpPolicy policy;
  if (failed(policy.parse(text, emitError)))
    return failure();
  const JmpType *params = policy.params ? policy.params : &kFull;
  const JmpType *compute = policy.compute ? policy.compute : params;
  const JmpType *output = policy.output ? policy.output : compute;
  return apply(settings,
               {"jmp", compute->compute, PrecisionMode::Whole, TorchLists::Cuda,
                false, output->output, params->params, compute->lossScale,
                "jmp.get_policy"},
               emitError);
}

static const Profile *findProfile(StringRef name) {
  for (const Profile &profile : profiles())
    if (profile.name == name)
      return &profile;
  return nullptr;
}

LogicalResult graph::applyProfile(TrainingSettings &settings, StringRef text,
                                  EmitError emitError) {
  StringRef rest = text;
  if (rest.consume_front("jmp:"))
    return applyJmp(settings, rest, emitError);
  if (const Profile *profile = findProfile(text))
    return apply(settings, *profile, emitError);
  InFlightDiagnostic error = emitError();
  error << "expected profile ";
  for (auto [index, profile] : llvm::enumerate(profiles()))
    error << (index == 0 ? "" : ", ") << profile.name;
  return error << " or jmp: with a policy of jmp, but got '" << text << "'";
}

ArrayRef<HyperparameterDefault>
graph::hyperparameterDefaultsOf(StringRef text) {
  const Profile *profile = findProfile(text);
  return profile ? profile->hyperparameters : ArrayRef<HyperparameterDefault>();
}
