//! Target-independent machine layer: lowering contexts, register allocation, code buffer, calling conventions.
