#include "CublasLt.h"

#include <algorithm>
#include <unordered_set>

using namespace mpc;
using namespace mpc::runtime;

static std::string formatCapability(int computeCapability) {
  return std::to_string(computeCapability / 10) + "." +
         std::to_string(computeCapability % 10);
}

CublasLt::CublasLt(const CublasLtApi &api, const CudaApi &cuda,
                   const BlasDevice &device, CublasLtOptions options)
    : api(api), cuda(cuda), device(device), options(std::move(options)),
      plans(api.cublasLtGetVersion(),
            device.name + " (" + formatCapability(device.computeCapability) +
                ")"),
      budgetLeft(this->options.tuningBudget) {}

CublasLt::~CublasLt() {
  if (handle)
    api.cublasLtDestroy(handle);
}

Result<std::unique_ptr<CublasLt>> CublasLt::create(const CublasLtApi &api,
                                                   const CudaApi &cuda,
                                                   const BlasDevice &device,
                                                   CublasLtOptions options) {
  std::unique_ptr<CublasLt> made(
      new CublasLt(api, cuda, device, std::move(options)));
  if (Status status =
          makeStatus(api, api.cublasLtCreate(&made->handle), "cublasLtCreate");
      !status.ok())
    return status;
  return made;
}

uint64_t CublasLt::workspaceBytes(int computeCapability) {
  // Kernels for Hopper and later split products into more parts.
  return uint64_t(computeCapability >= 90 ? 32 : 4) << 20;
}

/// Whether anything is asked for beside the product.
static bool hasTail(const BlasProduct &product) {
  return product.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
}

Result<std::unique_ptr<LibraryCall>>
CublasLt::makeCall(const program::Call &call, std::span<void *const> args,
                   bool mayBePlain) {
  Result<CublasLtMatmul> made =
      make(call, readPointers(call, args), mayBePlain);
  if (!made)
    return made.status();
  return std::unique_ptr<LibraryCall>(
      std::make_unique<CublasLtMatmul>(std::move(*made)));
}

Result<CublasLtMatmul> CublasLt::make(const program::Call &call,
                                      const MatmulPointers &pointers,
                                      bool mayBePlain) {
  program::MatmulCall matmul(call);
  std::string text = describe(matmul);
  auto locate = [&](const Status &status) -> Status {
    return {status.code(), "matrix product " + text + ": " + status.message()};
  };
  Result<BlasProduct> product =
      toBlas(matmul, {options.allowTf32, device.computeCapability});
  if (!product)
    return locate(product.status());
  auto made = plan(*product, pointers, text);
  if (made && !*made && mayBePlain && hasTail(*product)) {
    BlasProduct plain = *product;
    plain.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    made = plan(std::move(plain),
                {.lhs = pointers.lhs,
                 .rhs = pointers.rhs,
                 .result = pointers.result,
                 .addend = pointers.addend,
                 .lhsScale = pointers.lhsScale,
                 .rhsScale = pointers.rhsScale},
                text);
    if (made && *made) {
      (*made)->plain = true;
      if (options.log)
        options.log(LogLevel::Info,
                    "matrix product " + text +
                        ": cuBLASLt has no algorithm for what stands beside "
                        "it; a kernel after the plain product does that");
    }
  }
  if (!made)
    return locate(made.status());
  if (!*made)
    return locate(noAlgorithm(!mayBePlain && hasTail(*product)));
  if (!(*made)->candidates.empty())
    (*made)->reads = listReads(call, (*made)->pointers);
  return std::move(**made);
}

Result<std::optional<CublasLtMatmul>>
CublasLt::plan(BlasProduct product, const MatmulPointers &pointers,
               const std::string &text) {
  Result<BlasDescriptors> descriptors =
      BlasDescriptors::create(api, product, pointers);
  if (!descriptors)
    return descriptors.status();
  CublasLtMatmul made(api, handle, std::move(product), pointers,
                      std::move(*descriptors), text);
  Result<bool> chosen = choose(made, findAlignments(made.product, pointers));
  if (!chosen)
    return chosen.status();
  return *chosen ? std::optional(std::move(made)) : std::nullopt;
}

static std::string nameMatrix(const BlasMatrix &matrix, bool transposed,
                              uint32_t alignment) {
  return std::to_string(matrix.type) + ":" + std::to_string(matrix.rows) + "x" +
         std::to_string(matrix.columns) + "/" + std::to_string(matrix.leading) +
         "+" + std::to_string(matrix.stride) + (transposed ? "T" : "N") + "@" +
         std::to_string(alignment);
}

/// Everything that the choice of an algorithm depends on but library and
/// device.
std::string CublasLt::nameProduct(const BlasProduct &product,
                                  const BlasAlignments &alignments) const {
  return "A " + nameMatrix(product.a, product.transposeA, alignments.a) +
         " B " + nameMatrix(product.b, product.transposeB, alignments.b) +
         " D " + nameMatrix(product.d, false, alignments.d) + " batch " +
         std::to_string(product.batch) + " compute " +
         std::to_string(product.compute) + " epilogue " +
         std::to_string(product.epilogue) + "@" +
         std::to_string(alignments.bias) + "@" +
         std::to_string(alignments.aux) +
         (product.addend ? " C @" + std::to_string(alignments.c) : "") +
         (product.scaled ? " scaled" : "") + " sums " +
         std::to_string(reductionSchemes(product));
}

/// How parts of a split product may be summed. Never in the type of a 16-bit
/// result, which would round partial sums; in place only where the order of
/// the sums is free.
uint32_t CublasLt::reductionSchemes(const BlasProduct &product) const {
  bool wide = product.d.type == product.scaleType;
  return CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE |
         (wide && !options.deterministic ? CUBLASLT_REDUCTION_SCHEME_INPLACE
                                         : 0);
}

Result<bool> CublasLt::choose(CublasLtMatmul &product,
                              const BlasAlignments &alignments) {
  product.name = nameProduct(product.product, alignments);
  bool tunes = budgetLeft > 0;
  if (recall(product) && (product.plan.milliseconds || !tunes))
    return true;
  Result<std::vector<MatmulPlan>> proposed = propose(product, alignments);
  if (!proposed)
    return proposed.status();
  if (proposed->empty())
    return false;
  product.plan = proposed->front();
  plans.insert(product.name, product.plan);
  if (tunes)
    product.candidates = std::move(*proposed);
  return true;
}

/// Takes the remembered plan, if cuBLASLt still agrees with it.
bool CublasLt::recall(CublasLtMatmul &product) {
  const MatmulPlan *known = plans.find(product.name);
  if (!known)
    return false;
  const BlasDescriptors &with = product.descriptors;
  cublasLtMatmulHeuristicResult_t found = {};
  cublasStatus_t answer = api.cublasLtMatmulAlgoCheck(
      handle, with.operation(), with.a(), with.b(), with.d(), with.d(),
      &known->algorithm, &found);
  if (answer != CUBLAS_STATUS_SUCCESS ||
      found.workspaceSize > workspaceBytes(device.computeCapability)) {
    if (options.log)
      options.log(LogLevel::Warning, "ignoring the plan of " + product.text +
                                         ": cuBLASLt does not accept it here");
    return false;
  }
  product.plan = *known;
  product.plan.workspaceBytes = found.workspaceSize;
  return true;
}

static Status setPreferences(const CublasLtApi &api,
                             cublasLtMatmulPreference_t preference,
                             const BlasAlignments &alignments,
                             uint64_t workspace, uint32_t schemes) {
  cublasStatus_t answer = CUBLAS_STATUS_SUCCESS;
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    if (answer == CUBLAS_STATUS_SUCCESS)
      answer = api.cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                        &value, sizeof(value));
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments.a);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments.b);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.d);
  return makeStatus(api, answer, "cublasLtMatmulPreferenceSetAttribute");
}

Result<std::vector<MatmulPlan>>
CublasLt::propose(const CublasLtMatmul &product,
                  const BlasAlignments &alignments) {
  cublasLtMatmulPreference_t made = nullptr;
  if (Status status = makeStatus(api, api.cublasLtMatmulPreferenceCreate(&made),
                                 "cublasLtMatmulPreferenceCreate");
      !status.ok())
    return status;
  BlasHandle<cublasLtMatmulPreference_t> preference(
      made, api.cublasLtMatmulPreferenceDestroy);
  if (Status status = setPreferences(api, made, alignments,
                                     workspaceBytes(device.computeCapability),
                                     reductionSchemes(product.product));
      !status.ok())
    return status;
  const BlasDescriptors &with = product.descriptors;
  std::vector<cublasLtMatmulHeuristicResult_t> found(
      static_cast<size_t>(std::max(options.candidates, 1)));
  int count = 0;
  cublasStatus_t answer = api.cublasLtMatmulAlgoGetHeuristic(
      handle, with.operation(), with.a(), with.b(), with.d(), with.d(), made,
      static_cast<int>(found.size()), found.data(), &count);
  std::vector<MatmulPlan> proposed;
  for (int i = 0; answer == CUBLAS_STATUS_SUCCESS && i < count; ++i)
    if (const auto &one = found[static_cast<size_t>(i)];
        one.state == CUBLAS_STATUS_SUCCESS)
      proposed.push_back({one.algo, one.workspaceSize, std::nullopt});
  // Which of these it answers to what it does not have is not documented.
  if (answer == CUBLAS_STATUS_SUCCESS ||
      answer == CUBLAS_STATUS_NOT_SUPPORTED ||
      answer == CUBLAS_STATUS_ARCH_MISMATCH ||
      answer == CUBLAS_STATUS_INVALID_VALUE)
    return proposed;
  return makeStatus(api, answer, "cublasLtMatmulAlgoGetHeuristic");
}

Status CublasLt::noAlgorithm(bool lacksTail) const {
  return {StatusCode::LibraryError,
          "cuBLASLt " + std::to_string(api.cublasLtGetVersion()) +
              " has no algorithm for it on '" + device.name +
              "' (compute capability " +
              formatCapability(device.computeCapability) +
              (lacksTail ? "), and the program no kernel for what stands "
                           "beside the product; compile the model with this "
                           "version of mpc-compile"
                         : "); compile the model with another precision, or "
                           "use another version of cuBLASLt")};
}

Status CublasLt::prepare(std::span<LibraryCall *const> calls, void *workspace,
                         cudaStream_t stream) {
  std::vector<CublasLtMatmul *> products;
  for (LibraryCall *call : calls) // made here, so they are products
    products.push_back(static_cast<CublasLtMatmul *>(call));
  // One of each kind is tuned, the others follow it.
  std::vector<CublasLtMatmul *> untuned;
  std::unordered_set<std::string> seen;
  for (CublasLtMatmul *product : products)
    if (product->candidates.size() > 1 && seen.insert(product->key()).second)
      untuned.push_back(product);
  MatmulTuner tuner(cuda, budgetLeft, options.clock, options.log);
  for (size_t i = 0; i < untuned.size(); ++i) {
    Result<MatmulPlan> best =
        tuner.tune(*untuned[i], untuned.size() - i, workspace, stream);
    if (!best)
      return best.status();
    plans.insert(untuned[i]->key(), *best);
  }
  budgetLeft = tuner.budgetLeft();
  for (CublasLtMatmul *product : products) {
    if (const MatmulPlan *chosen = plans.find(product->key());
        chosen && seen.contains(product->key()))
      product->plan = *chosen;
    product->candidates.clear();
    if (Status status = product->enqueue(stream, workspace); !status.ok())
      return status;
  }
  return makeStatus(cuda, cuda.cudaStreamSynchronize(stream),
                    "cudaStreamSynchronize after the first matrix products");
}
