#include "FakeCuda.h"

#include <algorithm>
#include <cstring>

using namespace mpc::test;

static FakeCuda *theFake = nullptr;

FakeCuda &FakeCuda::current() { return *theFake; }

FakeCuda::FakeCuda() {
  theFake = this;
  std::strcpy(properties.name, "Fake");
  properties.major = 8;
  properties.minor = 0;
  properties.multiProcessorCount = 4;
}
FakeCuda::~FakeCuda() { theFake = nullptr; }

cudaError_t FakeCuda::enter(const std::string &name, const std::string &text) {
  ++calls;
  if (logging)
    log.push_back(text.empty() ? name : name + " " + text);
  if (calls == failingCall) {
    if (logging)
      log.back() += " FAILS";
    if (onFailure)
      onFailure();
    return failure;
  }
  return sticky;
}

cudaError_t FakeCuda::breakRule(const std::string &rule, cudaError_t error) {
  broken.push_back(rule + (log.empty() ? "" : ", in: " + log.back()));
  if (onBroken)
    onBroken(broken.back());
  return error;
}

size_t FakeCuda::count(const std::string &name) const {
  return static_cast<size_t>(std::ranges::count_if(log, [&](const auto &line) {
    return line == name || line.starts_with(name + " ");
  }));
}

std::vector<std::string> FakeCuda::nodes(size_t index) const {
  return index < instantiated.size() ? instantiated[index]
                                     : std::vector<std::string>();
}

std::string FakeCuda::alive() const {
  std::string list;
  auto add = [&](size_t count, const char *what) {
    if (count)
      list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(deviceBlocks.size(), "device blocks");
  add(pinnedBlocks.size(), "pinned blocks");
  add(streams.size(), "streams");
  add(events.size(), "events");
  add(libraries.size(), "libraries");
  add(graphs.size(), "graphs");
  add(execs.size(), "executable graphs");
  return list;
}

static bool holds(const std::map<void *, uint64_t> &blocks, const void *pointer,
                  uint64_t bytes) {
  auto *at = static_cast<const uint8_t *>(pointer);
  for (const auto &[start, size] : blocks) {
    auto *begin = static_cast<const uint8_t *>(start);
    if (at >= begin && at + bytes <= begin + size)
      return true;
  }
  return false;
}
bool FakeCuda::isDevice(const void *pointer, uint64_t bytes) const {
  return holds(deviceBlocks, pointer, bytes);
}
bool FakeCuda::isPinned(const void *pointer, uint64_t bytes) const {
  return holds(pinnedBlocks, pointer, bytes);
}

std::string FakeCuda::place(const void *pointer) const {
  auto *at = static_cast<const uint8_t *>(pointer);
  auto find = [&](const auto &blocks, const char *name) -> std::string {
    for (const auto &[start, size] : blocks) {
      auto *begin = static_cast<const uint8_t *>(start);
      if (at >= begin && at < begin + size)
        return name + std::string("+") + std::to_string(at - begin);
    }
    return "";
  };
  std::string text = find(deviceBlocks, "device");
  if (text.empty())
    text = find(pinnedBlocks, "pinned");
  return text.empty() ? "host" : text;
}

cudaError_t FakeCuda::run(FakeWork &piece) {
  if (sticky != cudaSuccess)
    return sticky;
  if (++work == failingWork)
    return sticky = failure;
  if (cudaError_t error = piece.body())
    sticky = error;
  return sticky;
}

cudaError_t FakeCuda::runStream(FakeStream &stream, uint64_t end) {
  while (stream.done < end && !stream.queue.empty()) {
    FakeWork piece = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.done;
    if (cudaError_t error = run(piece))
      return error;
  }
  return sticky;
}

cudaError_t FakeCuda::runAll() {
  for (const auto &stream : streams)
    if (cudaError_t error = runStream(*stream, UINT64_MAX))
      return error;
  return sticky;
}

cudaError_t FakeCuda::runGraph(FakeGraph &graph) {
  std::vector<bool> done(graph.nodes.size());
  auto ready = [&](const auto &node) {
    return !done[node->number] &&
           std::ranges::all_of(node->after, [&](const FakeNode *before) {
             return done[before->number];
           });
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    FakeNode *next = nullptr;
    for (const auto &node : graph.nodes)
      if (ready(node) && (!eager || !next))
        next = node.get();
    done[next->number] = true;
    if (cudaError_t error = run(next->work))
      return error;
  }
  return cudaSuccess;
}

cudaError_t FakeCuda::addNode(FakeGraph *graph,
                              std::span<FakeNode *const> after, FakeWork work,
                              FakeNode *&node) {
  for (FakeNode *before : after)
    if (std::ranges::none_of(
            graph->nodes, [&](const auto &own) { return own.get() == before; }))
      return breakRule("a node waits for one of another graph",
                       cudaErrorInvalidValue);
  auto made = std::make_unique<FakeNode>();
  made->number = static_cast<uint32_t>(graph->nodes.size());
  made->work = std::move(work);
  made->after.assign(after.begin(), after.end());
  node = made.get();
  graph->nodes.push_back(std::move(made));
  return cudaSuccess;
}

cudaError_t FakeCuda::enqueue(cudaStream_t handle, const std::string &text,
                              std::function<void()> body, bool early) {
  auto *stream = reinterpret_cast<FakeStream *>(handle);
  if (!stream)
    return breakRule("the legacy default stream is used",
                     cudaErrorInvalidResourceHandle);
  FakeWork piece = {text, [body = std::move(body)] {
                      body();
                      return cudaSuccess;
                    }};
  if (!stream->capture) {
    stream->queue.push_back(std::move(piece));
    return blocking ? runStream(*stream, UINT64_MAX) : cudaSuccess;
  }
  FakeNode *node = nullptr;
  cudaError_t error =
      addNode(stream->capture, stream->last, std::move(piece), node);
  if (error != cudaSuccess)
    return error;
  node->priority = stream->priority;
  stream->last = {node};
  stream->edges.clear();
  if (early)
    stream->edges.push_back({.from_port = cudaGraphKernelNodePortProgrammatic,
                             .to_port = 0,
                             .type = cudaGraphDependencyTypeProgrammatic,
                             .reserved = {}});
  return cudaSuccess;
}
