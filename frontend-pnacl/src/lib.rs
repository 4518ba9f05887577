//! Native reader of LLVM bitcode and PNaCl executables; no LLVM.
