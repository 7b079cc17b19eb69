// What in a text would end its parser: how deep brackets are nested, and what
// it makes room for.
//
// Parsers descend one call per bracket, and a text of a few megabytes that is
// nothing but brackets ends them with a full stack. Asked first, the depth is
// an error like any other.
#ifndef MPC_SUPPORT_TEXT_NESTING_H
#define MPC_SUPPORT_TEXT_NESTING_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace mpc {

/// Json: {} and [], strings in double quotes. Mlir: (), [], {} and <> as well,
/// and comments from // to the end of the line; `->`, `<=` and `>=` are no
/// brackets.
enum class BracketSyntax { Json, Mlir };

/// Far beyond what anybody writes, far below what fills a stack.
constexpr unsigned kDeepestBrackets = 256;

/// Where the first bracket opens that is nested deeper than `deepest`.
std::optional<size_t> findTooDeepBracket(std::string_view text,
                                         BracketSyntax syntax,
                                         unsigned deepest = kDeepestBrackets);

/// What nests in the text of a model without brackets. Where the first alias
/// (`#b = [#a]`, `!b = tuple<!a>`) is defined that stands for aliases of
/// aliases deeper than `deepest`.
std::optional<size_t> findTooDeepAlias(std::string_view text,
                                       unsigned deepest = kDeepestBrackets);

/// Where the first affine map or set begins that ends after `longest` bytes:
/// each operator of its sums is a call of MLIR's parser.
std::optional<size_t> findTooLongAffine(std::string_view text,
                                        size_t longest = 4096);

/// Where the first result (`%name#9`) is numbered beyond what the text can
/// define: MLIR's parser makes room for all numbers below before it knows how
/// many there are. All largest numbers of names together are fewer than bytes
/// of the text, since each result needs a name or a type there.
std::optional<size_t> findTooLargeResultNumber(std::string_view text);

} // namespace mpc

#endif // MPC_SUPPORT_TEXT_NESTING_H
