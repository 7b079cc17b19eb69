// The names of a file. Symbolic links of one that is written as a whole: what
// is behind them gets the new content, and the links stay.
#ifndef MPC_SUPPORT_LINKS_H
#define MPC_SUPPORT_LINKS_H

#include <optional>
#include <string>
#include <string_view>

namespace mpc {

/// The file behind `path`, which need not exist yet; `path` itself where it is
/// no link. Nothing, and errno tells why, where the system would not follow:
/// links that loop, or, in /tmp, one of somebody else.
std::optional<std::string> followLinks(std::string path);

/// The one name of the file behind `path`, which need not exist yet, however it
/// is spelled: absolute, without links, "." and "..". Nothing, as above.
std::optional<std::string> canonicalPath(const std::string &path);

/// Whether two names are of one file, however they are spelled. Terminals,
/// pipes and devices do not count, nor does "".
bool isSameFile(const std::string &a, const std::string &b);

/// The descriptor of this process that a path is a name of: "/dev/stdout",
/// "/dev/fd/63". What is open there is written to, and not replaced, whatever
/// it is.
std::optional<int> descriptorOf(std::string_view path);

/// "folder/" of "folder/name", "./" of "name".
std::string folderOf(const std::string &path);

} // namespace mpc

#endif // MPC_SUPPORT_LINKS_H
