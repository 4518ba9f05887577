//! Small shared containers; knows nothing of compilers.
