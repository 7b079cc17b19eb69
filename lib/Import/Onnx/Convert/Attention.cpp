// Weighted means of values, and turned features.
#include "../Tables.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// A tensor of heads as graph.scaled_dot_product_attention takes it: batch,
/// time, head, width.
struct Heads {
  Expr value;
  bool wasFlat = false; ///< Of rank 3, the heads in the last dim.
};
} // namespace

static Heads readHeads(Node &n, size_t i, StringRef count) {
  int64_t heads = n.integer(count, 0);
  Expr x = n.floating(i);
  if (!x)
    return {};
  if (x.rank() == 4)
    return {n.transpose(x, {0, 2, 1, 3})};
  if (x.rank() != 3 || heads < 1 || x.shape()[2] % heads) {
    (void)n.refuse("expected operand " + Twine(i) +
                   " of rank 4, or of rank 3 with a number of heads that "
                   "divides its last dim");
    return {};
  }
  return {
      n.reshape(x, {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads}),
      true};
}

/// Keys or values with those of the past in front, which are results, too.
static LogicalResult addPast(Node &n, Heads &heads, size_t past,
                             size_t present) {
  if (n.has(past)) {
    Expr before = n.floating(past);
    if (!before || before.rank() != 4 || !heads.value)
      return n.isRefused() ? failure() : n.refuse("expected a past of rank 4");
    heads.value = n.concat({n.transpose(before, {0, 2, 1, 3}), heads.value}, 1);
  }
  if (!n.wants(present))
    return success();
  return n.set(present,
               heads.value ? n.transpose(heads.value, {0, 2, 1, 3}) : Expr());
}

static LogicalResult checkAttention(Node &n) {
  n.ignore("softmax_precision"); // f32, or f64 beside f64
  if (n.has(6))
    return n.refuse("nonpad_kv_seqlen is not supported");
  n.ignore("qk_matmul_output_mode");
  if (n.wants(3))
    return n.refuse("the scores are no result of the op that it becomes");
  return success();
}

static LogicalResult convertAttention(Node &n) {
  bool isCausal = n.integer("is_causal", 0) != 0;
  double softcap = n.real("softcap", 0.0);
  if (failed(checkAttention(n)))
    return failure();
  Heads query = readHeads(n, 0, "q_num_heads");
  Heads key = readHeads(n, 1, "kv_num_heads");
  Heads value = readHeads(n, 2, "kv_num_heads");
  if (isCausal && n.has(4))
    return n.refuse("is_causal beside a past is not supported; give a mask");
  if (failed(addPast(n, key, 4, 1)) || failed(addPast(n, value, 5, 2)))
    return failure();
  Expr mask = n.has(3) ? n.value(3) : Expr();
  bool hasScale = n.hasAttribute("scale");
  Expr y =
      n.op("scaled_dot_product_attention",
           {query.value, key.value, value.value, mask, Value()},
           {{"causal", isCausal ? n.unit() : Attribute()},
            {"scale", hasScale ? n.realAttr(n.real("scale", 1)) : Attribute()},
            {"softcap", softcap != 0 ? n.realAttr(softcap) : Attribute()}});
  if (!y)
    return n.isRefused() ? failure() : n.refuse("an operand is missing");
  if (!query.wasFlat)
    return n.set(0, n.transpose(y, {0, 2, 1, 3}));
  return n.set(0, n.reshape(y, {y.shape()[0], y.shape()[1],
                                y.shape()[2] * y.shape()[3]}));
}

/// cos or sin for each place, of which operand `i` is a table.
static Expr readTable(Node &n, size_t i) {
  Expr table = n.floating(i);
  if (n.has(3))
    table = n.op("gather", {table, n.value(3)}, {{"dim", n.integerAttr(0)}});
  if (!table || table.rank() != 3) {
    if (!n.isRefused())
      (void)n.refuse("expected a table of rank 3, or of rank 2 and positions");
    return {};
  }
  return n.reshape(table,
                   {table.shape()[0], table.shape()[1], 1, table.shape()[2]});
}

static LogicalResult convertRotary(Node &n) {
  int64_t width = n.integer("rotary_embedding_dim", 0);
  bool isInterleaved = n.integer("interleaved", 0) != 0;
  Shape shape = n.shape(0);
  Heads x = readHeads(n, 0, "num_heads");
  if (!x.value)
    return failure();
  Expr y = n.op("rotary_embedding", {x.value, readTable(n, 1), readTable(n, 2)},
                {{"interleaved", isInterleaved ? n.unit() : Attribute()},
                 {"rotary_width", width ? n.integerAttr(width) : Attribute()}});
  return n.set(0, x.wasFlat ? n.reshape(y, shape)
                  : y       ? n.transpose(y, {0, 2, 1, 3})
                            : Expr());
}

ArrayRef<Converter> mpc::onnx::attentionConverters() {
  static constexpr Converter rows[] = {{"Attention", 23, convertAttention},
                                       {"RotaryEmbedding", 23, convertRotary}};
  return rows;
}
