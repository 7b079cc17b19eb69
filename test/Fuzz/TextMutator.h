// Mutations of text by its words and lines: libFuzzer's own, of bits and bytes,
// hardly ever leave a model that a parser takes.
#ifndef MPC_TEST_FUZZ_TEXTMUTATOR_H
#define MPC_TEST_FUZZ_TEXTMUTATOR_H

#include <random>
#include <string>
#include <string_view>

namespace mpc::fuzz {

/// `text` after one to three mutations, most of which keep the grammar: a dim
/// or another number, a type, an operand or an op becomes another, also one of
/// `other`; a word or a line is dropped, doubled or swapped. Deterministic in
/// `seed`.
std::string mutateText(std::string_view text, std::string_view other,
                       unsigned seed);

} // namespace mpc::fuzz

#endif // MPC_TEST_FUZZ_TEXTMUTATOR_H
