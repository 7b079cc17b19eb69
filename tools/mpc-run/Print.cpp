#include "Print.h"

using namespace mpc::run;

void mpc::run::printLines(std::FILE *stream, std::string_view lines) {
  std::fputs(printable(lines, "\n").c_str(), stream);
}

void mpc::run::complain(const char *what, std::string_view message) {
  printLines(stderr, "mpc-run: " + std::string(what) + ": " +
                         std::string(message) + "\n");
}
