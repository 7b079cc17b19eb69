#include "Print.h"

using namespace mpc::run;

void mpc::run::printLines(std::FILE *stream, std::string_view lines) {
  std::fputs(printable(lines, "\n").c_str(), stream);
}

std::string mpc::run::makeComplaint(const char *what,
                                    std::string_view message) {
  return printable("mpc-run: " + std::string(what) + ": " +
                       std::string(message) + "\n",
                   "\n");
}

void mpc::run::complain(const char *what, std::string_view message) {
  std::fputs(makeComplaint(what, message).c_str(), stderr);
}
