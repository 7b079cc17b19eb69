#include "mpc/Train/Sample.h"

#include "../Failure.h"
#include "../Stop.h"
#include "Forward.h"
#include "TokenSampler.h"
#include "Utf8Stream.h"

#include "mpc/Data/Vocabulary.h"
#include "mpc/Program/Names.h"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::train;

//===-- Options -----------------------------------------------------------===//

static void checkOptions(const SampleOptions &options) {
  if (options.prompt.empty())
    throw badOptions("sample: expected '--prompt TEXT', which the text begins "
                     "with");
  if (options.topK == uint64_t(0))
    throw badOptions("sample: '--top-k': expected 1 or more, but got 0");
  double temperature = options.temperature.value_or(1);
  if (!(temperature >= 0 && std::isfinite(temperature)))
    throw badOptions("sample: '--temperature': expected a finite number of 0 "
                     "or more");
}

/// What predict() would take for the same program and weights.
static EvaluateOptions asEvaluation(const SampleOptions &options) {
  EvaluateOptions result;
  result.program = options.program;
  result.device = options.device;
  result.weights = options.weights;
  result.data.convert = options.convert;
  result.data.allowNonFinite = options.allowNonFinite;
  return result;
}

namespace {

//===-- Texts -------------------------------------------------------------===//

/// Tokens as what they stand for, or as numbers.
class TokenText {
public:
  explicit TokenText(const std::string &path) {
    if (!path.empty())
      vocabulary = requireInput(data::Vocabulary::load(path));
  }

  std::vector<int64_t> encode(const std::string &text) const {
    return vocabulary ? requireInput(vocabulary->encode(text))
                      : readNumbers(text);
  }
  /// What there is to tell after a token.
  std::string decode(int64_t token) {
    if (vocabulary)
      return stream.add(vocabulary->piece(static_cast<uint64_t>(token)));
    std::string space = isBegun ? " " : "";
    isBegun = true;
    return space + std::to_string(token);
  }
  std::string finish() { return stream.finish(); }
  /// How many tokens it knows.
  std::optional<uint64_t> size() const {
    return vocabulary ? std::optional(vocabulary->size()) : std::nullopt;
  }

private:
  static std::vector<int64_t> readNumbers(std::string_view text) {
    std::vector<int64_t> numbers;
    constexpr std::string_view kBetween = " ,\t\n";
    while (true) {
      text.remove_prefix(
          std::min(text.find_first_not_of(kBetween), text.size()));
      if (text.empty())
        return numbers;
      std::string_view word = text.substr(0, text.find_first_of(kBetween));
      auto number = parseNumber<int64_t>(word);
      if (!number)
        throw badOptions("sample: '--prompt': expected numbers of tokens, but "
                         "got '" +
                         std::string(word) +
                         "'; '--vocabulary FILE' says what they stand for");
      numbers.push_back(*number);
      text.remove_prefix(word.size());
    }
  }

  std::optional<data::Vocabulary> vocabulary;
  Utf8Stream stream;
  bool isBegun = false;
};

//===-- The model ---------------------------------------------------------===//

/// The entry forward as what says which token follows.
class NextToken {
public:
  NextToken(const rt::Program &program, const std::string &logitsName)
      : entry(requireEntry(program, program::kForwardEntry)) {
    findTokens(program.path());
    findLogits(program, logitsName);
    for (const mpc_tensor_info &input : entry.inputs)
      batch.inputs.emplace_back(input.bytes); // zeros are labels, too
  }

  uint64_t classes() const { return numClasses; }

  /// The logits of the token behind `text`.
  std::vector<double> run(rt::Session &session, std::span<const int64_t> text) {
    text = text.last(std::min<size_t>(text.size(), context));
    const mpc_tensor_info &input = entry.inputs[tokens];
    data::Bytes &row = batch.inputs[tokens];
    for (size_t i = 0; i < text.size(); ++i) {
      auto narrow = static_cast<int32_t>(text[i]);
      if (input.type == MPC_I64)
        std::memcpy(row.data() + i * sizeof(int64_t), &text[i],
                    sizeof(int64_t));
      else
        std::memcpy(row.data() + i * sizeof(int32_t), &narrow, sizeof(narrow));
    }
    runBatch(session, entry, batch);
    const mpc_tensor_info &output = entry.outputs[logits];
    uint64_t bytes = numClasses * getInfo(typeOf(output)).bytes;
    std::span<const std::byte> found =
        readOutput(session, entry, logits)
            .subspan((text.size() - 1) * bytes, bytes);
    return asDoubles(output, found);
  }

private:
  void findTokens(const std::string &path) {
    std::vector<uint32_t> read;
    for (uint32_t i = 0; i < entry.inputs.size(); ++i)
      if (!entry.inputs[i].loss_only)
        read.push_back(i);
    bool isOne = read.size() == 1;
    const mpc_tensor_info *input = isOne ? &entry.inputs[read[0]] : nullptr;
    if (!isOne || input->rank != 2 ||
        (input->type != MPC_I32 && input->type != MPC_I64))
      throw badInput("'" + path +
                     "': expected an entry 'forward' that reads tokens alone, "
                     "BxTxi32, but its inputs are " +
                     listNames(entry.inputs));
    tokens = read[0];
    context = static_cast<size_t>(input->shape[1]);
  }

  void findLogits(const rt::Program &program, const std::string &name) {
    const std::string &path = program.path();
    std::optional<uint32_t> index = entry.findOutput(name);
    if (!index)
      throw badInput("'" + path + "': the program has no output '" + name +
                     "'; it has " + listNames(entry.outputs) +
                     ": '--logits NAME' says which has the logits" +
                     describeLeftOut(program));
    logits = *index;
    const mpc_tensor_info &output = entry.outputs[logits];
    const mpc_tensor_info &input = entry.inputs[tokens];
    data::Shape shape = shapeOf(output);
    int64_t last = shape.empty() ? 0 : shape.back();
    auto format = data::formatOf(typeOf(output));
    uint64_t positions = *data::countElements(shapeOf(input));
    if (shape.size() < 2 || !format || !format->isFloat() ||
        *data::countElements(shape) != positions * static_cast<uint64_t>(last))
      throw badInput("'" + path + "': expected output '" + name +
                     "' to have a row of logits for each of the " +
                     describeType(input) + " tokens, but it is " +
                     describeType(output));
    numClasses = static_cast<uint64_t>(last);
  }

  static std::vector<double> asDoubles(const mpc_tensor_info &output,
                                       std::span<const std::byte> bytes) {
    data::Tensor row{
        *data::formatOf(typeOf(output)), {}, {bytes.begin(), bytes.end()}};
    std::vector<double> values(row.bytes.size() / row.format.bytes);
    static_cast<void>(data::convertElements(
        row, DType::F64, 0, values.size(),
        std::as_writable_bytes(std::span(values)).data()));
    return values;
  }

  rt::Entry entry;
  data::Batch batch;
  uint32_t tokens = 0, logits = 0; ///< Input, and output.
  size_t context = 0;
  uint64_t numClasses = 0;
};

} // namespace

//===-- Sampling ----------------------------------------------------------===//

/// How many tokens may come: what the vocabulary does not know does not.
static uint64_t countTokens(const SampleOptions &options, const TokenText &text,
                            const NextToken &model) {
  if (text.size() && (*text.size() > model.classes() || *text.size() == 0))
    throw badInput("'" + options.vocabulary + "': expected 1 to " +
                   std::to_string(model.classes()) + " tokens, as many as '" +
                   options.program.path + "' has logits, but got " +
                   std::to_string(*text.size()));
  return text.size().value_or(model.classes());
}

static void checkPrompt(std::span<const int64_t> prompt, uint64_t tokens) {
  if (prompt.empty())
    throw badOptions("sample: '--prompt': expected one token or more");
  for (int64_t token : prompt)
    if (token < 0 || static_cast<uint64_t>(token) >= tokens)
      throw badOptions("sample: '--prompt': expected tokens in [0, " +
                       std::to_string(tokens) + "), but got " +
                       std::to_string(token));
}

Expected<uint64_t>
mpc::train::sample(const SampleOptions &options,
                   const std::function<void(std::string_view)> &onText) {
  return guard([&]() -> uint64_t {
    checkOptions(options);
    EvaluateOptions evaluation = asEvaluation(options);
    NamePairs written = writtenFiles(evaluation);
    checkFiles("sample", evaluation, written);
    rt::Program program = loadProgram(options.program);
    checkWeights("sample", evaluation, program);
    NextToken model(program,
                    options.logits.empty() ? "logits" : options.logits);
    TokenText text(options.vocabulary);
    std::vector<int64_t> tokens = text.encode(options.prompt);
    uint64_t known = countTokens(options, text, model);
    checkPrompt(tokens, known);
    rt::Session session = openWithWeights(evaluation, program);
    OutputFiles files;
    files.open(written);
    auto tell = [&](const std::string &part) {
      if (!part.empty())
        onText(part);
    };
    for (int64_t token : tokens)
      tell(text.decode(token));
    TokenSampler sampler(options.temperature.value_or(1), options.topK,
                         options.seed.value_or(0));
    uint64_t added = 0;
    for (; added < options.tokens.value_or(256) && !isSet(options.stop);
         ++added) {
      std::vector<double> logits = model.run(session, tokens);
      uint64_t token = sampler.choose(std::span(logits).first(known));
      tokens.push_back(static_cast<int64_t>(token));
      tell(text.decode(tokens.back()));
    }
    tell(text.finish());
    writeOutputs(evaluation, session, /*result=*/{}, files);
    return added;
  });
}
