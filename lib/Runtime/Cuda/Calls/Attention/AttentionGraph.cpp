#include "AttentionGraph.h"

#include <algorithm>
#include <limits>

using namespace mpc;
using namespace mpc::runtime;
using program::AttentionCall;
using program::CallOperand;

/// Strides of [batch, time, head] where there is more than one.
static std::vector<std::pair<int64_t, int64_t>>
listStrides(const CallOperand &operand) {
  std::vector<std::pair<int64_t, int64_t>> made; // and sizes
  for (flatbuffers::uoffset_t dim = 0; dim < 3; ++dim)
    if (operand.shape()->Get(dim) != 1)
      made.push_back({operand.strides()->Get(dim), operand.shape()->Get(dim)});
  return made;
}

/// Whether all rows are at multiples of 16 bytes where the first one is.
static bool hasAlignedRows(const CallOperand &operand) {
  return std::ranges::all_of(
      listStrides(operand), [](auto &stride) { return stride.first % 8 == 0; });
}

/// Whether each row has elements of its own: along each dim, the next one
/// begins past the last of the dims with smaller strides.
static bool hasOwnRows(const CallOperand &operand) {
  auto strides = listStrides(operand);
  std::ranges::sort(strides);
  int64_t end = operand.shape()->Get(3);
  for (auto [stride, size] : strides) {
    if (stride < end)
      return false;
    end += stride * (size - 1);
  }
  return true;
}

static std::string findLayoutObstacle(const AttentionCall &call) {
  for (const CallOperand *operand :
       {call.query, call.key, call.value, call.result, call.cotangent,
        call.queryGradient, call.keyGradient, call.valueGradient}) {
    if (operand && !hasAlignedRows(*operand))
      return "its engines take rows at multiples of 16 bytes";
    if (operand && !hasOwnRows(*operand))
      return "rows share elements";
  }
  return {};
}

/// NVIDIA's own frontend for the same graphs refuses these.
static std::string findWindowObstacle(const AttentionCall &call) {
  if (call.window() != 0 && call.queries() > call.keys())
    return "its engines take windows of as many queries as keys, or fewer";
  return {};
}

std::string runtime::findAttentionObstacle(const AttentionCall &call) {
  auto type = static_cast<DType>(call.query->type());
  if (type != DType::F16 && type != DType::BF16)
    return "its engines take f16 and bf16";
  if (call.mask)
    return "it would give NaN to queries that a mask hides all keys from";
  if (call.options.softcap() != 0)
    return "scores are capped";
  if (call.options.dropout() != 0)
    return "it would drop other weights than the CPU does";
  if (call.width() % 8 != 0 || call.valueWidth() % 8 != 0)
    return "its engines take widths that are multiples of 8";
  if (!(call.options.scale() > 0))
    return "its engines take the maximum of scores before they are scaled";
  // They compare positions in f32.
  if (std::max(call.queries(), call.keys()) > (int64_t(1) << 23))
    return "its engines take at most 2^23 queries and keys";
  for (auto find : {findLayoutObstacle, findWindowObstacle})
    if (std::string why = find(call); !why.empty())
      return why;
  if (!call.options.backward())
    return {};
  if (!call.queryGradient || !call.keyGradient || !call.valueGradient)
    return "not all gradients are asked for";
  if (call.queries() == 1 && call.keys() == 1)
    return "its engines have no gradient of one query by one key";
  return {};
}

std::string runtime::findVersionObstacle(const AttentionCall &call,
                                         size_t version) {
  if (version < 91501 && call.options.backward() && call.keys() % 128 != 0)
    return "before 9.15.1 its gradients are wrong where keys are no multiple "
           "of 128";
  if (version / 100 == 914 && call.window() != 0 && !call.options.causal() &&
      call.keys() > 1024)
    return "in 9.14 windows of more than 1024 keys are wrong";
  return {};
}

namespace {
/// What forward and backward share.
struct AttentionGraph {
  explicit AttentionGraph(const AttentionCall &call)
      : call(call), type(call.query->type() == program::ElementType::F16
                             ? CUDNN_DATA_HALF
                             : CUDNN_DATA_BFLOAT16) {}

  /// [batch, time, head, width] as cuDNN orders it: [batch, head, time, width].
  TensorLayout layout(const CallOperand *operand) const;
  Graph::Tensor memory(AttentionRole role, const CallOperand *operand,
                       bool transposed = false);
  void store(Graph::Tensor x, AttentionRole role, const CallOperand *operand);
  void storeSums(Graph::Tensor x, AttentionRole role);
  Graph::Tensor number(float value) { return graph.scalar(value, 4); }

  /// The scores, times the scale.
  Graph::Tensor scores(Graph::Tensor query, Graph::Tensor keyTransposed);
  /// Scores of keys that a query does not see become minus infinity.
  Graph::Tensor hide(Graph::Tensor scores);
  /// The gradient of keys or values: weights transposed, times rows of queries,
  /// summed over the heads that share a head of keys.
  void storeKeyGradient(Graph::Tensor weights, Graph::Tensor rows,
                        AttentionRole role, const CallOperand *operand);

  const AttentionCall &call;
  cudnnDataType_t type;
  Graph graph;
};
} // namespace

TensorLayout AttentionGraph::layout(const CallOperand *operand) const {
  std::span<const int64_t> shape = program::toSpan(operand->shape()),
                           strides = program::toSpan(operand->strides());
  return {{shape[0], shape[2], shape[1], shape[3]},
          {strides[0], strides[2], strides[1], strides[3]}};
}

Graph::Tensor AttentionGraph::memory(AttentionRole role,
                                     const CallOperand *operand,
                                     bool transposed) {
  TensorLayout made = layout(operand);
  return graph.memory(static_cast<int>(role), type,
                      transposed ? made.swapped(2, 3) : made);
}

void AttentionGraph::store(Graph::Tensor x, AttentionRole role,
                           const CallOperand *operand) {
  graph.store(x, static_cast<int>(role), type, layout(operand));
}

void AttentionGraph::storeSums(Graph::Tensor x, AttentionRole role) {
  graph.store(x, static_cast<int>(role), CUDNN_DATA_FLOAT,
              TensorLayout::dense(graph.layout(x).shape));
}

Graph::Tensor AttentionGraph::scores(Graph::Tensor query,
                                     Graph::Tensor keyTransposed) {
  return graph.pointwise(CUDNN_POINTWISE_MUL,
                         graph.matmul(query, keyTransposed),
                         number(static_cast<float>(call.options.scale())));
}

Graph::Tensor AttentionGraph::hide(Graph::Tensor scores) {
  Graph::Tensor hidden = number(-std::numeric_limits<float>::infinity());
  // Whether place a, moved by a distance, compares to place b.
  auto keepWhere = [&](int64_t a, int64_t distance, cudnnPointwiseMode_t mode,
                       int64_t b) {
    Graph::Tensor place = graph.index(scores, a),
                  other = graph.index(scores, b);
    if (distance != 0)
      place = graph.pointwise(CUDNN_POINTWISE_ADD, place,
                              number(static_cast<float>(distance)));
    scores = graph.select(graph.compare(mode, place, other), scores, hidden);
  };
  constexpr int64_t query = 2, key = 3;
  int64_t window = call.window();
  if (call.options.causal())
    keepWhere(query, 0, CUDNN_POINTWISE_CMP_GE, key);
  else if (window != 0)
    keepWhere(query, window - 1, CUDNN_POINTWISE_CMP_GE, key);
  if (window != 0)
    keepWhere(key, window, CUDNN_POINTWISE_CMP_GT, query);
  return scores;
}

Graph runtime::makeForwardGraph(const AttentionCall &call) {
  AttentionGraph made(call);
  Graph &graph = made.graph;
  Graph::Tensor query = made.memory(AttentionRole::Query, call.query),
                key = made.memory(AttentionRole::Key, call.key, true),
                value = made.memory(AttentionRole::Value, call.value);
  Graph::Tensor scores = made.hide(made.scores(query, key));
  std::vector<int64_t> rows = {call.batch(), call.heads(), call.queries(), 1};
  Graph::Tensor maximum = graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, rows);
  Graph::Tensor weights =
      graph.pointwise(CUDNN_POINTWISE_EXP,
                      graph.pointwise(CUDNN_POINTWISE_SUB, scores, maximum));
  Graph::Tensor sum = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, weights, rows);
  // The engines know the graph by its logarithm, stored or not.
  Graph::Tensor logSum = graph.pointwise(
      CUDNN_POINTWISE_ADD, maximum, graph.pointwise(CUDNN_POINTWISE_LOG, sum));
  if (call.logSumExp)
    made.storeSums(logSum, AttentionRole::LogSumExp);
  weights = graph.pointwise(CUDNN_POINTWISE_DIV, weights, sum);
  graph.round(weights, made.type);
  made.store(graph.matmul(weights, value), AttentionRole::Result, call.result);
  return std::move(graph);
}

void AttentionGraph::storeKeyGradient(Graph::Tensor weights, Graph::Tensor rows,
                                      AttentionRole role,
                                      const CallOperand *operand) {
  Graph::Tensor transposed = graph.transpose(weights);
  graph.round(transposed, type);
  Graph::Tensor gradient = graph.matmul(transposed, rows);
  if (call.heads() != call.keyHeads()) {
    graph.round(gradient, type);
    gradient =
        graph.reduce(CUDNN_REDUCE_TENSOR_ADD, gradient, layout(operand).shape);
  }
  store(gradient, role, operand);
}

Graph runtime::makeBackwardGraph(const AttentionCall &call) {
  AttentionGraph made(call);
  Graph &graph = made.graph;
  Graph::Tensor query = made.memory(AttentionRole::Query, call.query),
                key = made.memory(AttentionRole::Key, call.key, true),
                value = made.memory(AttentionRole::Value, call.value, true),
                result = made.memory(AttentionRole::Result, call.result),
                cotangent =
                    made.memory(AttentionRole::Cotangent, call.cotangent);
  std::vector<int64_t> rows = {call.batch(), call.heads(), call.queries(), 1};
  Graph::Tensor logSum =
      graph.memory(static_cast<int>(AttentionRole::LogSumExp), CUDNN_DATA_FLOAT,
                   TensorLayout::dense(rows));
  auto product = [&](Graph::Tensor a, Graph::Tensor b) {
    return graph.pointwise(CUDNN_POINTWISE_MUL, a, b);
  };

  // The engines know deltas by a product with a number.
  Graph::Tensor deltas = product(
      graph.reduce(CUDNN_REDUCE_TENSOR_ADD, product(cotangent, result), rows),
      made.number(1));
  made.storeSums(deltas, AttentionRole::Deltas);

  Graph::Tensor scores = made.hide(
      graph.pointwise(CUDNN_POINTWISE_SUB, made.scores(query, key), logSum));
  Graph::Tensor weights = graph.pointwise(CUDNN_POINTWISE_EXP, scores);
  made.storeKeyGradient(weights, cotangent, AttentionRole::ValueGradient,
                        call.valueGradient);

  Graph::Tensor weightGradient = graph.pointwise(
      CUDNN_POINTWISE_SUB, graph.matmul(cotangent, value), deltas);
  Graph::Tensor scoreGradient =
      product(product(weightGradient, weights),
              made.number(static_cast<float>(call.options.scale())));
  made.storeKeyGradient(scoreGradient, query, AttentionRole::KeyGradient,
                        call.keyGradient);

  Graph::Tensor sums = graph.matmul(scoreGradient, graph.transpose(key));
  made.storeSums(sums, AttentionRole::QuerySums);
  made.store(graph.pointwise(CUDNN_POINTWISE_IDENTITY, sums),
             AttentionRole::QueryGradient, call.queryGradient);
  return std::move(graph);
}
