// Predicts with what Train.cpp has trained, in several threads at once:
//
//   ./serve line.mpcx line.safetensors
//
// A program is shared; each thread has a session of its own, which computes in
// that thread alone.
#include <mpc-c/Runtime.hpp>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4, kPoints = 32;

/// One session, and all that goes through it.
class Server {
public:
  static mpc::rt::Expected<Server> create(const mpc::rt::Program &program,
                                          const std::string &weights) {
    mpc::rt::SessionOptions options;
    options.threads = 1; // the caller's
    auto session = mpc::rt::Session::create(program, options);
    if (!session)
      return session.status();
    // Every state needs a value; those of the optimizer have one from init, and
    // the parameters then get theirs from the file.
    if (auto status = session->init(/*seed=*/0); !status)
      return status;
    if (auto loaded = session->loadParameters(weights); !loaded)
      return loaded.status();
    return Server(std::move(*session));
  }

  /// The line at the points `x`: a copy, for what session->output() points to
  /// is the session's, and the next run writes there.
  mpc::rt::Expected<std::vector<float>> run(const std::vector<float> &x) {
    const std::vector<float> unused(kPoints); // the loss alone reads targets
    const uint64_t bytes = kPoints * sizeof(float);
    if (auto status =
            session.run("forward", {{x.data(), bytes}, {unused.data(), bytes}});
        !status)
      return status;
    auto line = session.output("line");
    if (!line)
      return line.status();
    if (!mpc::rt::holds<float>(line->type))
      return mpc::rt::Status(MPC_TYPE_MISMATCH, "expected floats");
    const float *values = static_cast<const float *>(line->data);
    return std::vector<float>(values, values + line->bytes / sizeof(float));
  }

private:
  explicit Server(mpc::rt::Session session) : session(std::move(session)) {}
  mpc::rt::Session session;
};

/// What one thread does. Nothing here throws but std::bad_alloc, so what goes
/// wrong comes back as a text.
void serve(const mpc::rt::Program &program, const std::string &weights,
           int number, std::string &answer) {
  auto server = Server::create(program, weights);
  if (!server) {
    answer = "error: " + server.message();
    return;
  }
  auto line = server->run(std::vector<float>(kPoints, float(number)));
  if (!line) {
    answer = "error: " + line.message();
    return;
  }
  char text[64];
  std::snprintf(text, sizeof text, "t(%d) = %.2f", number,
                static_cast<double>(line->front()));
  answer = text;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fprintf(stderr, "serve: <model.mpcx> <weights>\n"), 1;
  auto program = mpc::rt::Program::load(argv[1], {/*allowCode=*/true});
  if (!program)
    return std::fprintf(stderr, "serve: %s\n", program.message().c_str()), 1;
  std::vector<std::string> answers(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(serve, std::cref(*program), argv[2], i,
                         std::ref(answers[i]));
  bool isWell = true;
  for (int i = 0; i < kThreads; ++i) {
    threads[i].join();
    std::printf("%s\n", answers[i].c_str());
    isWell &= answers[i].rfind("error", 0) != 0;
  }
  return isWell ? 0 : 1;
}
