// The walk over a model: what each name stands for, and the function that
// grows.
#ifndef MPC_LIB_IMPORT_ONNX_IMPORTER_H
#define MPC_LIB_IMPORT_ONNX_IMPORTER_H

#include "Node.h"
#include "Refusals.h"
#include "TensorData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Onnx/Masks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace mpc::onnx {

struct Loss;
class Parameters;

/// What names mean in a graph, and around it.
struct Scope {
  llvm::StringMap<Entry> names;
  Scope *outer = nullptr;

  Entry find(StringRef name) const;
};

class Importer {
public:
  Importer(const ::onnx::ModelProto &proto, StringRef file,
           const Options &options, MLIRContext &context, Model &model);

  LogicalResult run();

  //===-- For nodes ------------------------------------------------------===//
  /// Null with an error if it cannot be one.
  Value valueOf(Entry &entry, std::string &error);
  /// Null if the elements are not known; with an error if they cannot be read.
  ConstantPtr constantOf(const Entry &entry, std::string &error);
  FailureOr<Constant> decode(const ::onnx::TensorProto &tensor,
                             std::string &error) {
    return data.decode(tensor, error);
  }
  /// The argument of a running statistic, an initializer that is nothing else.
  Value statisticOf(const ::onnx::TensorProto &tensor, std::string &error);
  /// Whether `statistic` was a norm's before that had another scale.
  bool isOfOthers(const ::onnx::TensorProto &statistic, Value scale) {
    return statisticScales.try_emplace(&statistic, scale).first->second !=
           scale;
  }
  /// Some options are for models with batch norms alone.
  void noteBatchNorm() { hasBatchNorm = true; }
  void refuse(const ::onnx::NodeProto &node, const std::string &reason) {
    refusals.add(node, path, reason);
  }
  /// What stands for a result of `node` that nobody may read.
  std::shared_ptr<Unreadable> unreadable(const ::onnx::NodeProto &node,
                                         std::string reason) {
    return std::make_shared<Unreadable>(
        Unreadable{&node, path, std::move(reason)});
  }
  /// `kind` must be a literal.
  void note(StringRef kind, bool isWarning, const ::onnx::NodeProto &node) {
    notes[{kind, isWarning}].push_back(describe(node, path));
  }
  /// `drawn` are random numbers, of which is told unless nothing reads them.
  void noteDrawn(const ::onnx::NodeProto &node, Value drawn) {
    draws.push_back({&node, drawn});
  }
  /// What a node is to a mask that is dropout; null if nothing.
  const MaskNode *findMask(const ::onnx::NodeProto &node) const {
    return masks.find(node);
  }
  /// Of the masks of the graph or function that is being read, by what draws
  /// them: ones, some of which a training drops.
  std::map<const ::onnx::NodeProto *, Value> droppedOnes;
  /// The outputs of a graph within the one that is being read.
  FailureOr<std::vector<Entry>> importSubgraph(const ::onnx::GraphProto &graph);
  const Options &getOptions() const { return options; }
  /// Whether so many elements more may be kept, or what takes as much memory.
  bool takeElements(int64_t count) {
    return (elements += count) <= kMostElementsInAll;
  }
  /// Whether anything may read the value `name` of the graph or function that
  /// is being read, in a branch, too, that is not taken.
  bool isUsed(StringRef name);
  /// PyTorch's: what it means is known where ONNX cannot say it.
  bool isFromTorch() const;

private:
  LogicalResult checkModel();
  LogicalResult readOpsets();
  LogicalResult checkVersions();
  LogicalResult addInitializers(const ::onnx::GraphProto &graph, Scope &scope);
  void tellParameters(const Parameters &parameters);
  LogicalResult readFrozen();
  bool isFrozen(StringRef parameter) const;
  LogicalResult addInputs(Scope &scope);
  InFlightDiagnostic tooLarge(const ::onnx::ValueInfoProto &input);
  FailureOr<Shape> inputShape(const ::onnx::ValueInfoProto &input);
  LogicalResult importNodes(
      const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
      Scope &scope);
  LogicalResult importNode(const ::onnx::NodeProto &node, Scope &scope);
  void refuseMaker(Unreadable &result);
  /// The same of one that counts.
  LogicalResult importOne(const ::onnx::NodeProto &node, Scope &scope);
  LogicalResult bind(const ::onnx::NodeProto &node, std::vector<Entry> results,
                     Scope &scope);
  std::vector<Entry> convert(const ::onnx::NodeProto &node,
                             std::vector<Entry> inputs);
  std::vector<Entry> callFunction(const ::onnx::NodeProto &node,
                                  const ::onnx::FunctionProto &function,
                                  std::vector<Entry> inputs);
  LogicalResult importBody(const ::onnx::FunctionProto &function,
                           const ::onnx::NodeProto &call, Scope &scope);
  bool evaluate(Node &node);
  LogicalResult finish(Scope &scope);
  LogicalResult checkOutput(const ::onnx::ValueInfoProto &output, Value value);
  Value findForLoss(const Loss &loss, Scope &scope);
  Value targetOf(const Loss &loss, RankedTensorType output, Scope &scope);
  Value addLoss(const Loss &loss, Scope &scope,
                mlir::ImplicitLocOpBuilder &builder);
  mlir::BlockArgument addArgument(RankedTensorType type, StringRef mark,
                                  Attribute value, Location location);
  Value weightOf(const ::onnx::TensorProto &tensor, std::string &error);
  bool isStatistic(Value made) const;
  Attribute initOf(const Weight &weight);
  void dropUnread();
  void noteReadStatistics();
  void tellNotes();
  Location locationOf(const ::onnx::NodeProto &node) const;

  InFlightDiagnostic error() { return mlir::emitError(whole); }

  const ::onnx::ModelProto &proto;
  std::string file;
  const Options &options;
  MLIRContext &context;
  Model &model;
  Location whole;
  TensorData data;
  Masks masks;
  Refusals refusals;
  std::map<std::pair<StringRef, bool>, std::vector<std::string>> notes;
  std::vector<std::pair<const ::onnx::NodeProto *, Value>> draws;
  llvm::StringMap<int64_t> opsets;
  llvm::StringMap<const ::onnx::FunctionProto *> functions;
  llvm::StringMap<int64_t> dims;
  llvm::StringSet<> usedDims;
  std::vector<std::string> openDims; ///< Without a size, as --dim names them.
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  Scope *scope = nullptr;
  llvm::StringSet<> frozen; ///< Parameters that are not trained by the file.
  bool isFreezeUsed = false;
  bool hasBatchNorm = false;
  /// What is being read, a graph or a function, and the names that each of
  /// them reads, once somebody asks.
  const ::onnx::GraphProto *graph = nullptr;
  const ::onnx::FunctionProto *body = nullptr; ///< If it is no graph.
  std::map<const void *, llvm::StringSet<>> uses;
  std::string path;     ///< The calls of functions around a node, as "call/".
  int64_t number = 0;   ///< Of the node that is being read, from 1.
  int64_t elements = 0; ///< Computed until now.
  int64_t visited = 0;  ///< Nodes, those of functions as often as called.
  int depth = 0;        ///< Of graphs and functions in each other.
  SmallVector<SmallVector<mlir::NamedAttribute, 2>> argumentMarks;
  DenseMap<const ::onnx::TensorProto *, Value> arguments;
  /// Of running statistics that a training updates.
  DenseMap<const ::onnx::TensorProto *, Value> statisticScales;
  DenseMap<const ::onnx::TensorProto *, ConstantPtr> decoded;
  DenseMap<const Constant *, Value> constants;
  std::vector<ConstantPtr> kept;        ///< Whose addresses stand there.
  std::deque<::onnx::NodeProto> filled; ///< Nodes with attributes of calls.
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_IMPORTER_H
