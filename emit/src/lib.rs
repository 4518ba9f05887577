//! Object files, assembly text, call frame information.
