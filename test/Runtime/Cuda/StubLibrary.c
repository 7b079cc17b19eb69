/* Stands for a library of NVIDIA's in tests of where such are looked for. */
int mpc_stub_answer(void);
int mpc_stub_answer(void) { return 42; }
