// What each value of a dump would be called if it were the only one.
#ifndef MPC_LIB_PIPELINES_DUMP_BASES_H
#define MPC_LIB_PIPELINES_DUMP_BASES_H

#include "LocationNames.h"
#include "PrintedNames.h"
#include "llvm/Support/StringSaver.h"

namespace mpc::dump {

/// "h", "h.cast": the value that it is for, and what it is.
struct Base {
  enum class Source { Nothing, Op, Mark, Text };

  StringRef stem; ///< "h", "y#1" for the second of `%y:2`; "" if for many.
  StringRef word; ///< "cast"; "" for the value itself.
  Source source = Source::Nothing;
};

/// Puts the bases of the results of `top`, an op of the module, and of all
/// values below it into `bases`, but for region arguments that stand for
/// operands. Their sources, best first:
///
///  1. The text, by location: the op of the text, what a pass has made of it
///     (`%h.cast`) and of its gradient (`%h.grad.mul`). What stands for an op
///     in a region that yields it is called like it.
///  2. The mark of the result that a function returns it as: `%w.next` replaces
///     the state `%w`, `%w.grad` is its gradient, `%grad_norm` an output.
///  3. The op, as it names its results or by its word, for the marked results
///     that it leads to, as far as those agree: `%w.mul` leads to `%w.next`
///     alone, `%layer.0.mul` to `%layer.0.w.next` and `%layer.0.b.next`, `%mul`
///     to more, or to none.
void findBases(Operation &top, const LocationNames &names,
               const PrintedNames &printed, llvm::StringSaver &strings,
               DenseMap<Value, Base> &bases);

/// `text` as the name of a value.
std::string spellName(StringRef text);

/// Whether `name` is that of `%7`.
bool isNumber(StringRef name);

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_BASES_H
