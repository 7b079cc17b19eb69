#include "Exchanges.h"

#include "Fold.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::ranks;

// Parts begin at multiples of so many elements: whole lines of the cache.
static constexpr uint64_t kPartMultiple = 64;

//===-- Checks ------------------------------------------------------------===//

// Of all ranks together: what is added to it, parts that are rounded up, say,
// is a number of bytes that memory can have, too.
static constexpr uint64_t kMostBytes = PTRDIFF_MAX / 2;

/// They are of an all-reduce, which has nothing beside them.
static Status checkPieces(const Collective &collective, uint64_t most) {
  auto refuse = [&](const std::string &what) -> Status {
    return {StatusCode::InvalidArgument, collective.text() + ": " + what};
  };
  if (collective.pieces.empty())
    return {};
  if (collective.kind != CollectiveKind::AllReduce || collective.count ||
      collective.source || collective.result)
    return refuse("expected pieces of an all-reduce, and no other memory");
  uint64_t elements = 0;
  for (const Piece &piece : collective.pieces) {
    if (piece.count && (!piece.source || !piece.result))
      return refuse("expected memory to read and to write, but got none");
    if (piece.count > most - elements)
      return refuse("its bytes are more than memory can have");
    elements += piece.count;
  }
  return {};
}

/// Whether they share a byte, and are not the same place.
static bool overlap(const void *a, uint64_t aBytes, const void *b,
                    uint64_t bBytes) {
  auto first = reinterpret_cast<uintptr_t>(a);
  auto second = reinterpret_cast<uintptr_t>(b);
  return first != second && first < second + bBytes && second < first + aBytes;
}

/// What is written while it is still read would be anything.
static Status checkOverlaps(const Collective &collective, uint32_t rank,
                            uint32_t size) {
  uint64_t bytes = getInfo(collective.type).bytes, own = collective.count;
  bool isGathered = collective.kind == CollectiveKind::AllGather;
  bool isScattered = collective.kind == CollectiveKind::ReduceScatter;
  auto part = static_cast<const std::byte *>(collective.result) +
              (isGathered ? rank * own * bytes : 0);
  bool isSent = collective.kind != CollectiveKind::Broadcast ||
                (rank == collective.root && collective.source);
  bool isWrong =
      isSent && collective.source != part &&
      overlap(collective.source, own * bytes * (isScattered ? size : 1),
              collective.result, own * bytes * (isGathered ? size : 1));
  for (const Piece &piece : collective.pieces)
    isWrong |= overlap(piece.source, piece.count * bytes, piece.result,
                       piece.count * bytes);
  if (!isWrong)
    return {};
  return {StatusCode::InvalidArgument,
          collective.text() +
              ": expected a source that is the result, or apart from it, but "
              "they overlap"};
}

Status ranks::check(const Collective &collective, uint32_t rank,
                    uint32_t size) {
  auto refuse = [&](const std::string &what) -> Status {
    return {StatusCode::InvalidArgument, collective.text() + ": " + what};
  };
  if (isBarrier(collective.kind))
    return {};
  if (folds(collective.kind) && !canFold(collective.type, collective.reduction))
    return refuse("ranks do not fold elements of this type so");
  if (collective.root >= size)
    return refuse("expected a root below " + std::to_string(size) +
                  ", but got " + std::to_string(collective.root));
  uint64_t bytes = getInfo(collective.type).bytes;
  if (collective.count > kMostBytes / bytes / size)
    return refuse("its bytes are more than memory can have");
  if (Status status = checkPieces(collective, kMostBytes / bytes / size);
      !status.ok())
    return status;
  bool readsSource = collective.kind != CollectiveKind::Broadcast;
  if (collective.count &&
      (!collective.result || (readsSource && !collective.source)))
    return refuse("expected memory to read and to write, but got none");
  return checkOverlaps(collective, rank, size);
}

//===-- Parts -------------------------------------------------------------===//

const std::byte *Exchanges::source(uint64_t element) const {
  return static_cast<const std::byte *>(collective->source) +
         element * elementBytes;
}

std::byte *Exchanges::result(uint64_t element) const {
  return static_cast<std::byte *>(collective->result) + element * elementBytes;
}

/// `count` elements among all ranks, as equal as can be.
Exchanges::Parts Exchanges::cut(uint64_t count) const {
  uint64_t ranks = transport.size();
  uint64_t each = (count + ranks - 1) / ranks;
  each = (each + kPartMultiple - 1) / kPartMultiple * kPartMultiple;
  Parts parts(ranks);
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    parts[rank].first = std::min(count, rank * each);
    parts[rank].count = std::min(count - parts[rank].first, each);
  }
  return parts;
}

/// `count` elements for each rank.
Exchanges::Parts Exchanges::repeat(uint64_t count) const {
  Parts parts(transport.size());
  for (uint64_t rank = 0; rank < parts.size(); ++rank)
    parts[rank] = {rank * count, count};
  return parts;
}

Status Exchanges::exchange() {
  Status status = transport.exchange(sends, receives, kind, deadline);
  sends.clear();
  receives.clear();
  return status;
}

//===-- Folds -------------------------------------------------------------===//

/// This rank's part of the source, folded over all ranks, to `to`.
Status Exchanges::foldParts(const Parts &parts, std::byte *to) {
  uint32_t own = transport.rank(), ranks = transport.size();
  uint64_t bytes = parts[own].count * elementBytes;
  scratch.resize(std::max<size_t>(scratch.size(), (ranks - 1) * bytes));
  std::vector<const std::byte *> sources(ranks);
  std::byte *room = scratch.data();
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (peer == own) {
      sources[peer] = source(parts[own].first);
      continue;
    }
    sends.push_back({peer,
                     {source(parts[peer].first),
                      size_t(parts[peer].count * elementBytes)}});
    receives.push_back({peer, {room, size_t(bytes)}});
    sources[peer] = room;
    room += bytes;
  }
  if (Status status = exchange(); !status.ok())
    return status;
  fold(collective->type, collective->reduction, sources, to, parts[own].count);
  return {};
}

/// All of the source, by every rank.
Status Exchanges::foldWhole() {
  Parts whole(transport.size(), Part{0, collective->count});
  return foldParts(whole, result(0));
}

//===-- Movements ---------------------------------------------------------===//

/// Each rank's part of the result to all others.
Status Exchanges::gather(const Parts &parts) {
  uint32_t own = transport.rank();
  for (uint32_t peer = 0; peer < transport.size(); ++peer) {
    if (peer == own)
      continue;
    sends.push_back(
        {peer,
         {result(parts[own].first), size_t(parts[own].count * elementBytes)}});
    receives.push_back({peer,
                        {result(parts[peer].first),
                         size_t(parts[peer].count * elementBytes)}});
  }
  return exchange();
}

Status Exchanges::allGather() {
  Parts parts = repeat(collective->count);
  std::byte *own = result(parts[transport.rank()].first);
  if (collective->source != own)
    std::memmove(own, collective->source, collective->count * elementBytes);
  return gather(parts);
}

/// The root's result to all others.
Status Exchanges::sendWhole() {
  size_t bytes = collective->count * elementBytes;
  if (transport.rank() != collective->root) {
    receives.push_back({collective->root, {result(0), bytes}});
    return exchange();
  }
  for (uint32_t peer = 0; peer < transport.size(); ++peer)
    if (peer != collective->root)
      sends.push_back({peer, {result(0), bytes}});
  return exchange();
}

Status Exchanges::broadcast() {
  uint32_t own = transport.rank(), root = collective->root;
  uint64_t bytes = collective->count * elementBytes;
  if (own == root && collective->source &&
      collective->source != collective->result)
    std::memmove(collective->result, collective->source, bytes);
  if (bytes <= kWholeBytes || transport.size() == 2)
    return sendWhole();
  // The root's line carries each element once, and the others share the rest.
  Parts parts = cut(collective->count);
  auto toSpan = [&](uint32_t rank) -> std::span<std::byte> {
    return {result(parts[rank].first),
            size_t(parts[rank].count * elementBytes)};
  };
  for (uint32_t peer = 0; own == root && peer < transport.size(); ++peer)
    if (peer != root)
      sends.push_back({peer, toSpan(peer)});
  if (own != root)
    receives.push_back({root, toSpan(own)});
  if (Status status = exchange(); !status.ok())
    return status;
  return gather(parts);
}

//===-- Collectives -------------------------------------------------------===//

Status Exchanges::run(const Collective &which, Clock::time_point until) {
  deadline = until;
  elementBytes = getInfo(which.type).bytes;
  return which.pieces.empty() ? runWhole(which) : runPieces(which);
}

/// Whether all pieces lie as they travel.
static bool isOnePiece(std::span<const Piece> pieces, uint64_t elementBytes) {
  auto end = [&](const void *begin, const Piece &piece) {
    return static_cast<const std::byte *>(begin) + piece.count * elementBytes;
  };
  return std::ranges::adjacent_find(pieces, [&](const Piece &a,
                                                const Piece &b) {
           return end(a.source, a) != b.source || end(a.result, a) != b.result;
         }) == pieces.end();
}

Status Exchanges::runPieces(const Collective &which) {
  Collective whole = which;
  whole.pieces.clear();
  for (const Piece &piece : which.pieces)
    whole.count += piece.count;
  if (isOnePiece(which.pieces, elementBytes)) {
    whole.source = which.pieces.front().source;
    whole.result = which.pieces.front().result;
    return runWhole(whole);
  }
  packed.resize(std::max<size_t>(packed.size(), whole.count * elementBytes));
  std::byte *place = packed.data();
  for (const Piece &piece : which.pieces) {
    if (piece.count)
      std::memcpy(place, piece.source, piece.count * elementBytes);
    place += piece.count * elementBytes;
  }
  whole.source = whole.result = packed.data();
  if (Status status = runWhole(whole); !status.ok())
    return status;
  place = packed.data();
  for (const Piece &piece : which.pieces) {
    if (piece.count)
      std::memcpy(piece.result, place, piece.count * elementBytes);
    place += piece.count * elementBytes;
  }
  return {};
}

/// By which messages of different collectives are told apart.
static uint64_t kindOf(const Collective &which, uint64_t number) {
  bool isFolded = folds(which.kind);
  const uint64_t facts[] = {
      number,
      static_cast<uint64_t>(which.kind),
      static_cast<uint64_t>(which.type),
      isFolded ? static_cast<uint64_t>(which.reduction) : 0,
      which.kind == CollectiveKind::Broadcast ? which.root : 0,
      which.count};
  return XXH3_64bits(facts, sizeof facts);
}

/// Fails on every rank that another one does not agree with, before anything is
/// sent that could be taken for something else.
Status Exchanges::announce() {
  uint32_t own = transport.rank();
  kind = 0; // whatever it is about
  announced.resize(transport.size());
  announced[own].say(*collective, number, own);
  for (uint32_t peer = 0; peer < transport.size(); ++peer)
    if (peer != own) {
      sends.push_back({peer, std::as_bytes(std::span(&announced[own], 1))});
      receives.push_back(
          {peer, std::as_writable_bytes(std::span(&announced[peer], 1))});
    }
  if (Status status = exchange(); !status.ok())
    return status;
  for (uint32_t peer = 0; peer < transport.size(); ++peer)
    if (!announced[own].isLike(announced[peer]))
      return {StatusCode::CollectiveFailed,
              "expected all ranks to begin the same collective, but this one "
              "begins " +
                  announced[own].text() + ", and rank " + std::to_string(peer) +
                  " " + announced[peer].text()};
  return {};
}

/// Of one whose elements came with what ranks have said.
void Exchanges::finishShort() {
  size_t bytes = collective->count * elementBytes;
  switch (collective->kind) {
  case CollectiveKind::AllReduce: {
    std::vector<const std::byte *> sources;
    for (const Announcement &each : announced)
      sources.push_back(each.elements);
    return fold(collective->type, collective->reduction, sources, result(0),
                collective->count);
  }
  case CollectiveKind::AllGather:
    for (uint32_t rank = 0; bytes && rank < transport.size(); ++rank)
      std::memcpy(result(rank * collective->count), announced[rank].elements,
                  bytes);
    return;
  case CollectiveKind::Broadcast:
    if (bytes)
      std::memcpy(result(0), announced[collective->root].elements, bytes);
    return;
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Barrier:
  case CollectiveKind::Leave:
    return;
  }
}

Status Exchanges::runWhole(const Collective &which) {
  collective = &which;
  bool isShort = Announcement::holds(which);
  if (++number <= kAnnounced || isShort)
    if (Status status = announce(); !status.ok())
      return status;
  if (isShort) {
    finishShort();
    return {};
  }
  kind = kindOf(which, number);
  switch (which.kind) {
  case CollectiveKind::AllReduce: {
    if (which.count * elementBytes <= kWholeBytes)
      return foldWhole();
    Parts parts = cut(which.count);
    Status status = foldParts(parts, result(parts[transport.rank()].first));
    return status.ok() ? gather(parts) : status;
  }
  case CollectiveKind::ReduceScatter:
    return foldParts(repeat(which.count), result(0));
  case CollectiveKind::AllGather:
    return allGather();
  case CollectiveKind::Broadcast:
    return broadcast();
  case CollectiveKind::Barrier: // All have said that they are there.
  case CollectiveKind::Leave:
    break;
  }
  return {};
}
