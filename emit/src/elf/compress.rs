//! Compressed sections (ELF, "Section Compression"): a header, and then the contents in a form that linkers and
//! debuggers undo.
//!
//! Relocations of such a section are for what it holds when that is undone.

use crate::error::EmitError;
use crate::placement::Compressor;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use frazil_codegen::ElfDesc;
use object::elf::{CompressionHeader32, CompressionHeader64, ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD};
use object::endian::{Endianness, U32, U64};
use object::pod;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

/// The alignment of a compressed section, which is that of its header, as log2 of bytes.
pub(super) fn align_log2(elf: &ElfDesc) -> u8 {
    if elf.is_64 { 3 } else { 2 }
}

/// The compressed form of contents that may stand anywhere; `None` if that is not smaller.
pub(super) fn compress(bytes: &[u8], compressor: Compressor, elf: &ElfDesc) -> Result<Option<Vec<u8>>, EmitError> {
    let kind = match compressor {
        Compressor::Zlib => ELFCOMPRESS_ZLIB,
        Compressor::Zstd => ELFCOMPRESS_ZSTD,
    };
    let endian = match elf.little_endian {
        true => Endianness::Little,
        false => Endianness::Big,
    };
    let mut out = match elf.is_64 {
        true => pod::bytes_of(&CompressionHeader64 {
            ch_type: U32::new(endian, kind),
            ch_reserved: U32::default(),
            ch_size: U64::new(endian, bytes.len() as u64),
            ch_addralign: U64::new(endian, 1),
        })
        .to_vec(),
        false => {
            let size = u32::try_from(bytes.len()).map_err(|_| EmitError::too_large("a debug section"))?;
            pod::bytes_of(&CompressionHeader32 {
                ch_type: U32::new(endian, kind),
                ch_size: U32::new(endian, size),
                ch_addralign: U32::new(endian, 1),
            })
            .to_vec()
        }
    };
    match compressor {
        Compressor::Zlib => {
            let mut encoder = ZlibEncoder::new(&mut out, Compression::default());
            encoder.write_all(bytes)?;
            encoder.finish()?;
        }
        Compressor::Zstd => out.extend(compress_to_vec(bytes, CompressionLevel::Fastest)),
    }
    Ok((out.len() < bytes.len()).then_some(out))
}
