#include "mpc/Dialect/Graph/Settings/Words.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

#include "mpc/Dialect/Graph/Settings/Words.cpp.inc"

StringRef graph::stringifyEnum(TorchLists lists) {
  switch (lists) {
  case TorchLists::Cuda:
    return "cuda";
  case TorchLists::Cpu:
    return "cpu";
  case TorchLists::Apex:
    return "apex";
  }
  return "";
}

template <>
std::optional<TorchLists> graph::symbolizeEnum<TorchLists>(StringRef text) {
  for (TorchLists lists : {TorchLists::Cuda, TorchLists::Cpu, TorchLists::Apex})
    if (stringifyEnum(lists) == text)
      return lists;
  return std::nullopt;
}

std::string graph::listWords(ArrayRef<StringRef> words) {
  return llvm::join(words.drop_back(), ", ") + " or " + words.back().str();
}
