#include "Tables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mpc;
using namespace mpc::onnx;

template <typename Row>
static llvm::StringMap<const Row *>
index(std::initializer_list<ArrayRef<Row>> tables) {
  llvm::StringMap<const Row *> rows;
  for (ArrayRef<Row> table : tables)
    for (const Row &row : table)
      rows[row.type] = &row;
  return rows;
}

static const llvm::StringMap<const Converter *> &converters() {
  static const auto rows = index<Converter>(
      {activationConverters(), attentionConverters(), comparisonConverters(),
       contractionConverters(), convolutionConverters(),
       elementwiseConverters(), indexingConverters(), lossConverters(),
       normalizationConverters(), poolingConverters(), randomConverters(),
       recurrentConverters(), reductionConverters(), resizeConverters(),
       sequenceConverters(), shapeConverters()});
  return rows;
}

static const llvm::StringMap<const Evaluator *> &evaluators() {
  static const auto rows = index<Evaluator>(
      {elementwiseEvaluators(), indexingEvaluators(), constantEvaluators(),
       reductionEvaluators(), shapeEvaluators()});
  return rows;
}

const Converter *mpc::onnx::findConverter(StringRef type) {
  return converters().lookup(type);
}

const Evaluator *mpc::onnx::findEvaluator(StringRef type) {
  return evaluators().lookup(type);
}

std::vector<StringRef> mpc::onnx::knownOpTypes() {
  std::vector<StringRef> types;
  for (const auto &row : converters())
    types.push_back(row.getKey());
  for (const auto &row : evaluators())
    if (!converters().contains(row.getKey()))
      types.push_back(row.getKey());
  llvm::sort(types);
  return types;
}
