// Numbers and names as people read them.
#ifndef MPC_TRAIN_FORMAT_H
#define MPC_TRAIN_FORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace mpc::train {

/// "1:02:03", "2:03", "0:03".
std::string formatSeconds(double seconds);
/// "12.3k", "1.20M", "987", "0.13".
std::string formatRate(double perSecond);
/// "0.1234", and "1.2346e+30" where digits after the point would say nothing,
/// or would have dozens in front of them.
std::string formatLoss(double loss, int decimals = 4);
/// "12.34 %", of a share.
std::string formatPercent(double share);
/// "2^16" for powers of two, else plain.
std::string formatScale(double scale);
/// For a column of 9: "12.345"; what is less than 0.1 to as many digits:
/// "0.001234".
std::string formatSmall(double number);
/// "1.5 MiB"
std::string formatBytes(uint64_t bytes);
/// Names come from files: nothing in them moves the cursor. A control character
/// is a question mark.
std::string printable(std::string_view name);

} // namespace mpc::train

#endif // MPC_TRAIN_FORMAT_H
