// This program once more, as several ranks: `program --rank CASE`, started as
// torchrun would for engine gloo, and by mpirun for mpi.
//
// What ranks have to say lies in a folder, since not all come to an end, and
// mpirun has one exit code for all.
#ifndef MPC_TEST_RANKS_RANKPROCESSES_H
#define MPC_TEST_RANKS_RANKPROCESSES_H

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mpc::test {

class RankProcesses {
public:
  RankProcesses(const std::string &engine, uint32_t size,
                const std::string &name, uint16_t port) {
    signal(SIGPIPE, SIG_DFL); // which ends a process
    folder = std::filesystem::temp_directory_path() / "mpc-ranks-XXXXXX";
    if (!mkdtemp(folder.data()))
      std::abort();
    std::vector<std::string> rank = {
        std::filesystem::read_symlink("/proc/self/exe"), "--rank", name};
    std::vector<std::string> all = {"mpirun",    "--oversubscribe",
                                    "--bind-to", "none",
                                    "-n",        std::to_string(size)};
    all.insert(all.end(), rank.begin(), rank.end());
    if (engine == "mpi")
      start(all, {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                  {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                  // Where it is removed, whoever is killed.
                  {"OMPI_MCA_btl_vader_backing_directory", folder},
                  // Open MPI does not free all that it has.
                  {"ASAN_OPTIONS", "detect_leaks=0"}});
    else
      for (uint32_t i = 0; i < size; ++i)
        start(rank, {{"RANK", std::to_string(i)},
                     {"WORLD_SIZE", std::to_string(size)},
                     {"LOCAL_RANK", std::to_string(i)},
                     {"LOCAL_WORLD_SIZE", std::to_string(size)},
                     {"MASTER_ADDR", "localhost"},
                     {"MASTER_PORT", std::to_string(port)}});
  }
  ~RankProcesses() {
    end();
    std::filesystem::remove_all(folder);
  }

  /// Until none runs but such as are stopped, which are ended then; whether
  /// that was before the limit.
  bool wait(std::chrono::milliseconds limit) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    bool isOver = false;
    while (!isOver && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      isOver = true;
      for (pid_t &child : children)
        if (int state = 0; child > 0) {
          pid_t found = waitpid(child, &state, WNOHANG | WUNTRACED);
          if (found == child && !WIFSTOPPED(state))
            child = 0;
          isOver &= child == 0 || isStopped(child);
        }
    }
    end();
    return isOver;
  }
  /// "well", what was not, or "nothing".
  std::string said(uint32_t rank) const {
    std::ifstream file(folder + "/" + std::to_string(rank));
    std::stringstream text;
    text << file.rdbuf();
    return file ? text.str() : "nothing";
  }
  /// Processes of these ranks that still run, a little later: MPI starts a
  /// helper for ranks that nobody launched.
  size_t countLeft() const {
    size_t count = countRunning();
    for (int i = 0; i < 100 && count > 0; ++i, count = countRunning())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return count;
  }

  /// By a rank: `wrong`, or "" if all was well.
  static void report(uint32_t rank, const std::string &wrong) {
    if (const char *folder = std::getenv("MPC_TEST_RANKS"))
      std::ofstream(std::string(folder) + "/" + std::to_string(rank))
          << (wrong.empty() ? "well" : wrong);
  }

private:
  using Variables = std::vector<std::pair<const char *, std::string>>;

  void start(std::vector<std::string> command, const Variables &variables) {
    std::vector<char *> words;
    for (std::string &word : command)
      words.push_back(word.data());
    words.push_back(nullptr);
    pid_t child = fork();
    if (child == 0) {
      setenv("MPC_TEST_RANKS", folder.c_str(), 1);
      for (const auto &[name, value] : variables)
        setenv(name, value.c_str(), 1);
      execvp(words[0], words.data());
      _exit(127);
    }
    children.push_back(child);
  }
  size_t countRunning() const {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "environ");
      std::stringstream text;
      text << file.rdbuf();
      count += text.str().find(folder) != std::string::npos;
    }
    return count;
  }
  static bool isStopped(pid_t child) {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(file, text);
    size_t end = text.rfind(") ");
    return end != std::string::npos && text[end + 2] == 'T';
  }
  void end() {
    for (pid_t &child : children)
      if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        child = 0;
      }
  }

  std::string folder;
  std::vector<pid_t> children;
};

} // namespace mpc::test

#endif // MPC_TEST_RANKS_RANKPROCESSES_H
