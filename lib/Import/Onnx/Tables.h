// The tables of the families, one for each file of Convert and Fold.
#ifndef MPC_LIB_IMPORT_ONNX_TABLES_H
#define MPC_LIB_IMPORT_ONNX_TABLES_H

#include "Node.h"

namespace mpc::onnx {

ArrayRef<Converter> activationConverters();
ArrayRef<Converter> attentionConverters();
ArrayRef<Converter> comparisonConverters();
ArrayRef<Converter> contractionConverters();
ArrayRef<Converter> convolutionConverters();
ArrayRef<Converter> elementwiseConverters();
ArrayRef<Converter> indexingConverters();
ArrayRef<Converter> lossConverters();
ArrayRef<Converter> normalizationConverters();
ArrayRef<Converter> poolingConverters();
ArrayRef<Converter> randomConverters();
ArrayRef<Converter> recurrentConverters();
ArrayRef<Converter> reductionConverters();
ArrayRef<Converter> resizeConverters();
ArrayRef<Converter> sequenceConverters();
ArrayRef<Converter> shapeConverters();

ArrayRef<Evaluator> elementwiseEvaluators();
ArrayRef<Evaluator> indexingEvaluators();
ArrayRef<Evaluator> constantEvaluators();
ArrayRef<Evaluator> reductionEvaluators();
ArrayRef<Evaluator> shapeEvaluators();

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_TABLES_H
