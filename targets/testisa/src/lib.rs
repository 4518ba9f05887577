//! A tiny target with habits opposite to x86's, and its simulator, for tests.
