#include "mpc/Dialect/Graph/Precision/PrecisionProfile.h"
#include "JsonFile.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Precision/ValueNames.h"
#include "mpc/Support/Number.h"
#include "mpc/Text/TypeText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::graph;
using llvm::json::Object;

LogicalResult ProfileThresholds::parseShare(StringRef text, double &share,
                                            PolicyRules::EmitError emitError) {
  share = parseNumber<double>(text).value_or(-1);
  if (share >= 0 && share <= 1)
    return success();
  return emitError() << "expected a share from 0 to 1, but got '" << text
                     << "'";
}

LogicalResult ProfileThresholds::parse(StringRef overflowText,
                                       StringRef flushText,
                                       PolicyRules::EmitError emitError) {
  auto atOption = [&](StringRef name) {
    return [=]() -> InFlightDiagnostic {
      return std::move(emitError() << "option '" << name << "': ");
    };
  };
  return success(
      succeeded(
          parseShare(overflowText, overflow, atOption("profile-overflow"))) &&
      succeeded(parseShare(flushText, flush, atOption("profile-flush"))));
}

//===-- Reading -----------------------------------------------------------===//

/// Reads the JSON of one profile.
class PrecisionProfile::Reader {
public:
  Reader(StringRef path, PolicyRules::EmitError emitError)
      : path(path), emitError(emitError) {}

  FailureOr<PrecisionProfile> run() {
    llvm::Expected<llvm::json::Value> json = readJson(path);
    if (!json)
      return fail(llvm::toString(json.takeError()));
    const Object *root = json->getAsObject();
    if (!root || root->getInteger("version") != 1)
      return fail("expected an object with 'version' 1, as mpc-run profile "
                  "writes it");
    const llvm::json::Array *values = root->getArray("values");
    if (!values)
      return fail("expected 'values' to be an array");
    PrecisionProfile profile;
    profile.path = path.str();
    for (const llvm::json::Value &value : *values)
      if (failed(
              readEntry(value.getAsObject(), profile.entries.emplace_back())))
        return failure();
    return profile;
  }

private:
  InFlightDiagnostic fail(const Twine &what) {
    return emitError() << "range profile '" << path << "': " << what;
  }

  LogicalResult readEntry(const Object *object, Entry &entry) {
    if (!object)
      return fail("expected each value to be an object");
    auto name = object->getString("name");
    auto op = object->getString("op");
    auto backward = object->getBoolean("backward");
    auto largest = object->getNumber("largest");
    auto smallest = object->getNumber("smallest");
    const Object *formats = object->getObject("formats");
    if (!name || !op || !backward || !largest || !smallest || !formats)
      return fail("expected 'name', 'op', 'backward', 'largest', 'smallest' "
                  "and 'formats' in each value");
    bool isInsertedCast = op->starts_with("graph.") && op->contains(" (");
    bool isModels =
        op->starts_with("graph.") || *op == "input" || *op == "parameter";
    entry = {name->str(), isInsertedCast || !isModels,
             *backward,   *largest,
             *smallest,   {}};
    for (const auto &[format, numbers] : *formats) {
      const Object *shares = numbers.getAsObject();
      auto overflow = shares ? shares->getNumber("overflow") : std::nullopt;
      auto flush = shares ? shares->getNumber("flush") : std::nullopt;
      if (!overflow || !flush)
        return fail("expected 'overflow' and 'flush' in each format of '" +
                    *name + "'");
      entry.losses[format] = {*overflow, *flush};
    }
    return success();
  }

  StringRef path;
  PolicyRules::EmitError emitError;
};

FailureOr<PrecisionProfile>
PrecisionProfile::read(StringRef path, PolicyRules::EmitError emitError) {
  return Reader(path, emitError).run();
}

//===-- Rules -------------------------------------------------------------===//

static llvm::StringMap<Value> nameValues(mlir::func::FuncOp func) {
  llvm::StringMap<Value> values;
  for (auto argument : func.getArguments())
    for (StringRef mark : {kInputAttr, kParameterAttr})
      if (auto name =
              func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), mark))
        values[name] = argument;
  ValueNames names; // in the order that they have without regions
  func.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (isa<mlir::FloatType>(mlir::getElementTypeOrSelf(result)))
        values[names.get(result)] = result;
  });
  return values;
}

/// Whether a rule would change nothing, or cannot be.
static bool needsNoRule(Operation *op) {
  auto policy = dyn_cast<AutocastOpInterface>(op);
  return !policy || op->hasTrait<mlir::OpTrait::ConstantLike>() ||
         policy.getAutocastPolicy() == AutocastPolicy::Deny;
}

/// Adds the rules for one model.
class PrecisionProfile::Rewriter {
public:
  Rewriter(mlir::func::FuncOp func, std::string narrow,
           ProfileThresholds thresholds, bool tells, PolicyRules &rules)
      : narrow(std::move(narrow)), thresholds(thresholds), tells(tells),
        rules(rules), values(nameValues(func)) {}

  LogicalResult deny(const Entry &entry, Value value) {
    std::string why = describe(entry);
    if (why.empty())
      return success();
    if (Operation *producer = value.getDefiningOp();
        producer && failed(deny(producer, "its result " + why)))
      return failure();
    for (Operation *user : value.getUsers())
      if (failed(deny(user, "it reads a value that " + why)))
        return failure();
    return success();
  }

  Value find(StringRef name) const { return values.lookup(name); }

  /// Why the value needs f32, "" if it does not.
  std::string describe(const Entry &entry) const {
    auto found = entry.losses.find(narrow);
    if (found == entry.losses.end())
      return "";
    const Loss &loss = found->second;
    SmallVector<std::string> parts;
    auto add = [&](const char *what, double share, const char *which,
                   double value) {
      llvm::raw_string_ostream(parts.emplace_back())
          << what << llvm::format(" %.4g", 100 * share)
          << " % of its elements (" << which << llvm::format(" %.3g)", value);
    };
    if (loss.overflow > thresholds.overflow)
      add(("overflows " + narrow + " in").c_str(), loss.overflow, "largest",
          entry.largest);
    if (loss.flush > thresholds.flush)
      add(("becomes zero in " + narrow + " in").c_str(), loss.flush, "smallest",
          entry.smallest);
    return llvm::join(parts, " and ");
  }

private:
  LogicalResult deny(Operation *op, const std::string &why) {
    if (needsNoRule(op) || !denied.insert(op).second)
      return success();
    SmallVector<std::string> places;
    collectLocationNames(op->getLoc(), places);
    if (places.empty()) {
      if (tells)
        op->emitWarning(
            "expected a location, by which a rule can name the op: ")
            << why << ", but it may run in " << narrow;
      return success();
    }
    if (tells)
      op->emitRemark() << "'" << op->getName() << "' runs in f32: " << why;
    return rules.addRule((op->getName().getStringRef() + "@" +
                          llvm::Regex::escape(places.front()) + "=Deny")
                             .str(),
                         [&] { return op->emitError(); });
  }

  std::string narrow;
  ProfileThresholds thresholds;
  bool tells;
  PolicyRules &rules;
  llvm::StringMap<Value> values;
  DenseSet<Operation *> denied;
};

LogicalResult PrecisionProfile::addRules(mlir::func::FuncOp func,
                                         mlir::FloatType narrow,
                                         ProfileThresholds thresholds,
                                         bool tells, PolicyRules &rules) const {
  std::string format = toString(narrow);
  Rewriter rewriter(func, format, thresholds, tells, rules);
  unsigned backward = 0;
  for (const Entry &entry : entries) {
    if (entry.isBackward) {
      backward += !rewriter.describe(entry).empty();
      continue;
    }
    if (entry.isMade)
      continue;
    Value value = rewriter.find(entry.name);
    if (!value && tells)
      func.emitWarning("range profile '")
          << path << "': no value of the model is called '" << entry.name
          << "'; profile it again";
    if (value && failed(rewriter.deny(entry, value)))
      return failure();
  }
  if (backward && tells)
    func.emitRemark() << backward << " values of the backward leave the range "
                      << "of " << format << ": their range is moved by the "
                      << "loss scale, and no op is";
  return success();
}
