#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

std::string mpc::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::optional<std::string> mpc::followLinks(std::string path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0 && errno != ENOENT)
    return std::nullopt;
  constexpr int most = 40; // as many as the system follows
  for (int links = 0; links < most; ++links) {
    char text[4096];
    ssize_t length = readlink(path.c_str(), text, sizeof text);
    if (length <= 0 || length == sizeof text)
      return path;
    std::string next(text, static_cast<size_t>(length));
    path = next.starts_with('/') ? next : folderOf(path) + next;
  }
  errno = ELOOP; // made while we looked
  return std::nullopt;
}

std::optional<int> mpc::descriptorOf(std::string_view path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder))
      return parseNumber<int>(path.substr(folder.size()));
  return std::nullopt;
}

std::optional<std::string> mpc::canonicalPath(const std::string &path) {
  namespace fs = std::filesystem;
  // Links that point to nothing yet are not followed by weakly_canonical, and
  // a bare name of nothing stays a bare name.
  std::optional<std::string> behind = followLinks(path);
  std::error_code error;
  fs::path whole = behind ? fs::absolute(*behind, error) : fs::path();
  if (behind && !error)
    whole = fs::weakly_canonical(whole, error);
  if (!behind || error)
    return std::nullopt;
  return whole.string();
}

bool mpc::isSameFile(const std::string &a, const std::string &b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (a.empty() || b.empty())
    return false;
  if (fs::exists(a, error) && fs::exists(b, error))
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  std::optional<std::string> first = canonicalPath(a);
  return first && first == canonicalPath(b);
}
