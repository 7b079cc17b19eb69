#include "mpc/Onnx/WriteBack.h"
#include "NewData.h"
#include "mpc/Data/File.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/Prediction.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/Printable.h"
#include "mpc/Support/Text/NamePattern.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

using Names = std::set<std::string, std::less<>>;

static Status refuse(std::string message) {
  return {StatusCode::InvalidArgument, printable(message)};
}

//===-- What the model has ------------------------------------------------===//

/// The operands whose values nobody trains: numbers of their node, by which it
/// is built, and those of which it does not read the values.
static bool isNumber(const ::onnx::NodeProto &node, int operand) {
  struct Row {
    std::string_view type;
    int first, last;
  };
  constexpr Row rows[] = {{"Clip", 1, 2},
                          {"Dropout", 1, 1},
                          {"OneHot", 2, 2},
                          {"Pad", 2, 2},
                          {"Resize", 1, 2},
                          {"Upsample", 1, 1},
                          // of which they read the shape or the type
                          {"Shape", 0, 0},
                          {"Size", 0, 0},
                          {"CastLike", 1, 1},
                          {"EyeLike", 0, 0},
                          {"RandomNormalLike", 0, 0},
                          {"RandomUniformLike", 0, 0}};
  return std::ranges::any_of(rows, [&](const Row &row) {
    return row.type == node.op_type() && operand >= row.first &&
           operand <= row.last;
  });
}

static bool isStatistic(const ::onnx::NodeProto &node, int operand) {
  return node.op_type() == "BatchNormalization" &&
         (operand == 3 || operand == 4);
}

namespace {
/// The initializers of the model by their names, and which of them a training
/// has: as the importer decides it.
class Initializers {
public:
  explicit Initializers(::onnx::ModelProto &model) : model(model) {}

  Status read() {
    Parameters parameters(model.graph());
    for (TensorProto &tensor : *model.mutable_graph()->mutable_initializer()) {
      if (!byName.emplace(tensor.name(), &tensor).second)
        return refuse("expected each initializer once, but got '" +
                      tensor.name() + "' again");
      if (parameters.contains(tensor))
        trained.insert(tensor.name());
    }
    forEachNode(model, [&](::onnx::NodeProto &node) { look(node); });
    return {};
  }

  TensorProto *find(std::string_view name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
  }
  /// Those that a training with the values `given` may do without: its model
  /// was another branch of an If, all of whose weights have values, and none of
  /// theirs has one that nothing else reads.
  Names findUntaken(const Names &given) const {
    Names needed = findNeeded(model.graph(), given, {}), strays, untaken;
    for (const TensorProto *weight : weights())
      if (given.contains(weight->name()) && !needed.contains(weight->name()))
        strays.insert(weight->name());
    needed = findNeeded(model.graph(), given, strays);
    for (const TensorProto *weight : weights())
      if (!needed.contains(weight->name()))
        untaken.insert(weight->name());
    return untaken;
  }
  /// In the order of the file.
  std::vector<const TensorProto *> weights() const {
    std::vector<const TensorProto *> list;
    for (const TensorProto &tensor : model.graph().initializer())
      if (trained.contains(tensor.name()) && used.contains(tensor.name()))
        list.push_back(&tensor);
    return list;
  }

private:
  /// Of what `graph` reads, names of initializers, the branches that were
  /// taken, those that read one of `strays` among them; both of an If, where
  /// that cannot be told.
  Names findNeeded(const ::onnx::GraphProto &graph, const Names &given,
                   const Names &strays) const {
    Names needed;
    for (const auto &node : graph.node()) {
      for (int i = 0; i < node.input_size(); ++i)
        if (find(node.input(i)) && !isNumber(node, i))
          needed.insert(node.input(i));
      std::vector<Names> parts;
      for (const auto &attribute : node.attribute())
        if (attribute.has_g())
          parts.push_back(findNeeded(attribute.g(), given, strays));
      auto isWhole = [&](const Names &part) {
        return std::ranges::all_of(part, [&](const std::string &name) {
          return given.contains(name) || !trained.contains(name);
        });
      };
      auto isTaken = [&](const Names &part) {
        return isWhole(part) ||
               std::ranges::any_of(part, [&](const std::string &name) {
                 return strays.contains(name);
               });
      };
      bool isChoice = node.op_type() == "If" && node.domain().empty() &&
                      std::ranges::any_of(parts, isWhole);
      for (const Names &part : parts)
        if (!isChoice || isTaken(part))
          needed.insert(part.begin(), part.end());
    }
    return needed;
  }

  void look(const ::onnx::NodeProto &node) {
    for (int i = 0; i < node.input_size(); ++i) {
      const TensorProto *tensor = find(node.input(i));
      if (!tensor || isNumber(node, i))
        continue;
      used.insert(tensor->name());
      if (isStatistic(node, i) && isFloatType(tensor->data_type()))
        trained.insert(tensor->name());
    }
  }

  ::onnx::ModelProto &model;
  std::map<std::string, TensorProto *, std::less<>> byName;
  Names trained, used;
};
} // namespace

//===-- What does not fit -------------------------------------------------===//

/// Whether the tensor is a state of the training beside its weights.
static bool isOfTraining(const TrainedTensor &tensor,
                         const Initializers &initializers,
                         const std::set<std::string_view> &names) {
  if (tensor.shape.empty())
    return true;
  for (size_t dot = tensor.name.rfind('.'); dot != tensor.name.npos && dot > 0;
       dot = tensor.name.rfind('.', dot - 1))
    if (std::string_view of = tensor.name.substr(0, dot);
        names.contains(of) || initializers.find(of))
      return true;
  return false;
}

static std::string quote(std::string_view name) {
  return "'" + std::string(name) + "'";
}

namespace {
/// All that is wrong, told at once.
class Mistakes {
public:
  void add(std::string_view what, std::string item) {
    auto &items = kinds[std::string(what)];
    items.push_back(std::move(item));
  }
  Status status() const {
    std::string text;
    for (const auto &[what, items] : kinds)
      text += (text.empty() ? "" : "; ") + what + ": " + listSome(items);
    return text.empty() ? Status() : refuse(text);
  }

private:
  std::map<std::string, std::vector<std::string>> kinds;
};

/// A value and where it goes.
struct Pair {
  const TrainedTensor *value;
  TensorProto *place;
};
} // namespace

static std::string shapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "a scalar" : text;
}

static void pairTensors(std::span<const TrainedTensor> tensors,
                        const Initializers &initializers, bool isCheckpoint,
                        Mistakes &mistakes, Names &mistaken,
                        std::vector<Pair> &pairs) {
  std::set<std::string_view> names;
  for (const TrainedTensor &tensor : tensors)
    if (!names.insert(tensor.name).second)
      mistakes.add("expected each weight once, but these are given again",
                   quote(tensor.name));
  for (const TrainedTensor &tensor : tensors) {
    TensorProto *place = initializers.find(tensor.name);
    if (!place && isCheckpoint && isOfTraining(tensor, initializers, names))
      continue;
    if (!place) {
      mistakes.add("the model has no weights of these names",
                   quote(tensor.name));
      continue;
    }
    mistaken.emplace(tensor.name);
    if (!floatFormatOf(place->data_type())) {
      mistakes.add("expected weights of a float type, but the model's are not",
                   quote(tensor.name) + " (" + nameOf(place->data_type()) +
                       ")");
      continue;
    }
    std::span<const int64_t> shape(place->dims().data(),
                                   static_cast<size_t>(place->dims_size()));
    if (!std::ranges::equal(shape, tensor.shape)) {
      mistakes.add("expected the model's shapes",
                   quote(tensor.name) + " is " + shapeText(tensor.shape) +
                       " and not " + shapeText(shape));
      continue;
    }
    mistaken.erase(place->name());
    pairs.push_back({&tensor, place});
  }
}

static Status findMissing(const Initializers &initializers,
                          const std::vector<Pair> &pairs, const Names &mistaken,
                          const std::string &keep, Mistakes &mistakes,
                          std::vector<std::string> &kept) {
  std::optional<NamePattern> pattern;
  if (!keep.empty()) {
    Result<NamePattern> parsed = NamePattern::parse(keep);
    if (!parsed)
      return refuse("expected a regular expression of weights to keep, but "
                    "got '" +
                    keep + "': " + parsed.status().message());
    pattern = *parsed;
  }
  Names given = mistaken; // of which is told
  for (const Pair &pair : pairs)
    given.insert(pair.place->name());
  Names untaken = initializers.findUntaken(given);
  bool matchesAny = false, keepsAny = false;
  for (const TensorProto *weight : initializers.weights()) {
    bool matches = pattern && pattern->matches(weight->name());
    matchesAny |= matches;
    if (given.contains(weight->name()))
      continue;
    keepsAny |= matches;
    if (matches || untaken.contains(weight->name()))
      kept.push_back(quote(weight->name()));
    else
      mistakes.add("these weights of the model have no new values ('keep' "
                   "leaves those as they are whose names match)",
                   quote(weight->name()));
  }
  if (pattern && !matchesAny)
    mistakes.add("expected 'keep' to match the whole name of a weight of the "
                 "model, but got",
                 quote(keep));
  else if (pattern && !keepsAny)
    mistakes.add("every weight that 'keep' matches has a new value",
                 quote(keep));
  return {};
}

std::string mpc::onnx::describeTraining(const WrittenBack &copy,
                                        bool inference) {
  return "these nodes of the copy run as in training" +
         std::string(inference ? ", and draw random numbers: "
                               : " ('inference' makes those predict that are "
                                 "dropout or batch norm): ") +
         listSome(copy.training);
}

std::string mpc::onnx::describeKept(const WrittenBack &copy) {
  return std::to_string(copy.kept.size()) + " kept: " + listSome(copy.kept);
}

//===-- The copy ----------------------------------------------------------===//

static Result<::onnx::ModelProto> parse(std::string_view bytes) {
  ::onnx::ModelProto model;
  if (bytes.size() > size_t(std::numeric_limits<int32_t>::max()) ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !model.has_graph())
    return refuse("expected a model in ONNX's format of less than 2 GiB, but "
                  "it is damaged or something else");
  return model;
}

static Status write(const ::onnx::ModelProto &model, const NewData &data,
                    const std::string &output, std::string &dataFile) {
  if (Status status = data.check(output); !status.ok())
    return refuse(status.message());
  // A message must not be larger, and its size is counted in 64 bits.
  if (model.ByteSizeLong() > size_t(std::numeric_limits<int32_t>::max()))
    return refuse("the copy would have more than 2 GiB, beside which larger "
                  "weights lie as external data");
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return {StatusCode::Internal, "the copy cannot be written as a message"};
  if (!data.empty())
    dataFile = data.path();
  return data.write(output, std::as_bytes(std::span(bytes)));
}

/// Readers look for the data beside the file, and not beside a link to it. Of a
/// pipe or a device the links are names for the system alone ("pipe:[42]").
static std::optional<std::string> placeBehind(const std::string &output) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::file_status found = fs::status(output, none);
  if ((fs::exists(found) && !fs::is_regular_file(found)) ||
      descriptorOf(output))
    return output;
  return followLinks(output);
}

Result<WrittenBack> mpc::onnx::writeBack(std::string_view bytes,
                                         std::span<const TrainedTensor> tensors,
                                         const WriteBackOptions &options) {
  Result<::onnx::ModelProto> model = parse(bytes);
  if (!model)
    return model.status();
  Initializers initializers(*model);
  if (Status status = initializers.read(); !status.ok())
    return status;
  WrittenBack done;
  Mistakes mistakes;
  std::vector<Pair> pairs;
  Names mistaken;
  pairTensors(tensors, initializers, options.isCheckpoint, mistakes, mistaken,
              pairs);
  if (Status status = findMissing(initializers, pairs, mistaken, options.keep,
                                  mistakes, done.kept);
      !status.ok())
    return status;
  if (Status status = mistakes.status(); !status.ok())
    return status;
  std::optional<std::string> output = placeBehind(options.output);
  if (!output)
    return Status(StatusCode::IoError,
                  "'" + options.output +
                      "': cannot be written: " + std::strerror(errno));
  NewData data(options.folder, *output);
  for (const Pair &pair : pairs)
    if (Status status = data.set(*pair.place, *pair.value); !status.ok())
      return refuse(status.message());
  if (Status status = data.move(*model); !status.ok())
    return refuse(status.message());
  if (options.inference)
    if (Status status = makePredicting(*model); !status.ok())
      return status;
  done.written = pairs.size();
  done.training = findTraining(*model);
  if (Status status = write(*model, data, *output, done.dataFile); !status.ok())
    return status;
  return done;
}
