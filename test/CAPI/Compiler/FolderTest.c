/* The folder of a model's external data: where it is said, the weights are
 * those of the file there; where not, or where there is none, the model is
 * refused. Exit code 0 if all is well.
 *
 *   FolderTest external.onnx FOLDER    (an empty one, of the test's own) */
#include "../Check.h"
#include "mpc-c/Compiler.h"

static const float numbers[] = {7, 7, 1, 2, 3, 4, 5, 6.5f};

static char heard[2000];

static void hear(void *context, const mpc_diagnostic *diagnostic) {
  (void)context;
  snprintf(heard, sizeof heard, "%s", diagnostic->text);
}

static mpc_code compile(const char *model, const char *folder,
                        const char *weights) {
  const mpc_compiler_api *mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  CHECK(mpcc);
  Bytes read = readAll(model);
  const mpc_compile_option chosen[] = {{"inference", NULL},
                                       {"weights", weights}};
  MPC_STRUCT(mpc_compile_options, options);
  options.name = "external.onnx";
  options.options = chosen;
  options.num_options = 2;
  options.folder = folder;
  options.diagnose = hear;
  mpc_compiled *compiled;
  mpc_code code =
      mpcc->compile(read.data, read.size, &options, &compiled, &status);
  free(read.data);
  CHECK((code == MPC_OK) == (compiled != NULL));
  mpcc->release(compiled);
  return code;
}

/* Into a copy, with a new value of the one weight, so that nobody reads the
 * file: without a folder the model is refused all the same. */
static mpc_code copy(const char *model, const char *folder, const char *path) {
  const mpc_compiler_api *mpcc = mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  Bytes read = readAll(model);
  const int64_t shape[] = {2, 3};
  MPC_STRUCT(mpc_weight, weight);
  weight.name = "w";
  weight.type = MPC_F32;
  weight.rank = 2;
  weight.shape = shape;
  weight.data = numbers;
  weight.bytes = 24;
  const mpc_weight *weights[] = {&weight};
  MPC_STRUCT(mpc_onnx_options, options);
  options.folder = folder;
  mpc_code code = mpcc->write_onnx(read.data, read.size, weights, 1, path,
                                   &options, &status);
  free(read.data);
  return code;
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  char data[500], weights[500];
  snprintf(data, sizeof data, "%s/numbers.bin", argv[2]);
  snprintf(weights, sizeof weights, "%s/weights.safetensors", argv[2]);
  remove(data);
  CHECK(compile(argv[1], NULL, weights) == MPC_INVALID_MODEL);
  CHECK(strstr(heard, "initializer 'w'") && strstr(heard, "has no folder"));
  CHECK(compile(argv[1], argv[2], weights) == MPC_INVALID_MODEL);
  CHECK(strstr(heard, "numbers.bin") && strstr(heard, "No such file"));
  FILE *file = fopen(data, "wb");
  CHECK(file && fwrite(numbers, sizeof numbers, 1, file) == 1);
  CHECK(!fclose(file));
  CHECK(compile(argv[1], argv[2], weights) == MPC_OK);
  /* The only tensor of a safetensors file is its end. */
  Bytes stored = readAll(weights);
  CHECK(stored.size > 24);
  CHECK(!memcmp(stored.data + stored.size - 24, numbers + 2, 24));
  free(stored.data);

  char path[500], beside[600];
  snprintf(path, sizeof path, "%s/copy.onnx", argv[2]);
  snprintf(beside, sizeof beside, "%s.data", path);
  remove(path);
  remove(beside);
  CHECK(copy(argv[1], NULL, path) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "'w'") && strstr(status.message, "no folder"));
  CHECK(!fopen(path, "rb") && !fopen(beside, "rb"));
  CHECK(copy(argv[1], argv[2], data) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "would be overwritten"));
  /* What is no copy's data stays; a copy's are replaced with it. */
  file = fopen(beside, "wb");
  CHECK(file && fwrite("notes", 5, 1, file) == 1 && !fclose(file));
  CHECK(copy(argv[1], argv[2], path) == MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "copy.onnx.data' would be overwritten"));
  stored = readAll(beside);
  CHECK(stored.size == 5 && !fopen(path, "rb"));
  free(stored.data);
  remove(beside);
  CHECK(copy(argv[1], argv[2], path) == MPC_OK);
  CHECK(copy(argv[1], argv[2], path) == MPC_OK);
  stored = readAll(beside);
  CHECK(stored.size == 24 && !memcmp(stored.data, numbers, 24));
  free(stored.data);
  return 0;
}
