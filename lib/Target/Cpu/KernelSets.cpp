#include "KernelSets.h"
#include "mpc/Support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace mpc;
using namespace mpc::target;
using mlir::func::FuncOp;
namespace arith = mlir::arith;

/// Loops of fewer steps are laid out by how many they have.
static constexpr int64_t kManySteps = 4;

/// Whether a loop that ends at `end` takes many steps.
static bool takesManySteps(mlir::scf::ForOp loop, int64_t end) {
  auto first = mlir::getConstantIntValue(loop.getLowerBound());
  auto step = mlir::getConstantIntValue(loop.getStep());
  return first && step && *first == 0 && *step > 0 && end / *step >= kManySteps;
}

/// Whether code for another number is the same with that number in its place,
/// and as fast. Zero and one vanish from sums and products.
static bool isSize(arith::ConstantOp constant) {
  auto value = dyn_cast<mlir::IntegerAttr>(constant.getValue());
  if (!value || !value.getType().isIndex() || value.getInt() < 2)
    return false;
  return llvm::all_of(constant->getUses(), [&](mlir::OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<mlir::scf::ForOp>(user))
      return &use == &loop.getUpperBoundMutable() &&
             takesManySteps(loop, value.getInt());
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinUIOp,
               arith::CmpIOp>(user);
  });
}

/// Whether `op` reads or writes elements at an address, however many there are.
static bool isAccess(Operation *op) {
  return isa<mlir::memref::LoadOp, mlir::memref::StoreOp, mlir::vector::LoadOp,
             mlir::vector::StoreOp, mlir::vector::MaskedLoadOp,
             mlir::vector::MaskedStoreOp, mlir::vector::GatherOp,
             mlir::vector::ScatterOp>(op);
}

/// Whether `cast` only says how large the memory of an argument is: no code.
static bool isExtent(mlir::memref::ReinterpretCastOp cast) {
  auto isOnly = [](ArrayRef<int64_t> values, int64_t value) {
    return values.size() == 1 && values[0] == value;
  };
  auto argument = dyn_cast<mlir::BlockArgument>(cast.getSource());
  return argument && isa<FuncOp>(argument.getOwner()->getParentOp()) &&
         isOnly(cast.getStaticOffsets(), 0) &&
         isOnly(cast.getStaticStrides(), 1) && cast->getNumOperands() == 1 &&
         llvm::all_of(cast->getUsers(), isAccess);
}

/// Calls `visit` with each constant that is a size, in order.
static void forEachSize(FuncOp function,
                        function_ref<void(arith::ConstantOp)> visit) {
  function.walk<mlir::WalkOrder::PreOrder>([&](arith::ConstantOp constant) {
    if (isSize(constant))
      visit(constant);
  });
}

namespace {
/// All of a function but its name and its sizes, as bytes. Attributes, types
/// and names of ops are unique in a context, so their addresses stand for them.
class FormWriter {
public:
  explicit FormWriter(FuncOp function) {
    add(function->getDiscardableAttrDictionary().getAsOpaquePointer());
    add(Attribute(function.getArgAttrsAttr()).getAsOpaquePointer());
    add(function.getBody(), /*isArgument=*/true);
  }
  StringRef bytes() const {
    return {reinterpret_cast<const char *>(words.data()),
            words.size() * sizeof(words[0])};
  }

private:
  void add(const void *pointer) { words.push_back(uintptr_t(pointer)); }
  void add(Type type) { add(type.getAsOpaquePointer()); }
  void define(Value value) { numbers.try_emplace(value, numbers.size()); }
  void add(mlir::Region &region, bool isArgument);
  void add(Operation &op);
  void addFacts(Operation &op);

  SmallVector<uintptr_t, 0> words;
  llvm::DenseMap<Value, unsigned> numbers;
};
} // namespace

/// Of memory that is an argument of a kernel its elements alone.
static Type withoutExtent(Type type) {
  auto memref = dyn_cast<mlir::MemRefType>(type);
  return memref && memref.getLayout().isIdentity() ? memref.getElementType()
                                                   : type;
}

/// Whether no code depends on how large the memory of `argument` is.
static bool hasFreeExtent(Value argument) {
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    auto cast = dyn_cast<mlir::memref::ReinterpretCastOp>(user);
    return cast && isExtent(cast);
  });
}

void FormWriter::add(mlir::Region &region, bool isArgument) {
  words.push_back(region.getBlocks().size());
  for (Block &block : region) {
    words.push_back(block.getNumArguments());
    for (Value argument : block.getArguments()) {
      define(argument);
      add(isArgument && hasFreeExtent(argument)
              ? withoutExtent(argument.getType())
              : argument.getType());
    }
    words.push_back(block.getOperations().size());
    for (Operation &op : block)
      add(op);
  }
}

void FormWriter::add(Operation &op) {
  add(op.getName().getAsOpaquePointer());
  words.push_back(op.getNumOperands());
  for (Value operand : op.getOperands())
    words.push_back(numbers.lookup(operand));
  addFacts(op);
  for (Value result : op.getResults())
    define(result);
  words.push_back(op.getNumRegions());
  for (mlir::Region &region : op.getRegions())
    add(region, /*isArgument=*/false);
}

void FormWriter::addFacts(Operation &op) {
  words.push_back(op.getNumResults());
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isSize(constant))
    return add(Type());
  if (auto cast = dyn_cast<mlir::memref::ReinterpretCastOp>(op);
      cast && isExtent(cast))
    return add(withoutExtent(cast.getType()));
  add(op.getAttrDictionary().getAsOpaquePointer());
  for (Type type : op.getResultTypes())
    add(type);
}

/// Finds out which sizes the kernels of `set` do not have in common.
/// `sizes[i]` has all of entry i. Sizes that are equal in each kernel are one.
static void splitNumbers(KernelSet &set, ArrayRef<SmallVector<int64_t>> sizes) {
  std::map<std::vector<int64_t>, unsigned> known;
  for (size_t number = 0; number < sizes[0].size(); ++number) {
    std::vector<int64_t> values;
    for (const SmallVector<int64_t> &own : sizes)
      values.push_back(own[number]);
    if (llvm::all_equal(values))
      continue;
    auto [found, isNew] = known.try_emplace(values, known.size());
    set.replaced.emplace_back(number, found->second);
    if (isNew)
      for (auto [entry, value] : llvm::zip_equal(set.entries, values))
        entry.numbers.push_back(value);
  }
}

std::vector<KernelSet> mpc::target::findKernelSets(ModuleOp module) {
  std::vector<KernelSet> sets;
  std::vector<std::vector<SmallVector<int64_t>>> sizes; // of each set
  llvm::StringMap<size_t> known;
  for (auto function : module.getOps<FuncOp>()) {
    auto [found, isNew] =
        known.try_emplace(FormWriter(function).bytes(), sets.size());
    if (isNew) {
      sets.emplace_back();
      sizes.emplace_back();
    }
    sets[found->second].entries.push_back({function, {}});
    SmallVector<int64_t> &own = sizes[found->second].emplace_back();
    forEachSize(function, [&](arith::ConstantOp constant) {
      own.push_back(cast<mlir::IntegerAttr>(constant.getValue()).getInt());
    });
  }
  for (auto [set, own] : llvm::zip_equal(sets, sizes))
    splitNumbers(set, own);
  return sets;
}

mlir::OwningOpRef<ModuleOp> KernelSet::buildCode() const {
  FuncOp source = first();
  mlir::OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  FuncOp function = source.clone();
  module->push_back(function);
  if (replaced.empty())
    return module;
  SmallVector<arith::ConstantOp> sizes;
  forEachSize(function, [&](arith::ConstantOp size) { sizes.push_back(size); });
  unsigned given = function.getNumArguments();
  Type index = mlir::IndexType::get(function.getContext());
  for (size_t i = 0; i < entries[0].numbers.size(); ++i)
    if (failed(function.insertArgument(given + i, index, {}, source.getLoc())))
      MPC_ASSERT(false, "a function takes arguments of any type");
  for (auto [number, argument] : replaced)
    sizes[number].getResult().replaceAllUsesWith(
        function.getArgument(given + argument));
  return module;
}

std::string KernelSet::describe() const {
  std::string text;
  for (const KernelEntry &entry : entries) {
    FuncOp function = entry.function;
    text += "\n" + function.getName().str();
    for (int64_t number : entry.numbers)
      text += " " + std::to_string(number);
  }
  return text;
}
