message(FATAL_ERROR "an MLIR of another version was loaded")
