#include "PlanCache.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using Json = nlohmann::ordered_json;

static constexpr const char *kFormat = "mpc-cublaslt-plans";
static constexpr uint64_t kVersion = 1;
static constexpr std::string_view kDigits = "0123456789abcdef";

static std::string toHex(const cublasLtMatmulAlgo_t &algorithm) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&algorithm);
  std::string text;
  for (size_t i = 0; i < sizeof(algorithm); ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

static bool fromHex(const std::string &text, cublasLtMatmulAlgo_t &algorithm) {
  uint8_t bytes[sizeof(algorithm)];
  if (text.size() != 2 * sizeof(bytes))
    return false;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos)
      return false;
    auto value = static_cast<uint8_t>(digit);
    bytes[i / 2] =
        static_cast<uint8_t>(i % 2 ? bytes[i / 2] | value : value << 4);
  }
  std::memcpy(&algorithm, bytes, sizeof(bytes));
  return true;
}

const MatmulPlan *PlanCache::find(const std::string &product) const {
  auto found = plans.find(product);
  return found == plans.end() ? nullptr : &found->second;
}

void PlanCache::insert(const std::string &product, const MatmulPlan &plan) {
  plans[product] = plan;
}

std::string PlanCache::write() const {
  Json list = Json::array();
  for (const auto &[product, plan] : plans) {
    Json entry = {{"product", product},
                  {"algorithm", toHex(plan.algorithm)},
                  {"workspace", plan.workspaceBytes}};
    if (plan.milliseconds)
      entry["milliseconds"] = *plan.milliseconds;
    list.push_back(std::move(entry));
  }
  Json root = {{"format", kFormat},
               {"version", kVersion},
               {"cublaslt", version},
               {"device", device},
               {"plans", std::move(list)}};
  return root.dump(1) + "\n";
}

static const Json *member(const Json &object, const char *name,
                          Json::value_t type) {
  auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->type() == type ? &*found : nullptr;
}

static std::optional<std::string> readText(const Json &object,
                                           const char *name) {
  const Json *value = member(object, name, Json::value_t::string);
  return value ? std::optional(value->get<std::string>()) : std::nullopt;
}

static std::optional<uint64_t> readCount(const Json &object, const char *name) {
  const Json *value = member(object, name, Json::value_t::number_unsigned);
  return value ? std::optional(value->get<uint64_t>()) : std::nullopt;
}

static Status refuse(const std::string &what) {
  return {StatusCode::InvalidArgument,
          "expected the plans of matrix products as a session exports them, "
          "but " +
              what};
}

static bool readPlan(const Json &entry, std::string &product,
                     MatmulPlan &plan) {
  std::optional<std::string> name = readText(entry, "product"),
                             algorithm = readText(entry, "algorithm");
  std::optional<uint64_t> workspace = readCount(entry, "workspace");
  if (!name || !workspace || !algorithm || !fromHex(*algorithm, plan.algorithm))
    return false;
  product = *name;
  plan.workspaceBytes = *workspace;
  if (!entry.contains("milliseconds"))
    return true;
  const Json &time = entry["milliseconds"];
  if (!time.is_number() || !std::isfinite(time.get<double>()))
    return false;
  plan.milliseconds = time.get<double>();
  return true;
}

Status PlanCache::read(std::string_view text, const Log &log) {
  Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  if (readText(root, "format") != kFormat)
    return refuse("this is something else");
  if (std::optional<uint64_t> found = readCount(root, "version");
      found != kVersion)
    return refuse("they have version " +
                  (found ? std::to_string(*found) : "'none'") + " and not " +
                  std::to_string(kVersion) + "; export them again");
  std::optional<uint64_t> library = readCount(root, "cublaslt");
  std::optional<std::string> madeFor = readText(root, "device");
  const Json *list = member(root, "plans", Json::value_t::array);
  if (!library || !madeFor || !list)
    return refuse("the library, the device or the list is missing");
  std::map<std::string, MatmulPlan> added;
  for (const Json &entry : *list) {
    std::string product;
    MatmulPlan plan;
    if (!readPlan(entry, product, plan))
      return refuse("plan " + std::to_string(added.size()) + " is damaged");
    added.emplace(product, plan);
  }
  if (library != version || madeFor != device) {
    if (log)
      log(LogLevel::Warning,
          "ignoring " + std::to_string(added.size()) +
              " plans of matrix products: they are for cuBLASLt " +
              std::to_string(*library) + " on '" + *madeFor +
              "', but this is cuBLASLt " + std::to_string(version) + " on '" +
              device + "'");
    return {};
  }
  plans.merge(added);
  return {};
}
