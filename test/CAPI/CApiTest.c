/* The C interface from C: train a line, look at everything, provoke errors.
 * Exit code 0 if all is well; else the line of the failed check. */
#include "Check.h"
#include "mpc-c/Runtime.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const mpc_api *mpc;
static size_t allocations;

static void *countedAllocate(void *context, size_t bytes, size_t alignment) {
  ++*(size_t *)context;
  return aligned_alloc(alignment,
                       (bytes + alignment - 1) / alignment * alignment);
}
static void countedRelease(void *context, void *memory, size_t bytes) {
  (void)bytes;
  --*(size_t *)context;
  free(memory);
}
static void logLine(void *context, mpc_log_level level, const char *message) {
  (void)level;
  strncat((char *)context, message, 400);
}

static void lookAt(const mpc_program *program) {
  MPC_STRUCT(mpc_program_info, info);
  CHECK(mpc->program_info(program, &info) == MPC_OK);
  CHECK(info.num_states == 4 && info.num_entries == 2);
  CHECK(info.num_kernels == 2 && info.num_code_sections == 1);
  CHECK(strcmp(info.target, "cpu") == 0);
  CHECK(strcmp(info.code_target, "x86-64-v3") == 0);
  MPC_STRUCT(mpc_state_info, state);
  CHECK(mpc->program_state(program, 0, &state) == MPC_OK);
  CHECK(strcmp(state.name, "w") == 0 && state.type == MPC_F32);
  CHECK(state.rank == 2 && state.shape[1] == 1 && state.bytes == 4);
  CHECK(state.init == MPC_INIT_NORMAL && state.init_b == 0.1);
  CHECK(mpc->program_state(program, 4, &state) == MPC_NOT_FOUND);
  MPC_STRUCT(mpc_entry_info, entry);
  CHECK(mpc->program_entry(program, 1, &entry) == MPC_OK);
  CHECK(strcmp(entry.name, "step") == 0 && entry.num_records == 4);
  MPC_STRUCT(mpc_tensor_info, tensor);
  CHECK(mpc->program_input(program, 1, 1, &tensor) == MPC_OK);
  CHECK(strcmp(tensor.name, "target") == 0 && tensor.bytes == 128);
  CHECK(mpc->program_output(program, 1, 0, &tensor) == MPC_OK);
  CHECK(strcmp(tensor.name, "loss") == 0 && tensor.rank == 0);
  MPC_STRUCT(mpc_record_info, record);
  CHECK(mpc->program_record(program, 1, 0, &record) == MPC_OK);
  CHECK(strcmp(record.kind, "launch") == 0);
  CHECK(strcmp(record.symbol, "k_line") == 0 && record.target == 0);
  CHECK(strcmp(record.name, "the line at line.mlir:3") == 0);
  MPC_STRUCT(mpc_kernel_info, kernel);
  CHECK(mpc->program_kernel(program, 1, &kernel) == MPC_OK);
  CHECK(strcmp(kernel.symbol, "k_sgd") == 0);
  MPC_STRUCT(mpc_code_info, code);
  CHECK(mpc->program_code(program, 0, &code) == MPC_OK && code.usable == 1);
  CHECK(strcmp(code.format, "shared object") == 0 && code.num_launches == 0);
  const char *text;
  uint64_t bytes;
  CHECK(mpc->program_setting(program, 0, &text, &text) == MPC_NOT_FOUND);
  CHECK(mpc->program_memory(program, 0, &text, &bytes) == MPC_NOT_FOUND);
}

/* A caller with an older header has shorter structs: nothing beyond them may
 * be touched. */
static void olderCaller(const mpc_program *program) {
  mpc_program_info info;
  memset(&info, 0x55, sizeof info);
  info.struct_size = offsetof(mpc_program_info, model);
  CHECK(mpc->program_info(program, &info) == MPC_OK);
  CHECK(info.format_version == 5 && strcmp(info.target, "cpu") == 0);
  unsigned char untouched[sizeof info.model];
  memset(untouched, 0x55, sizeof untouched);
  CHECK(memcmp(&info.model, untouched, sizeof untouched) == 0);
  info.struct_size = 0;
  CHECK(mpc->program_info(program, &info) == MPC_INVALID_ARGUMENT);
}

static void olderOptions(mpc_program *program) {
  mpc_session *session;
  MPC_STRUCT(mpc_session_options, options);
  options.device = (const mpc_device_options *)&options; /* not for its eyes */
  options.struct_size = offsetof(mpc_session_options, device);
  options.threads = 1;
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  mpc->session_destroy(session);
  MPC_STRUCT(mpc_device_options, device);
  options.struct_size = sizeof options;
  options.device = &device;
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  mpc->session_destroy(session);
  uint32_t *flags[] = {&device.allow_nondeterministic, &device.allow_tf32,
                       &device.nvtx, &device.own_attention};
  for (size_t i = 0; i < 4; ++i) {
    *flags[i] = 2; /* neither yes nor no */
    CHECK(mpc->session_create(program, &options, &session, &status) ==
              MPC_INVALID_ARGUMENT &&
          strstr(status.message, "to be 0 or 1, but got 2"));
    *flags[i] = 0;
  }
  device.nvtx = 1;
  CHECK(mpc->session_create(program, &options, &session, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message,
               "option 'nvtx' means nothing for a program of target 'cpu'; "
               "leave it out") == 0);
  device.struct_size = offsetof(mpc_device_options, nvtx);
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  mpc->session_destroy(session);
}

/* What the run before left, while the last one may still go on. */
static void results(mpc_session *session, uint32_t step) {
  MPC_STRUCT(mpc_step_report, report);
  const void *data;
  uint64_t bytes, synchronizations = 9, waits = 9;
  const mpc_record_time *times;
  uint32_t count;
  float last = 0, before = 0;
  CHECK(mpc->session_result(session, step, 0, 0, &data, &bytes, &status) ==
        MPC_OK);
  CHECK(bytes == 4);
  memcpy(&last, data, sizeof last);
  CHECK(mpc->session_result(session, step, 0, 1, &data, &bytes, &status) ==
        MPC_OK);
  memcpy(&before, data, sizeof before);
  CHECK(last < 1e-8f && before < 1e-8f);
  CHECK(mpc->session_output(session, step, 0, &data, &bytes, &status) ==
        MPC_OK);
  CHECK(memcmp(data, &last, sizeof last) == 0);
  CHECK(mpc->session_result(session, step, 0, MPC_RESULT_RUNS, &data, &bytes,
                            &status) == MPC_NOT_FOUND);
  CHECK(mpc->session_result(session, step, 0, 0, NULL, &bytes, &status) ==
        MPC_INVALID_ARGUMENT);
  /* This program reports its loss alone. */
  CHECK(mpc->session_step_report(session, 0, &report, &status) == MPC_OK);
  CHECK(report.fields == (MPC_HAS_LOSS | MPC_HAS_NONFINITE_LOSS));
  CHECK(report.loss == (double)last && report.nonfinite_loss == 0);
  CHECK(report.found_inf == 0 && report.step == 0);
  CHECK(mpc->session_step_report(session, 1, &report, &status) == MPC_OK);
  CHECK(report.loss == (double)before);
  CHECK(mpc->session_step_report(session, MPC_RESULT_RUNS, &report, &status) ==
        MPC_NOT_FOUND);
  CHECK(mpc->session_step_report(session, 0, NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  report.struct_size = 0;
  CHECK(mpc->session_step_report(session, 0, &report, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_record_times(session, step, &times, &count, &status) ==
        MPC_NOT_FOUND);
  CHECK(mpc->session_time_records(session, 2, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_time_records(NULL, 1, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_time_records(session, 1, &status) == MPC_OK);
  CHECK(mpc->session_record_times(session, step, &times, &count, &status) ==
        MPC_NOT_FOUND);
  CHECK(mpc->session_record_times(session, step, NULL, &count, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_time_records(session, 0, &status) == MPC_OK);
  CHECK(mpc->session_synchronize(session, &status) == MPC_OK);
  CHECK(mpc->session_synchronize(NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_wait_counts(session, &synchronizations, &waits) == MPC_OK);
  CHECK(synchronizations == 0 && waits == 0);
  CHECK(mpc->session_wait_counts(NULL, &waits, &waits) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_export_plans(session, &data, &bytes, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strncmp(status.message, "target 'cpu' chooses no plans", 29) == 0);
}

static void rates(void) {
  double rate = 0;
  CHECK(mpc->measure_copy_rate(1, &rate, &status) == MPC_OK && rate > 1e6);
  rate = 0;
  CHECK(mpc->measure_product_rate(MPC_F32, 2, &rate, &status) == MPC_OK &&
        rate > 1e6);
  CHECK(mpc->measure_product_rate(MPC_BF16, 1, &rate, NULL) == MPC_OK);
  CHECK(mpc->measure_copy_rate(1, NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->measure_copy_rate(100000, &rate, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->measure_product_rate(MPC_F32, 1, NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(mpc->measure_product_rate(MPC_I32, 1, &rate, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, "expected a type that products compute with, "
                               "f64, f32, f16 or bf16, but got i32") == 0);
  CHECK(mpc->measure_product_rate((mpc_type)77, 1, &rate, &status) ==
        MPC_INVALID_ARGUMENT);
}

static void sessionRates(mpc_session *session) {
  double rate = 0;
  CHECK(mpc->session_copy_rate(session, &rate, &status) == MPC_OK &&
        rate > 1e6);
  rate = 0;
  CHECK(mpc->session_product_rate(session, MPC_F32, &rate, &status) == MPC_OK &&
        rate > 1e6);
  CHECK(mpc->session_copy_rate(NULL, &rate, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_copy_rate(session, NULL, &status) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->session_product_rate(session, MPC_I32, &rate, &status) ==
        MPC_INVALID_ARGUMENT);
}

static void train(mpc_session *session, uint32_t step) {
  float x[32], target[32];
  for (int i = 0; i < 32; ++i) {
    x[i] = (float)(i - 16) / 16;
    target[i] = 3 * x[i] - 1;
  }
  mpc_input inputs[2] = {{x, sizeof x}, {target, sizeof target}};
  for (int i = 0; i < 300; ++i)
    CHECK(mpc->session_run(session, step, inputs, 2, &status) == MPC_OK);
  const void *loss;
  uint64_t bytes;
  CHECK(mpc->session_output(session, step, 0, &loss, &bytes, &status) ==
        MPC_OK);
  CHECK(bytes == 4 && *(const float *)loss < 1e-8f);

  const mpc_record_time *times;
  uint32_t count;
  CHECK(mpc->session_time_records(session, 1, &status) == MPC_OK);
  CHECK(mpc->session_run(session, step, inputs, 2, &status) == MPC_OK);
  CHECK(mpc->session_record_times(session, step, &times, &count, &status) ==
        MPC_OK);
  CHECK(count == 4);
  for (uint32_t i = 0; i < count; ++i)
    CHECK(times[i].begin_ns > 0 && times[i].begin_ns <= times[i].end_ns &&
          (i == 0 || times[i].begin_ns >= times[i - 1].end_ns));
  CHECK(mpc->session_time_records(session, 0, &status) == MPC_OK);
  CHECK(mpc->session_record_times(session, step, &times, &count, &status) ==
        MPC_NOT_FOUND);
}

static void states(mpc_session *session) {
  int64_t shape[2] = {1, 1};
  float w = 0;
  MPC_STRUCT(mpc_tensor, tensor);
  tensor.type = MPC_F32;
  tensor.rank = 2;
  tensor.shape = shape;
  tensor.data = &w;
  tensor.bytes = sizeof w;
  CHECK(mpc->session_get_state(session, "w", &tensor, &status) == MPC_OK);
  CHECK(fabsf(w - 3) < 1e-4f);
  w = 7;
  CHECK(mpc->session_set_state(session, "w", &tensor, &status) == MPC_OK);
  CHECK(mpc->session_refresh(session, &status) == MPC_OK);
  w = 0;
  CHECK(mpc->session_get_state(session, "w.copy", &tensor, &status) == MPC_OK);
  CHECK(w == 7);
  tensor.type = MPC_F16;
  CHECK(mpc->session_set_state(session, "w", &tensor, &status) ==
        MPC_TYPE_MISMATCH);
  CHECK(strcmp(status.message,
               "state 'w': expected 1x1xf32, but got 1x1xf16") == 0);
  CHECK(mpc->session_set_state(session, "w", NULL, &status) ==
        MPC_INVALID_ARGUMENT);
  /* No refresh: the copy follows by itself. */
  tensor.type = MPC_F32;
  w = 9;
  CHECK(mpc->session_set_state(session, "w", &tensor, &status) == MPC_OK);
  w = 0;
  CHECK(mpc->session_get_state(session, "w.copy", &tensor, &status) == MPC_OK);
  CHECK(w == 9);
}

/* Shapes and structs that are not what they say: nothing beyond what a right
 * one has may be read. After `shape` lies no memory. */
static void misusedStructs(mpc_program *program, mpc_session *session) {
  float w = 0;
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && munmap(pages + page, (size_t)page) == 0);
  int64_t *shape = (int64_t *)(pages + page) - 2;
  shape[0] = shape[1] = 1;
  mpc_tensor tensor = {sizeof tensor, MPC_F32, 2, shape, &w, sizeof w};
  CHECK(mpc->session_get_state(session, "w", &tensor, &status) ==
        MPC_NOT_INITIALIZED);
  CHECK(mpc->session_set_state(session, "w", &tensor, &status) == MPC_OK);
  CHECK(mpc->session_get_state(session, "w", &tensor, &status) == MPC_OK);
  const uint32_t ranks[] = {3, 1000000, ~0u};
  for (int i = 0; i < 3; ++i) {
    tensor.rank = ranks[i];
    CHECK(mpc->session_get_state(session, "w", &tensor, &status) ==
          MPC_SHAPE_MISMATCH);
  }
  CHECK(strcmp(status.message, "state 'w': expected a tensor of rank 2, but "
                               "got rank 4294967295") == 0);
  tensor.type = MPC_F16; /* a wrong type is no reason to read it either */
  CHECK(mpc->session_set_state(session, "w", &tensor, &status) ==
        MPC_SHAPE_MISMATCH);
  tensor.type = (mpc_type)77;
  CHECK(mpc->session_get_state(session, "w", &tensor, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message, "expected the type of a tensor to be an "
                               "mpc_type below 9, but got 77") == 0);
  munmap(pages, (size_t)page);

  for (size_t size = 0; size < sizeof tensor; ++size) {
    tensor.struct_size = size;
    CHECK(mpc->session_set_state(session, "w", &tensor, &status) ==
          MPC_INVALID_ARGUMENT);
  }
  CHECK(strcmp(status.message,
               "mpc_tensor: expected struct_size of 40 to 4096, but got 39; "
               "MPC_STRUCT fills it in") == 0);
  mpc_session *other = session;
  MPC_STRUCT(mpc_session_options, options);
  options.struct_size = offsetof(mpc_session_options, log_context);
  CHECK(mpc->session_create(program, &options, &other, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(other == NULL);
  mpc_program *copy = program;
  MPC_STRUCT(mpc_load_options, load);
  for (size_t size = 0; size < sizeof load; ++size) {
    load.struct_size = size;
    CHECK(mpc->program_load_memory("MPCX", 4, &load, &copy, &status) ==
          MPC_INVALID_ARGUMENT);
  }
  load.struct_size = (size_t)-1;
  CHECK(mpc->program_load_file("/nowhere", &load, &copy, &status) ==
        MPC_INVALID_ARGUMENT);
}

/* A caller with a newer header: zeros after what is known mean nothing, and
 * anything else is refused, for it would be ignored. */
static void newerCaller(void) {
  struct {
    mpc_load_options known;
    uint64_t added;
  } load = {{sizeof load, 0, NULL, NULL}, 0};
  mpc_program *program;
  CHECK(mpc->program_load_file("/nowhere", &load.known, &program, &status) ==
        MPC_NOT_FOUND);
  load.added = 1;
  CHECK(mpc->program_load_file("/nowhere", &load.known, &program, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "mpc_load_options: byte 32 is set") != NULL);
}

static void errors(void) {
  mpc_program *program;
  mpc_session *session;
  CHECK(mpc_get_api(99) == NULL);
  CHECK(mpc->program_load_file("/nowhere", NULL, &program, &status) ==
        MPC_NOT_FOUND);
  CHECK(status.code == MPC_NOT_FOUND && program == NULL);
  CHECK(mpc->program_load_file(NULL, NULL, &program, NULL) ==
        MPC_INVALID_ARGUMENT);
  CHECK(mpc->program_load_memory("no", 2, NULL, &program, &status) ==
        MPC_BAD_MAGIC);
  CHECK(mpc->session_create(NULL, NULL, &session, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strcmp(mpc->code_name(MPC_DEVICE_UNSUPPORTED),
               "device is not supported") == 0);
  CHECK(mpc->session_init(NULL, 0, &status) == MPC_INVALID_ARGUMENT);
  CHECK(strcmp(mpc->code_name(MPC_OUT_OF_MEMORY), "out of memory") == 0);
  CHECK(strcmp(mpc->type_name(MPC_BF16), "bf16") == 0);
  CHECK(mpc->type_bytes(MPC_BF16) == 2 && mpc->type_bytes((mpc_type)99) == 0);
  mpc->program_release(NULL);
  mpc->session_destroy(NULL);
}

/* Pipes that nobody opens at the other end, and what has no end: nobody waits,
 * and no memory fills. */
static void files(void) {
  char folder[] = "/tmp/mpc-files-XXXXXX", path[64], pipe[64];
  CHECK(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  CHECK(mkfifo(pipe, 0600) == 0);
  mpc_file *file = (mpc_file *)pipe;
  CHECK(mpc->file_read(path, &file, &status) == MPC_NOT_FOUND && !file);
  CHECK(mpc->file_write(path, "one", 3, &status) == MPC_OK);
  CHECK(mpc->file_write(path, "two\0", 4, &status) == MPC_OK);
  CHECK(mpc->file_read(path, &file, &status) == MPC_OK);
  size_t bytes;
  CHECK(memcmp(mpc->file_data(file, &bytes), "two", 4) == 0 && bytes == 4);
  mpc->file_release(file);
  const struct {
    const char *path, *message;
    mpc_code code;
  } others[] = {{"/dev/zero", "but got a device", MPC_INVALID_ARGUMENT},
                {folder, "but got a directory", MPC_INVALID_ARGUMENT},
                {pipe, "expected a program that writes to", MPC_IO_ERROR}};
  mpc_program *program;
  for (int i = 0; i < 3; ++i) {
    CHECK(mpc->file_read(others[i].path, &file, &status) == others[i].code);
    CHECK(strstr(status.message, others[i].message));
    CHECK(mpc->program_load_file(others[i].path, NULL, &program, &status) ==
          others[i].code);
    CHECK(strstr(status.message, others[i].message));
  }
  CHECK(mpc->file_write(pipe, "", 0, &status) == MPC_IO_ERROR);
  CHECK(strstr(status.message, "expected a program that reads from"));
  CHECK(mpc->file_write(folder, "", 0, &status) == MPC_IO_ERROR);
  CHECK(mpc->file_read(NULL, &file, NULL) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->file_read(path, NULL, NULL) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->file_write(NULL, "", 0, NULL) == MPC_INVALID_ARGUMENT);
  CHECK(mpc->file_write(path, NULL, 1, NULL) == MPC_INVALID_ARGUMENT);
  CHECK(!mpc->file_data(NULL, &bytes) && bytes == 0);
  mpc->file_release(NULL);
  CHECK(!unlink(path) && !unlink(pipe) && !rmdir(folder));
}

int main(int argc, char **argv) {
  mpc = mpc_get_api(MPC_API_VERSION);
  CHECK(argc == 2 && mpc && mpc->struct_size == sizeof(mpc_api));
  errors();
  files();
  rates();
  mpc_program *program;
  mpc_session *session;
  CHECK(mpc->program_load_file(argv[1], NULL, &program, &status) == MPC_OK);
  CHECK(mpc->session_create(program, NULL, &session, &status) ==
        MPC_CODE_NOT_ALLOWED);
  mpc->program_release(program);
  MPC_STRUCT(mpc_load_options, load);
  char log[1000] = "";
  load.allow_code = 1;
  load.allow_code = 2; /* neither yes nor no */
  CHECK(mpc->program_load_file(argv[1], &load, &program, &status) ==
        MPC_INVALID_ARGUMENT);
  CHECK(strcmp(status.message,
               "expected 'allow_code' to be 0 or 1, but got 2") == 0);
  load.allow_code = 1;
  load.log = logLine;
  load.log_context = log;
  CHECK(mpc->program_load_file(argv[1], &load, &program, &status) == MPC_OK);
  CHECK(strcmp(log, "kernels: 2 for x86-64-v3") == 0);
  lookAt(program);
  olderCaller(program);
  olderOptions(program);
  newerCaller();
  uint32_t step;
  CHECK(mpc->program_find_entry(program, "stop", &step, &status) ==
        MPC_NOT_FOUND);
  CHECK(strcmp(status.message, "no entry 'stop'; there are: init step") == 0);
  CHECK(mpc->program_find_entry(program, "step", &step, &status) == MPC_OK);
  mpc_allocator allocator = {&allocations, countedAllocate, countedRelease};
  MPC_STRUCT(mpc_session_options, options);
  options.threads = 2;
  options.allocator = &allocator;
  CHECK(mpc->session_create(program, &options, &session, &status) == MPC_OK);
  CHECK(allocations == 2 && mpc->session_threads(session) == 2);
  sessionRates(session);
  misusedStructs(program, session);
  MPC_STRUCT(mpc_restore_options, restore);
  restore.parameters_only = 256;
  CHECK(mpc->session_load(session, argv[1], &restore, &status) ==
            MPC_INVALID_ARGUMENT &&
        strcmp(status.message,
               "expected 'parameters_only' to be 0 or 1, but got 256") == 0);
  mpc->program_release(program); /* the session keeps what it needs */
  CHECK(mpc->session_init(session, 42, &status) == MPC_OK);
  train(session, step);
  results(session, step);
  states(session);
  MPC_STRUCT(mpc_memory_info, memory);
  CHECK(mpc->session_memory(session, &memory) == MPC_OK);
  CHECK(memory.used_arena == memory.planned_arena && memory.used_state == 1024);
  mpc->session_destroy(session);
  CHECK(allocations == 0);
  return 0;
}
