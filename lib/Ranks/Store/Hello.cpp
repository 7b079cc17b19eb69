#include "Hello.h"

#include "mpc/Support/Printable.h"

#include <limits>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::ranks;
using nlohmann::json;

// Raised with every change of what is sent.
static constexpr const char *kProtocol = "ranks 5";

/// Bytes of anything as UTF-8, which JSON wants: each is a character of its
/// number.
static std::string toUtf8(const std::string &bytes) {
  std::string text;
  for (char each : bytes) {
    auto byte = static_cast<uint8_t>(each);
    if (byte < 0x80) {
      text.push_back(each);
      continue;
    }
    text.push_back(static_cast<char>(0xc0 | (byte >> 6)));
    text.push_back(static_cast<char>(0x80 | (byte & 0x3f)));
  }
  return text;
}

/// Of what toUtf8() has made; what else comes is of no rank.
static std::string fromUtf8(const std::string &text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<uint8_t>(text[i]);
    if (byte >= 0x80 && i + 1 < text.size())
      byte = static_cast<uint8_t>((byte << 6) | (text[++i] & 0x3f));
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

std::string ranks::encodeHello(const Launch &launch,
                               const Agreement &agreement) {
  return json{{"mpc", kProtocol},
              {"run", toUtf8(launch.run)},
              {"rank", launch.rank},
              {"size", launch.size},
              {"library", toUtf8(agreement.library)},
              {"program", toUtf8(agreement.program)},
              {"settings", toUtf8(agreement.settings)}}
      .dump();
}

std::optional<Hello> ranks::decodeHello(const std::string &text) {
  json fields = json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto has = [&](const char *name, bool (*is)(const json &)) {
    return fields.contains(name) && is(fields[name]);
  };
  auto isText = [](const json &field) { return field.is_string(); };
  auto isNumber = [](const json &field) {
    return field.is_number_unsigned() &&
           field.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
  };
  if (!fields.is_object())
    return std::nullopt;
  for (const char *name : {"mpc", "run", "library", "program", "settings"})
    if (!has(name, isText))
      return std::nullopt;
  if (!has("rank", isNumber) || !has("size", isNumber) ||
      fields["mpc"] != kProtocol)
    return std::nullopt;
  auto textOf = [&](const char *name) { return fromUtf8(fields[name]); };
  return Hello{textOf("run"),
               fields["rank"],
               fields["size"],
               {textOf("library"), textOf("program"), textOf("settings")}};
}

std::string ranks::findDifference(const Hello &hello, uint32_t size,
                                  const Agreement &ours) {
  auto differ = [&](const std::string &does, const std::string &theirs,
                    const std::string &own) {
    return "rank " + std::to_string(hello.rank) + " " + does + " " + theirs +
           ", rank 0 " + does + " " + own;
  };
  if (hello.size != size)
    return differ("says that there are", std::to_string(hello.size) + " ranks",
                  std::to_string(size));
  if (hello.rank >= size)
    return "there is a rank " + std::to_string(hello.rank) + " of " +
           std::to_string(size);
  if (hello.agreement.library != ours.library)
    return differ("is of mpc", hello.agreement.library, ours.library);
  if (hello.agreement.program != ours.program)
    return differ("runs program", hello.agreement.program, ours.program);
  if (hello.agreement.settings != ours.settings)
    return differ("has settings",
                  "'" + printable(hello.agreement.settings) + "'",
                  "'" + printable(ours.settings) + "'");
  return "";
}
