//! Benchmarks of each stage.
