//! Instructions of AArch64, decoded by `yaxpeax-arm`, which says what their operands are, but not which of them are
//! written. So the operations that compilers choose are in lists here by what they write; functions with others are not
//! known. In all of them, an address that is written back is, too.

use crate::machine::{Decoded, Flow, Machine};
use frazil_codegen::PRegSet;
use frazil_target_aarch64::abi::AAPCS64;
use frazil_target_aarch64::isa::AARCH64;
use frazil_target_aarch64::regs::{SCRATCH, TEMP, v, x};
use object::elf;
use std::sync::LazyLock;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand};

pub(crate) static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine {
    name: AARCH64.name,
    desc: (AARCH64.new)().desc(),
    convention: &AAPCS64,
    // Veneers (AAPCS64, 6.1.1).
    overwritten_by_linkers: PRegSet::of(&[SCRATCH, TEMP]),
    decode,
    branches: &[
        elf::R_AARCH64_CALL26,
        elf::R_AARCH64_JUMP26,
        elf::R_AARCH64_CONDBR19,
        elf::R_AARCH64_TSTBR14,
    ],
    counts_from_end: false,
});

const INSTRUCTION_BYTES: u64 = 4;

/// The instruction at the start of the bytes.
fn decode(bytes: &[u8], offset: u64) -> Result<Decoded, String> {
    let decoded = InstDecoder::default().decode(&mut U8Reader::new(bytes));
    let inst = decoded.map_err(|_| "it has bytes that are no known instruction".to_owned())?;
    Ok(Decoded {
        bytes: INSTRUCTION_BYTES,
        written: written(&inst)?,
        flow: flow(&inst, offset)?,
    })
}

fn flow(inst: &Instruction, offset: u64) -> Result<Flow, String> {
    use Opcode as O;
    let distance = inst.operands.iter().find_map(|operand| match operand {
        Operand::PCOffset(distance) => Some(*distance),
        _ => None,
    });
    let target = || match distance {
        Some(distance) => Ok(offset.wrapping_add_signed(distance)),
        None => Err("it has a branch without a target".to_owned()),
    };
    match inst.opcode {
        O::B => Ok(Flow::Jump(target()?)),
        O::Bcc(_) | O::CBZ | O::CBNZ | O::TBZ | O::TBNZ => Ok(Flow::Branch(target()?)),
        O::BL => Ok(Flow::Call(target()?)),
        O::RET | O::RETAA | O::RETAB => Ok(Flow::Return),
        O::BRK | O::UDF => Ok(Flow::Stop),
        O::BR | O::BRAA | O::BRAB | O::BRAAZ | O::BRABZ => Err("it has a computed jump".to_owned()),
        O::BLR | O::BLRAA | O::BLRAB | O::BLRAAZ | O::BLRABZ => Err("it calls through a pointer".to_owned()),
        _ => Ok(Flow::Next),
    }
}

/// Which of its operands an operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    Nothing,
    First,
    /// All that are registers, as far as anybody knows.
    All,
}

fn writes(opcode: Opcode) -> Option<Writes> {
    use Opcode as O;
    match opcode {
        // Stores, comparisons, branches and hints; what is signed or checked is the return address, which functions
        // restore.
        O::STLR
        | O::STLLR
        | O::STLRB
        | O::STLLRB
        | O::STLRH
        | O::STLLRH
        | O::STP
        | O::STNP
        | O::STR
        | O::STRB
        | O::STRH
        | O::STRW
        | O::STUR
        | O::STURB
        | O::STURH
        | O::STLUR
        | O::STLURB
        | O::STLURH
        | O::ST1
        | O::ST2
        | O::ST3
        | O::ST4
        | O::PRFM
        | O::PRFUM
        | O::FCMP
        | O::FCMPE
        | O::CCMN
        | O::CCMP
        | O::FCCMP
        | O::FCCMPE
        | O::B
        | O::Bcc(_)
        | O::CBZ
        | O::CBNZ
        | O::TBZ
        | O::TBNZ
        | O::BL
        | O::RET
        | O::RETAA
        | O::RETAB
        | O::BRK
        | O::UDF
        | O::BR
        | O::BRAA
        | O::BRAB
        | O::BRAAZ
        | O::BRABZ
        | O::BLR
        | O::BLRAA
        | O::BLRAB
        | O::BLRAAZ
        | O::BLRABZ
        | O::ISB
        | O::DSB(_)
        | O::DMB(_)
        | O::HINT
        | O::CLREX
        | O::PACIASP
        | O::PACIBSP
        | O::AUTIASP
        | O::AUTIBSP
        | O::PACIAZ
        | O::PACIBZ
        | O::AUTIAZ
        | O::AUTIBZ => Some(Writes::Nothing),
        _ if computes_integers(opcode) || computes_floats(opcode) || loads(opcode) => Some(Writes::First),
        // Pairs, exclusive and atomic accesses.
        O::LDP
        | O::LDNP
        | O::LDPSW
        | O::LDXP
        | O::LDAXP
        | O::LDXR
        | O::LDXRB
        | O::LDXRH
        | O::LDAXR
        | O::LDAXRB
        | O::LDAXRH
        | O::STXR
        | O::STXRB
        | O::STXRH
        | O::STXP
        | O::STLXR
        | O::STLXRB
        | O::STLXRH
        | O::STLXP
        | O::SWP(_)
        | O::SWPB(_)
        | O::SWPH(_)
        | O::LDADD(_)
        | O::LDADDB(_)
        | O::LDADDH(_)
        | O::LDCLR(_)
        | O::LDCLRB(_)
        | O::LDCLRH(_)
        | O::LDEOR(_)
        | O::LDEORB(_)
        | O::LDEORH(_)
        | O::LDSET(_)
        | O::LDSETB(_)
        | O::LDSETH(_)
        | O::LDSMAX(_)
        | O::LDSMIN(_)
        | O::LDUMAX(_)
        | O::LDUMIN(_)
        | O::CAS(_)
        | O::CASB(_)
        | O::CASH(_)
        | O::CASP(_) => Some(Writes::All),
        _ => None,
    }
}

fn computes_integers(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::MOVN
            | O::MOVK
            | O::MOVZ
            | O::ADC
            | O::ADCS
            | O::SBC
            | O::SBCS
            | O::AND
            | O::ANDS
            | O::ORR
            | O::ORN
            | O::EOR
            | O::EON
            | O::BIC
            | O::BICS
            | O::ADD
            | O::ADDS
            | O::SUB
            | O::SUBS
            | O::BFM
            | O::UBFM
            | O::SBFM
            | O::ADR
            | O::ADRP
            | O::EXTR
            | O::CSEL
            | O::CSNEG
            | O::CSINC
            | O::CSINV
            | O::RBIT
            | O::REV16
            | O::REV
            | O::REV32
            | O::CLZ
            | O::CLS
            | O::MADD
            | O::MSUB
            | O::SMADDL
            | O::SMSUBL
            | O::SMULH
            | O::UMADDL
            | O::UMSUBL
            | O::UMULH
            | O::UDIV
            | O::SDIV
            | O::LSLV
            | O::LSRV
            | O::ASRV
            | O::RORV
            | O::CRC32B
            | O::CRC32H
            | O::CRC32W
            | O::CRC32X
            | O::CRC32CB
            | O::CRC32CH
            | O::CRC32CW
            | O::CRC32CX
            | O::MRS
    )
}

/// Scalar floats, and vectors of anything.
fn computes_floats(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::FMADD
            | O::FMSUB
            | O::FNMADD
            | O::FNMSUB
            | O::SCVTF
            | O::UCVTF
            | O::FCVTZS
            | O::FCVTZU
            | O::FCVTNS
            | O::FCVTPS
            | O::FCVTMS
            | O::FCVTAS
            | O::FCVTNU
            | O::FCVTPU
            | O::FCVTMU
            | O::FCVTAU
            | O::FMOV
            | O::FABS
            | O::FNEG
            | O::FSQRT
            | O::FRINTN
            | O::FRINTP
            | O::FRINTM
            | O::FRINTZ
            | O::FRINTA
            | O::FRINTX
            | O::FRINTI
            | O::FCVT
            | O::FMUL
            | O::FDIV
            | O::FADD
            | O::FSUB
            | O::FMAX
            | O::FMIN
            | O::FMAXNM
            | O::FMINNM
            | O::FNMUL
            | O::FCSEL
            | O::FABD
            | O::FMLA
            | O::FMLS
            | O::MOVI
            | O::MVNI
            | O::INS
            | O::EXT
            | O::DUP
            | O::UMOV
            | O::SMOV
            | O::UZP1
            | O::UZP2
            | O::TRN1
            | O::TRN2
            | O::ZIP1
            | O::ZIP2
            | O::XTN
            | O::XTN2
            | O::MUL
            | O::MLA
            | O::MLS
            | O::SHL
            | O::SSHR
            | O::USHR
            | O::SSRA
            | O::USRA
            | O::SSHLL
            | O::SSHLL2
            | O::USHLL
            | O::USHLL2
            | O::SHRN
            | O::SHRN2
            | O::SSHL
            | O::USHL
            | O::CMGT
            | O::CMGE
            | O::CMEQ
            | O::CMHI
            | O::CMHS
            | O::CMLT
            | O::CMLE
            | O::CMTST
            | O::FCMEQ
            | O::FCMGE
            | O::FCMGT
            | O::FCMLE
            | O::FCMLT
            | O::BSL
            | O::BIT
            | O::BIF
            | O::NOT
            | O::NEG
            | O::ABS
            | O::CNT
            | O::REV64
            | O::SMAX
            | O::SMIN
            | O::UMAX
            | O::UMIN
            | O::ADDP
            | O::ADDV
            | O::FADDP
            | O::SMAXV
            | O::SMINV
            | O::UMAXV
            | O::UMINV
            | O::UADDLV
            | O::SADDLV
            | O::UADDLP
            | O::SADDLP
            | O::SADDL
            | O::SADDL2
            | O::UADDL
            | O::UADDL2
            | O::SADDW
            | O::SADDW2
            | O::UADDW
            | O::UADDW2
            | O::SMULL
            | O::SMULL2
            | O::UMULL
            | O::UMULL2
            | O::SMLAL
            | O::SMLAL2
            | O::UMLAL
            | O::UMLAL2
            | O::TBL
            | O::TBX
    )
}

/// Of one register, or of structures into consecutive ones.
fn loads(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::LDAR
            | O::LDARB
            | O::LDARH
            | O::LDLAR
            | O::LDLARB
            | O::LDLARH
            | O::LDAPR
            | O::LDAPRB
            | O::LDAPRH
            | O::LDR
            | O::LDRB
            | O::LDRSB
            | O::LDRSW
            | O::LDRSH
            | O::LDRH
            | O::LDUR
            | O::LDURB
            | O::LDURSB
            | O::LDURSW
            | O::LDURSH
            | O::LDURH
            | O::LDAPUR
            | O::LDAPURB
            | O::LDAPURH
            | O::LDAPURSB
            | O::LDAPURSH
            | O::LDAPURSW
            | O::LD1
            | O::LD2
            | O::LD3
            | O::LD4
            | O::LD1R
            | O::LD2R
            | O::LD3R
            | O::LD4R
    )
}

fn written(inst: &Instruction) -> Result<PRegSet, String> {
    let Some(writes) = writes(inst.opcode) else {
        return Err("it has an instruction of which it is not known what it writes".to_owned());
    };
    let count = match writes {
        Writes::Nothing => 0,
        Writes::First => 1,
        Writes::All => inst.operands.len(),
    };
    let mut written = PRegSet::EMPTY;
    for (index, operand) in inst.operands.iter().enumerate() {
        if index < count {
            registers_of(operand, &mut written);
        }
        if let Operand::RegPreIndex(base, _, true)
        | Operand::RegPostIndex(base, _)
        | Operand::RegPostIndexReg(base, _) = *operand
        {
            add_general(base, 1, &mut written);
        }
    }
    Ok(written)
}

/// Adds the registers that an operand consists of; memory has none.
fn registers_of(operand: &Operand, set: &mut PRegSet) {
    match *operand {
        Operand::Register(_, number) | Operand::RegisterOrSP(_, number) => add_general(number, 1, set),
        Operand::RegShift(_, _, _, number) => add_general(number, 1, set),
        Operand::RegisterPair(_, number) => add_general(number, 2, set),
        Operand::SIMDRegister(_, number)
        | Operand::SIMDRegisterElements(_, number, _)
        | Operand::SIMDRegisterElementsLane(_, number, _, _)
        | Operand::SIMDRegisterElementsMultipleLane(_, number, _, _, _) => add_vectors(number, 1, set),
        Operand::SIMDRegisterGroup(_, number, _, count) | Operand::SIMDRegisterGroupLane(number, _, count, _) => {
            add_vectors(number, count, set);
        }
        _ => {}
    }
}

/// Number 31 is the stack pointer or the zero register, in neither of which values are.
fn add_general(first: u16, count: u16, set: &mut PRegSet) {
    (first..first + count)
        .filter(|number| *number < 31)
        .for_each(|number| set.insert(x(number as u8)));
}

fn add_vectors(first: u16, count: u8, set: &mut PRegSet) {
    (0..u16::from(count)).for_each(|index| set.insert(v(((first + index) % 32) as u8)));
}
