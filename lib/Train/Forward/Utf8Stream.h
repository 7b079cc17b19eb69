// Bytes that come piece by piece, as text that is whole at any time.
#ifndef MPC_LIB_TRAIN_FORWARD_UTF8STREAM_H
#define MPC_LIB_TRAIN_FORWARD_UTF8STREAM_H

#include <string>
#include <string_view>

namespace mpc::train {

/// A character of several bytes is held back until the last of them has come;
/// each longest part of bytes that is the begin of none becomes U+FFFD, as the
/// Unicode standard recommends.
class Utf8Stream {
public:
  /// The text that is whole now.
  std::string add(std::string_view bytes);
  /// At the end: what was held back, as U+FFFD.
  std::string finish();

private:
  std::string held;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_FORWARD_UTF8STREAM_H
