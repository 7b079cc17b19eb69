// What the tokens of a language model stand for.
//
// A file is a JSON list, in which the place of a piece is its token: a piece is
// a string, or a number below 256 for a byte that is no text by itself.
//
//   ["\n", " ", "a", "b", "the ", 195, 169]
#ifndef MPC_DATA_VOCABULARY_H
#define MPC_DATA_VOCABULARY_H

#include "mpc/Support/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::data {

class Vocabulary {
public:
  static Result<Vocabulary> load(const std::string &path);
  /// `text` is what a file holds; messages begin with `path`.
  static Result<Vocabulary> parse(std::string_view text,
                                  const std::string &path);

  uint64_t size() const { return pieces.size(); }
  /// The bytes of a token below size().
  const std::string &piece(uint64_t token) const { return pieces[token]; }
  /// Tokens of a text: at each place the longest piece that fits. So it is for
  /// characters and bytes; tokenizers that merge pairs may choose others. Text
  /// that no piece begins is an error.
  Result<std::vector<int64_t>> encode(std::string_view text) const;

private:
  std::string path;
  std::vector<std::string> pieces;
  std::map<std::string, int64_t, std::less<>> tokens;
  size_t longest = 0; ///< Bytes of a piece.
};

} // namespace mpc::data

#endif // MPC_DATA_VOCABULARY_H
