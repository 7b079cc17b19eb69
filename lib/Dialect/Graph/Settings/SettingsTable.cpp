// What the table of settings is asked, and that it is whole.
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "CountFields.h"
#include "mpc/Dialect/Graph/Settings/SettingRows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;
using rows::isSame;
using rows::kSettings;
using rows::PartOf;

//===-- No field without a row, and none with two -------------------------===//

namespace {

template <typename Struct> consteval bool hasRowForEachField() {
  size_t rows = 0;
  for (const Setting &row : kSettings)
    rows += row.hasField() && row.field.part == PartOf<Struct>::part;
  return rows == countFields<Struct>();
}

template <typename... Structs> consteval bool haveRowsForEachField() {
  // Each part, and the groups, which are no setting.
  static_assert(countFields<TrainingSettings>() == sizeof...(Structs) + 1,
                "a part of TrainingSettings is not in the list");
  return (hasRowForEachField<Structs>() && ...);
}

consteval bool areDistinct() {
  for (const Setting &one : kSettings)
    for (const Setting &other : kSettings)
      if (&one != &other &&
          (isSame(one.name, other.name) ||
           (one.hasField() && one.field.in == other.field.in) ||
           (one.hasField() && one.field.part == other.field.part &&
            isSame(one.field.parameter, other.field.parameter))))
        return false;
  return true;
}

static_assert(
    haveRowsForEachField<Numerics, LossScale, OptimizerChoice, Hyperparameters,
                         Clip, Schedule, StepParts, StepOutputs>(),
    "expected one row for each field of TrainingSettings.h");
static_assert(areDistinct(), "two rows have one name or one field");

} // namespace

ArrayRef<Setting> graph::trainingSettings() { return kSettings; }

const Setting *graph::findSetting(Part part, StringRef parameter) {
  for (const Setting &setting : kSettings)
    if (setting.hasField() && setting.field.part == part &&
        setting.field.parameter == parameter)
      return &setting;
  return nullptr;
}

//===-- Parts as keys of attributes ---------------------------------------===//

template <typename Struct> static llvm::hash_code hashPart(const Struct &part) {
  TrainingSettings settings;
  settings.*PartOf<Struct>::in = part;
  auto hashOf = [](WordRef word) { return llvm::hash_value(word.get()); };
  auto hashAt = [](const auto *value) {
    using llvm::hash_value;
    return hash_value(*value);
  };
  llvm::hash_code hash = 0;
  for (const Setting &setting : kSettings)
    if (setting.hasField() && setting.field.part == PartOf<Struct>::part)
      hash =
          llvm::hash_combine(hash, std::visit(llvm::makeVisitor(hashOf, hashAt),
                                              read(setting.field, settings)));
  return hash;
}

llvm::hash_code graph::hash_value(const Numerics &part) {
  return hashPart(part);
}
llvm::hash_code graph::hash_value(const LossScale &part) {
  return hashPart(part);
}
llvm::hash_code graph::hash_value(const Clip &part) { return hashPart(part); }
llvm::hash_code graph::hash_value(const Schedule &part) {
  return hashPart(part);
}
llvm::hash_code graph::hash_value(const StepParts &part) {
  return hashPart(part);
}
