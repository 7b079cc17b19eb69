// `#graph.optimizer`: a dictionary of hyperparameters that says which of them
// somebody gave. Which there are, and their defaults, say the op records
// (Optimizers.h); what their values may be, the table of settings.
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mpc;
using namespace mpc::graph;

//===-- Values ------------------------------------------------------------===//

double OptimizerAttr::getReal(StringRef hyperparameter) const {
  auto given = getHyperparameters().getAs<mlir::FloatAttr>(hyperparameter);
  return given ? given.getValueAsDouble()
               : recordOf(*this).getRealDefault(getContext(), hyperparameter);
}

bool OptimizerAttr::getFlag(StringRef hyperparameter) const {
  auto given = getHyperparameters().getAs<mlir::BoolAttr>(hyperparameter);
  return given && given.getValue();
}

//===-- What values may be -----------------------------------------------===//

/// "name, lr, master or a hyperparameter of sgd (momentum, ...)".
static std::string describeTaken(const OptimizerRecord &optimizer) {
  return ("name, lr, master or a hyperparameter of " + optimizer.name + " (" +
          llvm::join(optimizer.hyperparameters, ", ") + ")")
      .str();
}

namespace {

/// No setting without effect: the optimizer takes what is given.
LogicalResult checkTaken(EmitError emitError, const OptimizerRecord &optimizer,
                         StringRef hyperparameter) {
  if (optimizer.takes(hyperparameter))
    return success();
  if (std::string others = optimizerNames(hyperparameter); !others.empty())
    return emitError() << "expected no " << hyperparameter << " with optimizer "
                       << optimizer.name
                       << ", which does not use it: leave it out, or choose "
                       << others;
  return emitError() << "expected " << describeTaken(optimizer) << ", but got '"
                     << hyperparameter << "'";
}

LogicalResult checkName(EmitError emitError, StringRef name,
                        const OptimizerRecord *&optimizer) {
  optimizer = findOptimizer(name);
  if (optimizer)
    return success();
  return emitError() << "expected optimizer " << optimizerNames()
                     << ", but got '" << name << "'";
}

LogicalResult checkRate(EmitError emitError, Real lr) {
  return verifyReal(*findSetting(Part::OptimizerChoice, "lr"), lr, emitError);
}

LogicalResult checkGiven(EmitError emitError, const OptimizerRecord &optimizer,
                         NamedAttribute given) {
  StringRef name = given.getName();
  if (failed(checkTaken(emitError, optimizer, name)))
    return failure();
  const Setting *setting = findSetting(Part::Hyperparameters, name);
  bool isFlag = graph::isFlag(*setting);
  auto number = dyn_cast<mlir::FloatAttr>(given.getValue());
  if (isFlag ? !isa<mlir::BoolAttr>(given.getValue()) : !number)
    return emitError() << "expected " << (isFlag ? "true or false" : "a number")
                       << " for " << name << ", but got " << given.getValue();
  return isFlag ? success()
                : verifyReal(*setting, number.getValueAsDouble(), emitError);
}

/// As torch.optim.SGD.
LogicalResult checkMomentum(EmitError emitError, DictionaryAttr given) {
  auto real = [&](StringRef name) {
    auto number = given.getAs<mlir::FloatAttr>(name);
    return Real(number ? number.getValueAsDouble() : 0.0);
  };
  auto nesterov = given.getAs<mlir::BoolAttr>("nesterov");
  Real momentum = real("momentum"), dampening = real("dampening");
  if (nesterov && nesterov.getValue() &&
      (!(momentum.value > 0) || dampening.value != 0))
    return emitError()
           << "expected momentum > 0 and dampening 0 with nesterov, but got "
           << momentum << " and " << dampening;
  if (dampening.value != 0 && !(momentum.value > 0))
    return emitError() << "expected momentum > 0 with dampening, but got "
                       << momentum;
  return success();
}

} // namespace

LogicalResult OptimizerAttr::verify(EmitError emitError, StringRef name,
                                    Real lr, DictionaryAttr hyperparameters,
                                    MasterType) {
  const OptimizerRecord *optimizer = nullptr;
  if (failed(checkName(emitError, name, optimizer)) ||
      failed(checkRate(emitError, lr)))
    return failure();
  for (NamedAttribute given : hyperparameters)
    if (failed(checkGiven(emitError, *optimizer, given)))
      return failure();
  return checkMomentum(emitError, hyperparameters);
}

//===-- Text --------------------------------------------------------------===//

namespace {

/// The fields between < and >, in any order, and where they stand.
struct FieldReader {
  mlir::AsmParser &parser;
  std::optional<std::string> name;
  std::optional<MasterType> master;
  std::optional<Real> lr;
  mlir::NamedAttrList hyperparameters;
  llvm::StringMap<llvm::SMLoc> places;

  mlir::ParseResult readField() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (failed(parser.parseOptionalKeyword(&key)))
      return parser.emitError(loc, "expected ")
             << listWords(allNames()) << " and '=' in front of a value";
    if (!llvm::is_contained(allNames(), key) &&
        !findSetting(Part::Hyperparameters, key))
      return parser.emitError(loc, "expected ")
             << describeTaken() << ", but got '" << key << "'"
             << suggestNearest(allNames(), key);
    if (parser.parseEqual())
      return failure();
    if (!places.try_emplace(key, loc).second)
      return parser.emitError(loc, "expected one '")
             << key << "' in an optimizer, but got two";
    return readValue(key);
  }

  mlir::ParseResult readValue(StringRef key) {
    if (key == "name")
      return parser.parseString(&name.emplace());
    if (key == "master")
      return readMaster();
    if (key == "lr")
      return readReal(lr.emplace());
    return readHyperparameter(key);
  }

  /// What may be said; of the optimizer, once its name has been.
  std::vector<StringRef> allNames() const {
    std::vector<StringRef> names = {"name", "lr", "master"};
    const OptimizerRecord *optimizer = name ? findOptimizer(*name) : nullptr;
    TrainingSettings settings;
    forEachHyperparameter(settings, [&](StringRef hyperparameter, auto &) {
      if (!optimizer || optimizer->takes(hyperparameter))
        names.push_back(hyperparameter);
    });
    return names;
  }
  std::string describeTaken() const {
    const OptimizerRecord *optimizer = name ? findOptimizer(*name) : nullptr;
    return optimizer ? ::describeTaken(*optimizer) : listWords(allNames());
  }

  mlir::ParseResult readMaster() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::string text;
    TrainingSettings settings;
    if (parser.parseString(&text) ||
        failed(setText(settings, *findSetting(Part::OptimizerChoice, "master"),
                       text, [&] { return parser.emitError(loc); })))
      return failure();
    master = settings.optimizer.master;
    return success();
  }

  mlir::ParseResult readReal(Real &real) {
    FailureOr<Real> number = mlir::FieldParser<Real>::parse(parser);
    if (failed(number))
      return failure();
    real = *number;
    return success();
  }

  mlir::ParseResult readHyperparameter(StringRef key) {
    Builder &builder = parser.getBuilder();
    for (bool value : {true, false})
      if (succeeded(parser.parseOptionalKeyword(value ? "true" : "false"))) {
        hyperparameters.set(key, builder.getBoolAttr(value));
        return success();
      }
    Real real;
    if (readReal(real))
      return failure();
    hyperparameters.set(key, builder.getF64FloatAttr(real.value));
    return success();
  }

  /// What is wrong with one field is told where it stands.
  LogicalResult check() const {
    auto errorAt = [&](StringRef key) {
      return [this, key] { return parser.emitError(places.lookup(key)); };
    };
    const OptimizerRecord *optimizer = nullptr;
    if (failed(checkName(errorAt("name"), *name, optimizer)) ||
        failed(checkRate(errorAt("lr"), *lr)))
      return failure();
    for (NamedAttribute given : hyperparameters)
      if (failed(checkGiven(errorAt(given.getName()), *optimizer, given)))
        return failure();
    return success();
  }
};

} // namespace

Attribute OptimizerAttr::parse(mlir::AsmParser &parser, Type) {
  FieldReader fields{parser, {}, {}, {}, {}, {}};
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater,
                                     [&] { return fields.readField(); }))
    return {};
  if (!fields.name || !fields.lr) {
    parser.emitError(loc, "expected 'name' and 'lr' in an optimizer");
    return {};
  }
  if (failed(fields.check()))
    return {};
  MLIRContext *context = parser.getContext();
  return OptimizerAttr::getChecked(
      [&] { return parser.emitError(loc); }, context, StringRef(*fields.name),
      *fields.lr, fields.hyperparameters.getDictionary(context),
      fields.master.value_or(MasterType::F32));
}

void OptimizerAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<name = \"" << getName() << "\", lr = " << getLr();
  for (NamedAttribute given : getHyperparameters()) {
    printer << ", " << given.getName().getValue() << " = ";
    if (auto flag = dyn_cast<mlir::BoolAttr>(given.getValue()))
      printer << (flag.getValue() ? "true" : "false");
    else
      printer << Real(
          cast<mlir::FloatAttr>(given.getValue()).getValueAsDouble());
  }
  if (getMaster() != MasterType::F32)
    printer << ", master = \"" << stringifyEnum(getMaster()) << "\"";
  printer << ">";
}
