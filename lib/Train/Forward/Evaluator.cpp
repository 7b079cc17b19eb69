#include "Evaluator.h"

#include "../Failure.h"

#include "mpc/Program/Names.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::train;

static uint32_t requireOutput(const rt::Program &program,
                              const rt::Entry &entry, const std::string &name) {
  std::optional<uint32_t> index = entry.findOutput(name);
  if (!index)
    throw noOutput(program, entry, name);
  return *index;
}

Evaluator::Evaluator(const rt::Program &program, const data::Dataset &dataset,
                     const DataOptions &options, const NamePairs &accuracy,
                     const std::vector<std::string> &outputs, bool readsLoss)
    : entry(requireEntry(program, program::kForwardEntry)), dataset(dataset),
      batch(dataset.makeBatch()),
      loss(readsLoss ? entry.findOutput("loss") : std::nullopt) {
  checkSamples(program, options);
  findLabels(program, accuracy);
  // Two files may hold one output; it is collected once.
  for (const std::string &name : outputs)
    if (uint32_t index = requireOutput(program, entry, name);
        std::ranges::find(wanted, index) == wanted.end())
      wanted.push_back(index);
}

/// Whether --ignore has an input to name.
static bool mayHaveLabels(const rt::Entry &entry) {
  return std::ranges::any_of(entry.inputs, [](const mpc_tensor_info &input) {
    return input.type == MPC_I32 || input.type == MPC_I64;
  });
}

void Evaluator::checkSamples(const rt::Program &program,
                             const DataOptions &options) const {
  uint64_t samples = dataset.numSamples(), size = dataset.batchSize();
  if (samples == 0)
    throw badInput("expected a program that reads samples, but no input that "
                   "was asked for is cut into batches: nothing says how often "
                   "to run it");
  if (samples % size == 0 || !loss || !options.ignore.empty())
    return;
  std::string text = std::to_string(samples) +
                     " samples do not fill batches of " + std::to_string(size) +
                     ", and padding would change the loss; ";
  if (mayHaveLabels(entry))
    text +=
        "say with --ignore " +
        (dataset.labelInput().empty() ? "NAME[=VALUE]" : dataset.labelInput()) +
        " which input holds labels of which one does not count (the "
        "ignore_index of the model's loss), or ";
  throw badInput(text +
                 "compile the model for batches that they fill "
                 "(mpc-compile --inference --batch=" +
                 std::to_string(std::gcd(samples, size)) +
                 (program.setting("weights") // of one in ONNX's format
                      ? " --loss=..., the loss that the training has)"
                      : ")"));
}

/// Takes the dim of the classes off "label,class_dim=1", as --loss has it for
/// models in ONNX's format; the last one if nothing is said.
static int64_t takeClassDim(std::string &label, int64_t rank) {
  constexpr std::string_view word = ",class_dim=";
  size_t at = label.rfind(word);
  if (at == label.npos)
    return rank - 1;
  std::string number = label.substr(at + word.size());
  label.resize(at);
  int64_t dim = 0;
  const char *end = number.data() + number.size();
  auto read = std::from_chars(number.data(), end, dim);
  if (dim < 0)
    dim += rank;
  if (read.ec != std::errc() || read.ptr != end || dim < 1 || dim >= rank)
    throw badOptions("'--accuracy': expected class_dim to be a dim of the "
                     "logits behind the batch's, 1 to " +
                     std::to_string(rank - 1) + ", but got '" + number + "'");
  return dim;
}

void Evaluator::findLabels(const rt::Program &program,
                           const NamePairs &accuracy) {
  if (accuracy.empty())
    return;
  if (accuracy.size() > 1)
    throw badOptions("expected one '--accuracy', but got " +
                     std::to_string(accuracy.size()));
  logits = requireOutput(program, entry, accuracy.front().first);
  const mpc_tensor_info &scores = entry.outputs[*logits];
  std::string name = accuracy.front().second;
  data::Shape wantedShape = shapeOf(scores);
  if (int64_t dim = takeClassDim(name, scores.rank); dim >= 0) {
    classDim = size_t(dim);
    wantedShape.erase(wantedShape.begin() + dim);
  }
  std::optional<uint32_t> place = entry.findInput(name);
  if (!place)
    throw badInput("the program has no input '" + name + "'; it has " +
                   listNames(entry.inputs));
  label = *place;
  const mpc_tensor_info &input = entry.inputs[label];
  if (std::optional<LabelRange> labels = labelsOf(input))
    ignoredLabel = labels->ignored;
  else if (name == dataset.labelInput())
    ignoredLabel = dataset.ignoredLabel();
  bool areLabels = input.type == MPC_I32 || input.type == MPC_I64;
  auto format = data::formatOf(typeOf(scores));
  if (scores.rank == 0 || shapeOf(input) != wantedShape || !areLabels ||
      !format || !format->isFloat() || !isBatched(scores))
    throw badInput(
        "'--accuracy': expected float logits of shape Bx..xC and integer "
        "labels of shape Bx.., but got " +
        describeType(scores) + " and " + describeType(input) +
        (scores.rank > 2 ? "; LOGITS:LABEL,class_dim=1 says that classes are "
                           "dim 1, as PyTorch's are"
                         : ""));
}

bool Evaluator::isBatched(const mpc_tensor_info &output) const {
  return output.rank > 0 &&
         static_cast<uint64_t>(output.shape[0]) == dataset.batchSize();
}

static std::vector<double> asDoubles(const mpc_tensor_info &info,
                                     std::span<const std::byte> bytes) {
  data::Tensor tensor{*data::formatOf(typeOf(info)),
                      shapeOf(info),
                      {bytes.begin(), bytes.end()}};
  data::Tensor wide = requireInput(data::convert(tensor, DType::F64, "output"));
  std::vector<double> values(wide.bytes.size() / sizeof(double));
  std::memcpy(values.data(), wide.bytes.data(), wide.bytes.size());
  return values;
}

/// The class with the largest of scores that lie `stride` apart, or nothing if
/// one is NaN.
static std::optional<size_t> findLargest(std::span<const double> scores,
                                         size_t classes, size_t stride) {
  size_t largest = 0;
  for (size_t i = 0; i < classes; ++i) {
    if (std::isnan(scores[i * stride]))
      return std::nullopt;
    if (scores[i * stride] > scores[largest * stride])
      largest = i;
  }
  return largest;
}

void Evaluator::countCorrect(std::span<const std::byte> bytes,
                             const BatchFacts &facts,
                             EvaluatorSums &sums) const {
  const mpc_tensor_info &scores = entry.outputs[*logits];
  std::vector<double> values = asDoubles(scores, bytes);
  // Labels are below 2^53 in any model, so doubles hold them exactly.
  std::vector<double> labels = asDoubles(entry.inputs[label], facts.labels);
  auto classes = static_cast<size_t>(scores.shape[classDim]);
  size_t stride = 1; // of the classes
  for (size_t dim = classDim + 1; dim < scores.rank; ++dim)
    stride *= static_cast<size_t>(scores.shape[dim]);
  size_t rows = labels.size() / dataset.batchSize() * facts.realSamples;
  for (size_t row = 0; row < rows; ++row) {
    auto wantedLabel = static_cast<int64_t>(labels[row]);
    if (wantedLabel == ignoredLabel)
      continue;
    ++sums.counted;
    size_t first = row / stride * classes * stride + row % stride;
    auto found = findLargest(std::span(values).subspan(first), classes, stride);
    if (found && static_cast<int64_t>(*found) == wantedLabel)
      ++sums.correct;
  }
}

/// Appends the batch's rows; a value without batch dim is stacked, one per
/// batch.
void Evaluator::collect(const mpc_tensor_info &facts,
                        std::span<const std::byte> bytes, uint64_t realSamples,
                        EvaluatorResult &result) const {
  auto [place, isNew] = result.outputs.try_emplace(facts.name);
  data::Tensor &tensor = place->second;
  if (isNew) {
    std::optional<data::ElementFormat> format = data::formatOf(typeOf(facts));
    if (!format)
      throw badInput("output '" + std::string(facts.name) + "' has type " +
                     std::string(getInfo(typeOf(facts)).name) +
                     ", which npy files cannot hold");
    tensor = {*format, shapeOf(facts), {}};
    if (!isBatched(facts))
      tensor.shape.insert(tensor.shape.begin(), 0);
    tensor.shape.front() = 0;
  }
  uint64_t rows = 1;
  if (isBatched(facts)) {
    rows = realSamples;
    bytes = bytes.first(bytes.size() / dataset.batchSize() * realSamples);
  }
  tensor.shape.front() += static_cast<int64_t>(rows);
  tensor.bytes.insert(tensor.bytes.end(), bytes.begin(), bytes.end());
}

/// Whether the session keeps all that is read while the next batch runs.
bool Evaluator::areKept() const {
  auto isKept = [&](uint32_t index) {
    return entry.outputs[index].bytes <= MPC_RESULT_BYTES;
  };
  return (!loss || isKept(*loss)) && (!logits || isKept(*logits)) &&
         std::ranges::all_of(wanted, isKept);
}

std::span<const std::byte> Evaluator::read(const rt::Session &session,
                                           uint32_t index, uint32_t age) const {
  return areKept() ? readResult(session, entry, index, age)
                   : readOutput(session, entry, index);
}

/// Adds what the batch that ran `age` batches ago has left.
void Evaluator::add(const rt::Session &session, const BatchFacts &facts,
                    uint32_t age, EvaluatorSums &sums,
                    EvaluatorResult &result) const {
  if (loss && facts.weight > 0) {
    double mean =
        asNumber(typeOf(entry.outputs[*loss]), read(session, *loss, age));
    sums.loss += mean * static_cast<double>(facts.weight);
  }
  sums.weight += static_cast<double>(facts.weight);
  if (logits)
    countCorrect(read(session, *logits, age), facts, sums);
  for (uint32_t index : wanted)
    collect(entry.outputs[index], read(session, index, age), facts.realSamples,
            result);
}

/// Outputs are read one batch late where the session keeps them, so that a
/// device has the next one to do meanwhile.
EvaluatorSums Evaluator::measure(rt::Session &session, const Share &share,
                                 EvaluatorResult &result) {
  EvaluatorSums sums;
  result.samples = dataset.numSamples();
  std::vector<uint64_t> order(dataset.numSamples());
  for (uint64_t sample = 0; sample < order.size(); ++sample)
    order[sample] = dataset.placeOf(sample);
  uint64_t size = std::max<uint64_t>(dataset.batchSize(), 1);
  std::optional<BatchFacts> last;
  for (uint64_t first = share.rank * size; first < order.size();
       first += share.ranks * size) {
    BatchFacts facts;
    facts.realSamples = std::min(size, order.size() - first);
    dataset.fill(batch, std::span(order).subspan(first, facts.realSamples));
    facts.weight = batch.weight;
    if (logits)
      facts.labels = batch.inputs[label];
    runBatch(session, entry, batch);
    if (last)
      add(session, *last, /*age=*/1, sums, result);
    last.reset();
    if (areKept())
      last = std::move(facts);
    else
      add(session, facts, /*age=*/0, sums, result);
  }
  if (last)
    add(session, *last, /*age=*/0, sums, result);
  return sums;
}

void Evaluator::conclude(const EvaluatorSums &sums,
                         EvaluatorResult &result) const {
  if (loss && sums.weight > 0)
    result.loss = sums.loss / sums.weight;
  if (logits && sums.counted > 0)
    result.accuracy = sums.correct / sums.counted;
}

EvaluatorResult Evaluator::run(rt::Session &session) {
  EvaluatorResult result;
  conclude(measure(session, {}, result), result);
  return result;
}
