#include "MemoryReplay.h"

using namespace mpc;
using namespace mpc::exec;

Memory Memory::of(Value buffer) {
  Value root = getRoot(buffer);
  if (auto state = root.getDefiningOp<StateOp>())
    return {Block::State, state.getName()};
  if (auto alloc = root.getDefiningOp<AllocOp>()) {
    int64_t begin = alloc.getOffset().value_or(0);
    return {
        Block::Work, {}, begin, begin + getBytes(alloc.getBuffer().getType())};
  }
  return {Block::Other};
}

bool Memory::overlaps(const Memory &other) const {
  if (block != other.block)
    return false;
  switch (block) {
  case Block::Work:
    return begin < other.end && other.begin < end;
  case Block::State:
    return state == other.state;
  case Block::Other:
    return false; // nobody writes it
  }
  llvm_unreachable("all blocks are listed");
}

bool Memory::operator==(const Memory &other) const {
  return overlaps(other) && begin == other.begin && end == other.end;
}

LogicalResult MemoryReplay::reportUnwritten(Operation *op, Value buffer) {
  auto diagnostic = op->emitOpError("expected its buffers to be written before "
                                    "it reads them");
  diagnostic.attachNote(buffer.getLoc()) << "nothing has written this buffer";
  return failure();
}

LogicalResult MemoryReplay::reportOverwritten(Operation *op, Value value,
                                              Operation *by) {
  auto diagnostic = op->emitOpError("expected its buffers to hold what was "
                                    "written to them, but a step in between "
                                    "has written over one");
  diagnostic.attachNote(by->getLoc()) << "this step";
  diagnostic.attachNote(value.getLoc()) << "the buffer";
  return failure();
}

/// All of its bytes must be there, and of this value.
LogicalResult MemoryReplay::readWork(Operation *op, const Memory &memory,
                                     Value value) {
  auto piece = work.upper_bound(memory.begin);
  if (piece != work.begin())
    --piece;
  int64_t at = memory.begin;
  for (; at < memory.end && piece != work.end(); ++piece) {
    if (piece->second.end <= at)
      continue;
    if (piece->first > at)
      break;
    if (piece->second.value != value)
      return reportOverwritten(op, value, piece->second.by);
    at = piece->second.end;
  }
  return at < memory.end ? reportUnwritten(op, value) : success();
}

LogicalResult MemoryReplay::readState(Operation *op, const Memory &memory,
                                      Value value) {
  auto written = states.find(memory.state);
  bool isFirst = !value.getDefiningOp<RenewOp>();
  if (written == states.end())
    return isFirst ? success() : reportUnwritten(op, value);
  bool wroteFirst = !written->second.value.getDefiningOp<RenewOp>();
  if (written->second.value == value || (isFirst && wroteFirst))
    return success();
  return reportOverwritten(op, value, written->second.by);
}

LogicalResult MemoryReplay::read(Operation *op, Value buffer) {
  Memory memory = Memory::of(buffer);
  Value value = getViewed(buffer);
  switch (memory.block) {
  case Memory::Block::Work:
    return readWork(op, memory, value);
  case Memory::Block::State:
    return readState(op, memory, value);
  case Memory::Block::Other:
    return success();
  }
  llvm_unreachable("all blocks are listed");
}

void MemoryReplay::write(Operation *op, Value buffer) {
  Memory memory = Memory::of(buffer);
  Value value = getViewed(buffer);
  if (memory.block == Memory::Block::State)
    states[memory.state] = {0, value, op};
  if (memory.block != Memory::Block::Work || memory.begin == memory.end)
    return;
  // What the new value leaves of others stays.
  auto piece = work.upper_bound(memory.begin);
  if (piece != work.begin())
    --piece;
  while (piece != work.end() && piece->first < memory.end) {
    auto [begin, old] = *piece;
    auto next = std::next(piece);
    if (old.end > memory.begin) {
      work.erase(piece);
      if (begin < memory.begin)
        work[begin] = {memory.begin, old.value, old.by};
      if (old.end > memory.end)
        work[memory.end] = old;
    }
    piece = next;
  }
  work[memory.begin] = {memory.end, value, op};
}

WorkUnderWay::WorkUnderWay(EntryOp entry) {
  for (auto step : entry.getOps<StepOpInterface>())
    if (StepOpInterface begun = step.getBegun())
      awaited.insert(begun);
}

LogicalResult WorkUnderWay::verify(StepOpInterface step) const {
  for (const Work &work : all) {
    auto touches = [](ValueRange buffers, ArrayRef<Memory> places) {
      return llvm::any_of(buffers, [&](Value buffer) {
        Memory memory = Memory::of(buffer);
        return llvm::any_of(places, [&](const Memory &place) {
          return memory.overlaps(place);
        });
      });
    };
    const char *does = touches(step.getWrites(), work.writes) ||
                               touches(step.getWrites(), work.reads)
                           ? "writes"
                       : touches(step.getReads(), work.writes) ? "reads"
                                                               : nullptr;
    if (!does)
      continue;
    auto diagnostic = step->emitOpError("expected to leave alone what work "
                                        "under way uses, but it ")
                      << does << " that";
    diagnostic.attachNote(work.step->getLoc()) << "the work begins here";
    return failure();
  }
  return success();
}

bool WorkUnderWay::begin(StepOpInterface step) {
  if (!awaited.contains(step))
    return false;
  Work work{step, {}, {}};
  for (Value read : step.getReads())
    work.reads.push_back(Memory::of(read));
  for (Value write : step.getWrites())
    work.writes.push_back(Memory::of(write));
  all.push_back(std::move(work));
  return true;
}

void WorkUnderWay::end(StepOpInterface step) {
  llvm::erase_if(all, [&](const Work &work) { return work.step == step; });
}
