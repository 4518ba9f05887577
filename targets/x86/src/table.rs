//! The op table: one line per form of a machine instruction.
//!
//! Columns: name, mnemonic, form, encoding, sizes, modes, register operands, effects (see [`crate::ops`]). Encodings
//! are those of the Intel manual, volume 2. Names end with the operands: R register, M memory, I immediate, C count in
//! `cl`, X vector register where both banks occur. Where several encodings exist, the row has the one that the GNU
//! assembler chooses.

use crate::memory_effects::{ONLY_READ, ONLY_WRITTEN, UNTOUCHED};
use crate::memory_forms::MEMORY_FORMS;
use crate::ops::Imm::{Byte, Full, Shift, Short, Word};
use crate::ops::operands::*;
use crate::ops::sizes::*;
use crate::ops::{Code, FR, FRW, FW, Form, NO, Row, ValidIn, int, int0f, int38, one, op_table, pad, x0f, x3a, x38};
use crate::regs::{RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP, XMM0};
use frazil_codegen::OpDesc;

op_table! {
    // Integer arithmetic and logic of two operands.
    AddRR "add" StoreRR int(0x01), BWLQ, Both, [M, U], FW;
    AddRM "add" RM int(0x03), BWLQ, Both, [M], FW;
    AddMR "add" MR int(0x01), BWLQ, Both, [U], FW;
    AddRI "add" RI int(0x81).digit(0).imm(Short), BWLQ, Both, [M], FW;
    AddMI "add" MI int(0x81).digit(0).imm(Short), BWLQ, Both, [], FW;
    OrRR "or" StoreRR int(0x09), BWLQ, Both, [M, U], FW;
    OrRM "or" RM int(0x0b), BWLQ, Both, [M], FW;
    OrMR "or" MR int(0x09), BWLQ, Both, [U], FW;
    OrRI "or" RI int(0x81).digit(1).imm(Short), BWLQ, Both, [M], FW;
    OrMI "or" MI int(0x81).digit(1).imm(Short), BWLQ, Both, [], FW;
    AdcRR "adc" StoreRR int(0x11), BWLQ, Both, [M, U], FRW;
    AdcRM "adc" RM int(0x13), BWLQ, Both, [M], FRW;
    AdcMR "adc" MR int(0x11), BWLQ, Both, [U], FRW;
    AdcRI "adc" RI int(0x81).digit(2).imm(Short), BWLQ, Both, [M], FRW;
    AdcMI "adc" MI int(0x81).digit(2).imm(Short), BWLQ, Both, [], FRW;
    SbbRR "sbb" StoreRR int(0x19), BWLQ, Both, [M, U], FRW;
    SbbRM "sbb" RM int(0x1b), BWLQ, Both, [M], FRW;
    SbbMR "sbb" MR int(0x19), BWLQ, Both, [U], FRW;
    SbbRI "sbb" RI int(0x81).digit(3).imm(Short), BWLQ, Both, [M], FRW;
    SbbMI "sbb" MI int(0x81).digit(3).imm(Short), BWLQ, Both, [], FRW;
    AndRR "and" StoreRR int(0x21), BWLQ, Both, [M, U], FW;
    AndRM "and" RM int(0x23), BWLQ, Both, [M], FW;
    AndMR "and" MR int(0x21), BWLQ, Both, [U], FW;
    AndRI "and" RI int(0x81).digit(4).imm(Short), BWLQ, Both, [M], FW;
    AndMI "and" MI int(0x81).digit(4).imm(Short), BWLQ, Both, [], FW;
    SubRR "sub" StoreRR int(0x29), BWLQ, Both, [M, U], FW;
    SubRM "sub" RM int(0x2b), BWLQ, Both, [M], FW;
    SubMR "sub" MR int(0x29), BWLQ, Both, [U], FW;
    SubRI "sub" RI int(0x81).digit(5).imm(Short), BWLQ, Both, [M], FW;
    SubMI "sub" MI int(0x81).digit(5).imm(Short), BWLQ, Both, [], FW;
    XorRR "xor" StoreRR int(0x31), BWLQ, Both, [M, U], FW;
    XorRM "xor" RM int(0x33), BWLQ, Both, [M], FW;
    XorMR "xor" MR int(0x31), BWLQ, Both, [U], FW;
    XorRI "xor" RI int(0x81).digit(6).imm(Short), BWLQ, Both, [M], FW;
    XorMI "xor" MI int(0x81).digit(6).imm(Short), BWLQ, Both, [], FW;
    CmpRR "cmp" StoreRR int(0x39), BWLQ, Both, [U, U], FW;
    CmpRM "cmp" RM int(0x3b), BWLQ, Both, [U], FW;
    CmpMR "cmp" MR int(0x39), BWLQ, Both, [U], FW;
    CmpRI "cmp" RI int(0x81).digit(7).imm(Short), BWLQ, Both, [U], FW;
    CmpMI "cmp" MI int(0x81).digit(7).imm(Short), BWLQ, Both, [], FW;
    TestRR "test" StoreRR int(0x85), BWLQ, Both, [U, U], FW;
    TestMR "test" MR int(0x85), BWLQ, Both, [U], FW;
    TestRI "test" RI int(0xf7).digit(0).imm(Full), BWLQ, Both, [U], FW;
    TestMI "test" MI int(0xf7).digit(0).imm(Full), BWLQ, Both, [], FW;
    ZeroR "xor" Same int(0x31), LQ, Both, [D], FW;
    NotR "not" R int(0xf7).digit(2), BWLQ, Both, [M], NO;
    NotM "not" M int(0xf7).digit(2), BWLQ, Both, [], NO;
    NegR "neg" R int(0xf7).digit(3), BWLQ, Both, [M], FW;
    NegM "neg" M int(0xf7).digit(3), BWLQ, Both, [], FW;
    IncR "inc" R int(0xff).digit(0), BWLQ, Both, [M], FW;
    IncM "inc" M int(0xff).digit(0), BWLQ, Both, [], FW;
    DecR "dec" R int(0xff).digit(1), BWLQ, Both, [M], FW;
    DecM "dec" M int(0xff).digit(1), BWLQ, Both, [], FW;

    // Multiplication and division.
    ImulRR "imul" LoadRR int0f(0xaf), WLQ, Both, [M, U], FW;
    ImulRM "imul" RM int0f(0xaf), WLQ, Both, [M], FW;
    ImulRRI "imul" LoadRRI int(0x69).imm(Short), WLQ, Both, [D, U], FW;
    ImulRMI "imul" RMI int(0x69).imm(Short), WLQ, Both, [D], FW;
    MulR "mul" R int(0xf7).digit(4), WLQ, Both, [U], FW.uses(&[RAX]).defs(&[RAX, RDX]);
    MulM "mul" M int(0xf7).digit(4), WLQ, Both, [], FW.uses(&[RAX]).defs(&[RAX, RDX]);
    Mul8R "mul" R int(0xf7).digit(4), B, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    Mul8M "mul" M int(0xf7).digit(4), B, Both, [], FW.uses(&[RAX]).defs(&[RAX]);
    ImulR "imul" R int(0xf7).digit(5), WLQ, Both, [U], FW.uses(&[RAX]).defs(&[RAX, RDX]);
    ImulM "imul" M int(0xf7).digit(5), WLQ, Both, [], FW.uses(&[RAX]).defs(&[RAX, RDX]);
    Imul8R "imul" R int(0xf7).digit(5), B, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    Imul8M "imul" M int(0xf7).digit(5), B, Both, [], FW.uses(&[RAX]).defs(&[RAX]);
    DivR "div" R int(0xf7).digit(6), WLQ, Both, [U], FW.uses(&[RAX, RDX]).defs(&[RAX, RDX]);
    DivM "div" M int(0xf7).digit(6), WLQ, Both, [], FW.uses(&[RAX, RDX]).defs(&[RAX, RDX]);
    Div8R "div" R int(0xf7).digit(6), B, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    Div8M "div" M int(0xf7).digit(6), B, Both, [], FW.uses(&[RAX]).defs(&[RAX]);
    IdivR "idiv" R int(0xf7).digit(7), WLQ, Both, [U], FW.uses(&[RAX, RDX]).defs(&[RAX, RDX]);
    IdivM "idiv" M int(0xf7).digit(7), WLQ, Both, [], FW.uses(&[RAX, RDX]).defs(&[RAX, RDX]);
    Idiv8R "idiv" R int(0xf7).digit(7), B, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    Idiv8M "idiv" M int(0xf7).digit(7), B, Both, [], FW.uses(&[RAX]).defs(&[RAX]);
    Cwd "cwtd" None one(0x99).prefix(0x66), W, Both, [], NO.uses(&[RAX]).defs(&[RDX]);
    Cwde "cwtl" None one(0x98), L, Both, [], NO.uses(&[RAX]).defs(&[RAX]);
    Cdqe "cltq" None one(0x98).flag(Code::W), Q, Only64, [], NO.uses(&[RAX]).defs(&[RAX]);
    Cdq "cltd" None one(0x99), L, Both, [], NO.uses(&[RAX]).defs(&[RDX]);
    Cqo "cqto" None one(0x99).flag(Code::W), Q, Only64, [], NO.uses(&[RAX]).defs(&[RDX]);

    // Shifts.
    RolRI "rol" RI int(0xc1).digit(0).imm(Shift), BWLQ, Both, [M], FW;
    RolMI "rol" MI int(0xc1).digit(0).imm(Shift), BWLQ, Both, [], FW;
    RolRC "rol" RC int(0xd3).digit(0), BWLQ, Both, [M], FW.uses(&[RCX]);
    RolMC "rol" MC int(0xd3).digit(0), BWLQ, Both, [], FW.uses(&[RCX]);
    RorRI "ror" RI int(0xc1).digit(1).imm(Shift), BWLQ, Both, [M], FW;
    RorMI "ror" MI int(0xc1).digit(1).imm(Shift), BWLQ, Both, [], FW;
    RorRC "ror" RC int(0xd3).digit(1), BWLQ, Both, [M], FW.uses(&[RCX]);
    RorMC "ror" MC int(0xd3).digit(1), BWLQ, Both, [], FW.uses(&[RCX]);
    RclRI "rcl" RI int(0xc1).digit(2).imm(Shift), BWLQ, Both, [M], FRW;
    RclMI "rcl" MI int(0xc1).digit(2).imm(Shift), BWLQ, Both, [], FRW;
    RclRC "rcl" RC int(0xd3).digit(2), BWLQ, Both, [M], FRW.uses(&[RCX]);
    RclMC "rcl" MC int(0xd3).digit(2), BWLQ, Both, [], FRW.uses(&[RCX]);
    RcrRI "rcr" RI int(0xc1).digit(3).imm(Shift), BWLQ, Both, [M], FRW;
    RcrMI "rcr" MI int(0xc1).digit(3).imm(Shift), BWLQ, Both, [], FRW;
    RcrRC "rcr" RC int(0xd3).digit(3), BWLQ, Both, [M], FRW.uses(&[RCX]);
    RcrMC "rcr" MC int(0xd3).digit(3), BWLQ, Both, [], FRW.uses(&[RCX]);
    ShlRI "shl" RI int(0xc1).digit(4).imm(Shift), BWLQ, Both, [M], FW;
    ShlMI "shl" MI int(0xc1).digit(4).imm(Shift), BWLQ, Both, [], FW;
    ShlRC "shl" RC int(0xd3).digit(4), BWLQ, Both, [M], FW.uses(&[RCX]);
    ShlMC "shl" MC int(0xd3).digit(4), BWLQ, Both, [], FW.uses(&[RCX]);
    ShrRI "shr" RI int(0xc1).digit(5).imm(Shift), BWLQ, Both, [M], FW;
    ShrMI "shr" MI int(0xc1).digit(5).imm(Shift), BWLQ, Both, [], FW;
    ShrRC "shr" RC int(0xd3).digit(5), BWLQ, Both, [M], FW.uses(&[RCX]);
    ShrMC "shr" MC int(0xd3).digit(5), BWLQ, Both, [], FW.uses(&[RCX]);
    SarRI "sar" RI int(0xc1).digit(7).imm(Shift), BWLQ, Both, [M], FW;
    SarMI "sar" MI int(0xc1).digit(7).imm(Shift), BWLQ, Both, [], FW;
    SarRC "sar" RC int(0xd3).digit(7), BWLQ, Both, [M], FW.uses(&[RCX]);
    SarMC "sar" MC int(0xd3).digit(7), BWLQ, Both, [], FW.uses(&[RCX]);
    ShldRRI "shld" StoreRRI int0f(0xa4).imm(Byte), WLQ, Both, [M, U], FW;
    ShldRRC "shld" StoreRRC int0f(0xa5), WLQ, Both, [M, U], FW.uses(&[RCX]);
    ShrdRRI "shrd" StoreRRI int0f(0xac).imm(Byte), WLQ, Both, [M, U], FW;
    ShrdRRC "shrd" StoreRRC int0f(0xad), WLQ, Both, [M, U], FW.uses(&[RCX]);

    // Bits.
    BtRR "bt" StoreRR int0f(0xa3), WLQ, Both, [U, U], FW;
    BtRI "bt" RI int0f(0xba).digit(4).imm(Byte), WLQ, Both, [U], FW;
    BtMI "bt" MI int0f(0xba).digit(4).imm(Byte), WLQ, Both, [], FW;
    BtsRR "bts" StoreRR int0f(0xab), WLQ, Both, [M, U], FW;
    BtsRI "bts" RI int0f(0xba).digit(5).imm(Byte), WLQ, Both, [M], FW;
    BtsMI "bts" MI int0f(0xba).digit(5).imm(Byte), WLQ, Both, [], FW;
    BtrRR "btr" StoreRR int0f(0xb3), WLQ, Both, [M, U], FW;
    BtrRI "btr" RI int0f(0xba).digit(6).imm(Byte), WLQ, Both, [M], FW;
    BtrMI "btr" MI int0f(0xba).digit(6).imm(Byte), WLQ, Both, [], FW;
    BtcRR "btc" StoreRR int0f(0xbb), WLQ, Both, [M, U], FW;
    BtcRI "btc" RI int0f(0xba).digit(7).imm(Byte), WLQ, Both, [M], FW;
    BtcMI "btc" MI int0f(0xba).digit(7).imm(Byte), WLQ, Both, [], FW;
    BsfRR "bsf" LoadRR int0f(0xbc), WLQ, Both, [D, U], FW.merges();
    BsfRM "bsf" RM int0f(0xbc), WLQ, Both, [D], FW.merges();
    BsrRR "bsr" LoadRR int0f(0xbd), WLQ, Both, [D, U], FW.merges();
    BsrRM "bsr" RM int0f(0xbd), WLQ, Both, [D], FW.merges();
    PopcntRR "popcnt" LoadRR int0f(0xb8).prefix(0xf3), WLQ, Both, [D, U], FW;
    PopcntRM "popcnt" RM int0f(0xb8).prefix(0xf3), WLQ, Both, [D], FW;
    TzcntRR "tzcnt" LoadRR int0f(0xbc).prefix(0xf3), WLQ, Both, [D, U], FW;
    TzcntRM "tzcnt" RM int0f(0xbc).prefix(0xf3), WLQ, Both, [D], FW;
    LzcntRR "lzcnt" LoadRR int0f(0xbd).prefix(0xf3), WLQ, Both, [D, U], FW;
    LzcntRM "lzcnt" RM int0f(0xbd).prefix(0xf3), WLQ, Both, [D], FW;
    BswapR "bswap" O int0f(0xc8), LQ, Both, [M], NO;

    // Moves of integers.
    MovRR "mov" StoreRR int(0x89), BWLQ, Both, [D, U], NO;
    // The same encoding, where the cleared upper half matters: no plain copy.
    MovzxLRR "mov" StoreRR int(0x89), L, Both, [D, U], NO;
    MovRM "mov" RM int(0x8b), BWLQ, Both, [D], NO;
    // The same for a rule that relies on the upper half, which is cleared: no plain load or reload.
    MovzxLRM "mov" RM int(0x8b), L, Both, [D], NO;
    // What a float register in memory becomes an integer by, and the other way round: no reloads, either.
    BitsRM "mov" RM int(0x8b), LQ, Both, [D], NO;
    MovMR "mov" MR int(0x89), BWLQ, Both, [U], NO;
    MovRI "mov" OI int(0xb8).imm(Full), BWLQ, Both, [D], NO;
    MovMI "mov" MI int(0xc7).digit(0).imm(Full), BWLQ, Both, [], NO;
    MovabsRI "movabs" OI64 one(0xb8).flag(Code::W), Q, Only64, [D64], NO;
    MovabsRRef "movabs" ORef one(0xb8).flag(Code::W), Q, Only64, [D64], NO;
    MovFsRM "mov" RM int(0x8b).flag(Code::FS), BWLQ, Both, [D], NO;
    MovFsMR "mov" MR int(0x89).flag(Code::FS), BWLQ, Both, [U], NO;
    AddFsRM "add" RM int(0x03).flag(Code::FS), BWLQ, Both, [M], FW;
    MovzxBRR "movzb" LoadRR int0f(0xb6).flag(Code::BYTE_RM), WLQ, Both, [D, U8], NO;
    MovzxBRM "movzb" RM int0f(0xb6), WLQ, Both, [D], NO;
    MovzxWRR "movzw" LoadRR int0f(0xb7), LQ, Both, [D, U16], NO;
    MovzxWRM "movzw" RM int0f(0xb7), LQ, Both, [D], NO;
    MovsxBRR "movsb" LoadRR int0f(0xbe).flag(Code::BYTE_RM), WLQ, Both, [D, U8], NO;
    MovsxBRM "movsb" RM int0f(0xbe), WLQ, Both, [D], NO;
    MovsxWRR "movsw" LoadRR int0f(0xbf), LQ, Both, [D, U16], NO;
    MovsxWRM "movsw" RM int0f(0xbf), LQ, Both, [D], NO;
    MovsxdRR "movsl" LoadRR int(0x63), Q, Only64, [D, U32], NO;
    MovsxdRM "movsl" RM int(0x63), Q, Only64, [D], NO;
    LeaRM "lea" RM int(0x8d), LQ, Both, [D], NO;
    LeaRRef "lea" RBaseRef int(0x8d), Q, Only64, [D], NO;
    LeaTlsGdRM "data16 leaq" RM one(0x8d).flag(Code::W).prefix(0x66), Q, Only64, [D64], NO;
    CmovRR "cmov" LoadRR int0f(0x40).flag(Code::COND), WLQ, Both, [M, U], FR;
    CmovRM "cmov" RM int0f(0x40).flag(Code::COND), WLQ, Both, [M], FR;
    SetR "set" R x0f(0x90).digit(0).flag(Code::COND | Code::BYTE_RM), B, Both, [D8], FR;
    SetM "set" M x0f(0x90).digit(0).flag(Code::COND), B, Both, [], FR;
    XchgRR "xchg" Exchange int(0x87), BWLQ, Both, [M, M], NO;
    XchgMR "xchg" MR int(0x87), BWLQ, Both, [M], NO;
    MovntiMR "movnti" MR int0f(0xc3), LQ, Both, [U], NO;
    MovbeRM "movbe" RM int38(0xf0), WLQ, Both, [D], NO;
    MovbeMR "movbe" MR int38(0xf1), WLQ, Both, [U], NO;

    // Stack.
    PushR "push" O one(0x50), Q, Only64, [U64], NO.uses(&[RSP]).defs(&[RSP]);
    PopR "pop" O one(0x58), Q, Only64, [D64], NO.uses(&[RSP]).defs(&[RSP]);
    PushM "push" M one(0xff).digit(6), Q, Only64, [], NO.uses(&[RSP]).defs(&[RSP]);
    PopM "pop" M one(0x8f).digit(0), Q, Only64, [], NO.uses(&[RSP]).defs(&[RSP]);
    PushI "push" I one(0x68).imm(Short), Q, Only64, [], NO.uses(&[RSP]).defs(&[RSP]);

    // Control flow.
    Jcc "j" Branch x0f(0x80).flag(Code::COND), Q, Both, [], FR;
    Jmp "jmp" Branch one(0xe9), Q, Both, [], NO;
    JccShort "j" ShortBranch one(0x70).flag(Code::COND), Q, Both, [], FR;
    JmpShort "jmp" ShortBranch one(0xeb), Q, Both, [], NO;
    JmpRef "jmp" BranchRef one(0xe9), Q, Both, [], NO;
    JmpR "jmp" R one(0xff).digit(4).flag(Code::PLAIN | Code::STAR), Q, Only64, [U64], NO;
    JmpNoTrackR "notrack jmp" R one(0xff).digit(4).prefix(0x3e).flag(Code::PLAIN | Code::STAR), Q, Only64, [U64], NO;
    JmpM "jmp" M one(0xff).digit(4).flag(Code::PLAIN | Code::STAR), Q, Only64, [], NO;
    CallRef "call" BranchRef one(0xe8), Q, Both, [], NO.uses(&[RSP]).defs(&[RSP]);
    CallTlsGdRef ".byte 0x66, 0x66; rex64 call" BranchRef one(0xe8).flag(Code::W).prefix(0x66), Q, Only64, [], NO.uses(&[RSP]).defs(&[RSP]);
    CallR "call" R one(0xff).digit(2).flag(Code::PLAIN | Code::STAR), Q, Only64, [U64], NO.uses(&[RSP]).defs(&[RSP]);
    CallNoTrackR "notrack call" R one(0xff).digit(2).prefix(0x3e).flag(Code::PLAIN | Code::STAR), Q, Only64, [U64], NO.uses(&[RSP]).defs(&[RSP]);
    CallM "call" M one(0xff).digit(2).flag(Code::PLAIN | Code::STAR), Q, Only64, [], NO.uses(&[RSP]).defs(&[RSP]);
    Ret "ret" None one(0xc3), Q, Both, [], NO.uses(&[RSP]).defs(&[RSP]);
    RetI "ret" I one(0xc2).imm(Word), Q, Both, [], NO.uses(&[RSP]).defs(&[RSP]);
    Leave "leave" None one(0xc9), Q, Both, [], NO.uses(&[RBP]).defs(&[RSP, RBP]);

    // Atomics and ordering. An exchange with memory locks by itself.
    LockAddMR "add" MR int(0x01).flag(Code::LOCK), BWLQ, Both, [U], FW;
    LockAddMI "add" MI int(0x81).digit(0).imm(Short).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockOrMR "or" MR int(0x09).flag(Code::LOCK), BWLQ, Both, [U], FW;
    LockOrMI "or" MI int(0x81).digit(1).imm(Short).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockAndMR "and" MR int(0x21).flag(Code::LOCK), BWLQ, Both, [U], FW;
    LockAndMI "and" MI int(0x81).digit(4).imm(Short).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockSubMR "sub" MR int(0x29).flag(Code::LOCK), BWLQ, Both, [U], FW;
    LockSubMI "sub" MI int(0x81).digit(5).imm(Short).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockXorMR "xor" MR int(0x31).flag(Code::LOCK), BWLQ, Both, [U], FW;
    LockXorMI "xor" MI int(0x81).digit(6).imm(Short).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockNotM "not" M int(0xf7).digit(2).flag(Code::LOCK), BWLQ, Both, [], NO;
    LockNegM "neg" M int(0xf7).digit(3).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockIncM "inc" M int(0xff).digit(0).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockDecM "dec" M int(0xff).digit(1).flag(Code::LOCK), BWLQ, Both, [], FW;
    LockBtsMI "bts" MI int0f(0xba).digit(5).imm(Byte).flag(Code::LOCK), WLQ, Both, [], FW;
    LockBtrMI "btr" MI int0f(0xba).digit(6).imm(Byte).flag(Code::LOCK), WLQ, Both, [], FW;
    LockBtcMI "btc" MI int0f(0xba).digit(7).imm(Byte).flag(Code::LOCK), WLQ, Both, [], FW;
    CmpxchgRR "cmpxchg" StoreRR int0f(0xb1), BWLQ, Both, [M, U], FW.uses(&[RAX]).defs(&[RAX]);
    CmpxchgMR "cmpxchg" MR int0f(0xb1), BWLQ, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    LockCmpxchgMR "cmpxchg" MR int0f(0xb1).flag(Code::LOCK), BWLQ, Both, [U], FW.uses(&[RAX]).defs(&[RAX]);
    XaddRR "xadd" StoreRR int0f(0xc1), BWLQ, Both, [M, M], FW;
    XaddMR "xadd" MR int0f(0xc1), BWLQ, Both, [M], FW;
    LockXaddMR "xadd" MR int0f(0xc1).flag(Code::LOCK), BWLQ, Both, [M], FW;
    Cmpxchg8bM "cmpxchg8b" M x0f(0xc7).digit(1), Q, Both, [], FW.uses(&[RAX, RDX, RBX, RCX]).defs(&[RAX, RDX]);
    Cmpxchg16bM "cmpxchg16b" M x0f(0xc7).digit(1).flag(Code::W), X, Only64, [], FW.uses(&[RAX, RDX, RBX, RCX]).defs(&[RAX, RDX]);
    LockCmpxchg8bM "cmpxchg8b" M x0f(0xc7).digit(1).flag(Code::LOCK), Q, Both, [], FW.uses(&[RAX, RDX, RBX, RCX]).defs(&[RAX, RDX]);
    LockCmpxchg16bM "cmpxchg16b" M x0f(0xc7).digit(1).flag(Code::W | Code::LOCK), X, Only64, [], FW.uses(&[RAX, RDX, RBX, RCX]).defs(&[RAX, RDX]);
    Lfence "lfence" NoneModRm x0f(0xae).digit(0xe8), Q, Both, [], NO;
    Mfence "mfence" NoneModRm x0f(0xae).digit(0xf0), Q, Both, [], NO;
    Sfence "sfence" NoneModRm x0f(0xae).digit(0xf8), Q, Both, [], NO;

    // Blocks of memory, processor state, the rest.
    RepMovsb "rep movsb" None one(0xa4).prefix(0xf3), B, Both, [], NO.uses(&[RCX, RSI, RDI]).defs(&[RCX, RSI, RDI]);
    RepMovsq "rep movsq" None one(0xa5).prefix(0xf3).flag(Code::W), Q, Only64, [], NO.uses(&[RCX, RSI, RDI]).defs(&[RCX, RSI, RDI]);
    RepStosb "rep stosb" None one(0xaa).prefix(0xf3), B, Both, [], NO.uses(&[RAX, RCX, RDI]).defs(&[RCX, RDI]);
    RepStosq "rep stosq" None one(0xab).prefix(0xf3).flag(Code::W), Q, Only64, [], NO.uses(&[RAX, RCX, RDI]).defs(&[RCX, RDI]);
    PrefetchntaM "prefetchnta" M x0f(0x18).digit(0), B, Both, [], NO;
    Prefetcht0M "prefetcht0" M x0f(0x18).digit(1), B, Both, [], NO;
    Prefetcht1M "prefetcht1" M x0f(0x18).digit(2), B, Both, [], NO;
    Prefetcht2M "prefetcht2" M x0f(0x18).digit(3), B, Both, [], NO;
    PrefetchwM "prefetchw" M x0f(0x0d).digit(1), B, Both, [], NO;
    // The segment of the next instruction's memory operand.
    SegFs "fs" None one(0x64), Q, Both, [], NO;
    SegGs "gs" None one(0x65), Q, Both, [], NO;
    SegSs ".byte 0x36" None one(0x36), Q, Both, [], NO;
    Pause "pause" None one(0x90).prefix(0xf3), Q, Both, [], NO;
    Ud2 "ud2" None x0f(0x0b), Q, Both, [], NO;
    Int3 "int3" None one(0xcc), Q, Both, [], NO;
    Nop "nop" Nop one(0x90), Q, Both, [], NO;
    Endbr64 "endbr64" NoneModRm x0f(0x1e).prefix(0xf3).digit(0xfa), Q, Only64, [], NO;
    Rdtsc "rdtsc" None x0f(0x31), Q, Both, [], NO.defs(&[RAX, RDX]);
    Rdtscp "rdtscp" NoneModRm x0f(0x01).digit(0xf9), Q, Both, [], NO.defs(&[RAX, RCX, RDX]);
    Xgetbv "xgetbv" NoneModRm x0f(0x01).digit(0xd0), Q, Both, [], NO.uses(&[RCX]).defs(&[RAX, RDX]);
    RdrandR "rdrand" R int0f(0xc7).digit(6).flag(Code::PLAIN), WLQ, Both, [D], FW;
    RdseedR "rdseed" R int0f(0xc7).digit(7).flag(Code::PLAIN), WLQ, Both, [D], FW;
    ClflushM "clflush" M x0f(0xae).digit(7), B, Both, [], NO;
    Cpuid "cpuid" None x0f(0xa2), Q, Both, [], NO.uses(&[RAX, RCX]).defs(&[RAX, RBX, RCX, RDX]);
    StmxcsrM "stmxcsr" M x0f(0xae).digit(3), L, Both, [], NO;
    LdmxcsrM "ldmxcsr" M x0f(0xae).digit(2), L, Both, [], NO;
    FnstcwM "fnstcw" M one(0xd9).digit(7), W, Both, [], NO;
    FldcwM "fldcw" M one(0xd9).digit(5), W, Both, [], NO;
    // The x87 unit; its registers are nobody's business but that of the rules for `x86_fp80`. AT&T syntax has the names
    // of the two subtractions and of the two divisions the other way round where the stack's top is not the
    // destination.
    FldsM "flds" M one(0xd9).digit(0), L, Both, [], NO;
    FldlM "fldl" M one(0xdd).digit(0), Q, Both, [], NO;
    FldtM "fldt" M one(0xdb).digit(5), X, Both, [], NO;
    FstpsM "fstps" M one(0xd9).digit(3), L, Both, [], NO;
    FstplM "fstpl" M one(0xdd).digit(3), Q, Both, [], NO;
    FstptM "fstpt" M one(0xdb).digit(7), X, Both, [], NO;
    FildlM "fildl" M one(0xdb).digit(0), L, Both, [], NO;
    FildqM "fildll" M one(0xdf).digit(5), Q, Both, [], NO;
    FistplM "fistpl" M one(0xdb).digit(3), L, Both, [], NO;
    FistpqM "fistpll" M one(0xdf).digit(7), Q, Both, [], NO;
    FaddsM "fadds" M one(0xd8).digit(0), L, Both, [], NO;
    FsubsM "fsubs" M one(0xd8).digit(4), L, Both, [], NO;
    Faddp "faddp" NoneModRm one(0xde).digit(0xc1), X, Both, [], NO;
    Fmulp "fmulp" NoneModRm one(0xde).digit(0xc9), X, Both, [], NO;
    Fsubp "fsubrp" NoneModRm one(0xde).digit(0xe9), X, Both, [], NO;
    Fdivp "fdivrp" NoneModRm one(0xde).digit(0xf9), X, Both, [], NO;
    Fsqrt "fsqrt" NoneModRm one(0xd9).digit(0xfa), X, Both, [], NO;
    Fucomip "fucomip" NoneModRm one(0xdf).digit(0xe9), X, Both, [], FW;
    Fcomip "fcomip" NoneModRm one(0xdf).digit(0xf1), X, Both, [], FW;
    Fldz "fldz" NoneModRm one(0xd9).digit(0xee), X, Both, [], NO;
    FstpTop "fstp %st(0)" NoneModRm one(0xdd).digit(0xd8), X, Both, [], NO;

    // Moves of floats and vectors. Size 4 is single, 8 double precision where the row has both.
    MovsRR "movs" LoadRR x0f(0x10).scalar(), LQ, Both, [MX, UX], NO;
    MovsRM "movs" RM x0f(0x10).scalar(), LQ, Both, [DX], NO;
    BitsXM "movs" RM x0f(0x10).scalar(), LQ, Both, [DX], NO;
    MovsMR "movs" MR x0f(0x11).scalar(), LQ, Both, [UX], NO;
    MovapRR "movap" LoadRR x0f(0x28).packed(), LQ, Both, [DX, UX], NO;
    MovapRM "movap" RM x0f(0x28).packed(), LQ, Both, [DX], NO;
    MovapMR "movap" MR x0f(0x29).packed(), LQ, Both, [UX], NO;
    MovupRR "movup" LoadRR x0f(0x10).packed(), LQ, Both, [DX, UX], NO;
    MovupRM "movup" RM x0f(0x10).packed(), LQ, Both, [DX], NO;
    MovupMR "movup" MR x0f(0x11).packed(), LQ, Both, [UX], NO;
    MovdqaRR "movdqa" LoadRR x0f(0x6f).prefix(0x66), X, Both, [DX, UX], NO;
    MovdqaRM "movdqa" RM x0f(0x6f).prefix(0x66), X, Both, [DX], NO;
    MovdqaMR "movdqa" MR x0f(0x7f).prefix(0x66), X, Both, [UX], NO;
    MovdquRR "movdqu" LoadRR x0f(0x6f).prefix(0xf3), X, Both, [DX, UX], NO;
    MovdquRM "movdqu" RM x0f(0x6f).prefix(0xf3), X, Both, [DX], NO;
    MovdquMR "movdqu" MR x0f(0x7f).prefix(0xf3), X, Both, [UX], NO;
    MovdXR "movd" LoadRR int0f(0x6e).prefix(0x66).flag(Code::PLAIN), LQ, Both, [DX, U], NO;
    MovdRX "movd" StoreRR int0f(0x7e).prefix(0x66).flag(Code::PLAIN), LQ, Both, [D, UX], NO;
    MovdXM "movd" RM x0f(0x6e).prefix(0x66), L, Both, [DX], NO;
    MovdMX "movd" MR x0f(0x7e).prefix(0x66), L, Both, [UX], NO;
    MovqXX "movq" LoadRR x0f(0x7e).prefix(0xf3), Q, Both, [DX, UX], NO;
    MovqXM "movq" RM x0f(0x7e).prefix(0xf3), Q, Both, [DX], NO;
    MovqMX "movq" MR x0f(0xd6).prefix(0x66), Q, Both, [UX], NO;
    MovlpRM "movlp" RM x0f(0x12).packed(), LQ, Both, [MX], NO;
    MovhpRM "movhp" RM x0f(0x16).packed(), LQ, Both, [MX], NO;
    MovlpMR "movlp" MR x0f(0x13).packed(), LQ, Both, [UX], NO;
    MovhpMR "movhp" MR x0f(0x17).packed(), LQ, Both, [UX], NO;
    MovhlpsRR "movhlps" LoadRR x0f(0x12), X, Both, [MX, UX], NO;
    MovlhpsRR "movlhps" LoadRR x0f(0x16), X, Both, [MX, UX], NO;
    MovntpMR "movntp" MR x0f(0x2b).packed(), LQ, Both, [UX], NO;
    MovntdqMR "movntdq" MR x0f(0xe7).prefix(0x66), X, Both, [UX], NO;

    // Scalar float arithmetic.
    AddsRR "adds" LoadRR x0f(0x58).scalar(), LQ, Both, [MX, UX], NO;
    AddsRM "adds" RM x0f(0x58).scalar(), LQ, Both, [MX], NO;
    MulsRR "muls" LoadRR x0f(0x59).scalar(), LQ, Both, [MX, UX], NO;
    MulsRM "muls" RM x0f(0x59).scalar(), LQ, Both, [MX], NO;
    SubsRR "subs" LoadRR x0f(0x5c).scalar(), LQ, Both, [MX, UX], NO;
    SubsRM "subs" RM x0f(0x5c).scalar(), LQ, Both, [MX], NO;
    MinsRR "mins" LoadRR x0f(0x5d).scalar(), LQ, Both, [MX, UX], NO;
    MinsRM "mins" RM x0f(0x5d).scalar(), LQ, Both, [MX], NO;
    DivsRR "divs" LoadRR x0f(0x5e).scalar(), LQ, Both, [MX, UX], NO;
    DivsRM "divs" RM x0f(0x5e).scalar(), LQ, Both, [MX], NO;
    MaxsRR "maxs" LoadRR x0f(0x5f).scalar(), LQ, Both, [MX, UX], NO;
    MaxsRM "maxs" RM x0f(0x5f).scalar(), LQ, Both, [MX], NO;
    SqrtsRR "sqrts" LoadRR x0f(0x51).scalar(), LQ, Both, [DX, UX], NO.merges();
    SqrtsRM "sqrts" RM x0f(0x51).scalar(), LQ, Both, [DX], NO.merges();
    UcomisRR "ucomis" LoadRR x0f(0x2e).packed(), LQ, Both, [UX, UX], FW;
    UcomisRM "ucomis" RM x0f(0x2e).packed(), LQ, Both, [UX], FW;
    ComisRR "comis" LoadRR x0f(0x2f).packed(), LQ, Both, [UX, UX], FW;
    ComisRM "comis" RM x0f(0x2f).packed(), LQ, Both, [UX], FW;
    CmpsRRI "cmps" LoadRRI x0f(0xc2).scalar().imm(Byte), LQ, Both, [MX, UX], NO;
    CmpsRMI "cmps" RMI x0f(0xc2).scalar().imm(Byte), LQ, Both, [MX], NO;
    RoundssRRI "roundss" LoadRRI x3a(0x0a).prefix(0x66).imm(Byte), L, Both, [DX, UX], NO.merges();
    RoundssRMI "roundss" RMI x3a(0x0a).prefix(0x66).imm(Byte), L, Both, [DX], NO.merges();
    RoundsdRRI "roundsd" LoadRRI x3a(0x0b).prefix(0x66).imm(Byte), Q, Both, [DX, UX], NO.merges();
    RoundsdRMI "roundsd" RMI x3a(0x0b).prefix(0x66).imm(Byte), Q, Both, [DX], NO.merges();

    // Conversions. The size of conversions from and to integers is the integer's.
    Cvtsi2ssRR "cvtsi2ss" LoadRR int0f(0x2a).prefix(0xf3), LQ, Both, [DX, U], NO.merges();
    Cvtsi2ssRM "cvtsi2ss" RM int0f(0x2a).prefix(0xf3), LQ, Both, [DX], NO.merges();
    Cvtsi2sdRR "cvtsi2sd" LoadRR int0f(0x2a).prefix(0xf2), LQ, Both, [DX, U], NO.merges();
    Cvtsi2sdRM "cvtsi2sd" RM int0f(0x2a).prefix(0xf2), LQ, Both, [DX], NO.merges();
    Cvttss2siRR "cvttss2si" LoadRR int0f(0x2c).prefix(0xf3), LQ, Both, [D, UX], NO;
    Cvttss2siRM "cvttss2si" RM int0f(0x2c).prefix(0xf3), LQ, Both, [D], NO;
    Cvttsd2siRR "cvttsd2si" LoadRR int0f(0x2c).prefix(0xf2), LQ, Both, [D, UX], NO;
    Cvttsd2siRM "cvttsd2si" RM int0f(0x2c).prefix(0xf2), LQ, Both, [D], NO;
    Cvtss2siRR "cvtss2si" LoadRR int0f(0x2d).prefix(0xf3), LQ, Both, [D, UX], NO;
    Cvtss2siRM "cvtss2si" RM int0f(0x2d).prefix(0xf3), LQ, Both, [D], NO;
    Cvtsd2siRR "cvtsd2si" LoadRR int0f(0x2d).prefix(0xf2), LQ, Both, [D, UX], NO;
    Cvtsd2siRM "cvtsd2si" RM int0f(0x2d).prefix(0xf2), LQ, Both, [D], NO;
    Cvtss2sdRR "cvtss2sd" LoadRR x0f(0x5a).prefix(0xf3), L, Both, [DX, UX], NO.merges();
    Cvtss2sdRM "cvtss2sd" RM x0f(0x5a).prefix(0xf3), L, Both, [DX], NO.merges();
    Cvtsd2ssRR "cvtsd2ss" LoadRR x0f(0x5a).prefix(0xf2), Q, Both, [DX, UX], NO.merges();
    Cvtsd2ssRM "cvtsd2ss" RM x0f(0x5a).prefix(0xf2), Q, Both, [DX], NO.merges();

    // Packed operations that scalar code needs.
    ZeroX "xorps" Same x0f(0x57), X, Both, [DX], NO;
    OnesX "pcmpeqd" Same x0f(0x76).prefix(0x66), X, Both, [DX], NO;
    AndpRR "andp" LoadRR x0f(0x54).packed(), LQ, Both, [MX, UX], NO;
    AndpRM "andp" RM x0f(0x54).packed(), LQ, Both, [MX], NO;
    AndnpRR "andnp" LoadRR x0f(0x55).packed(), LQ, Both, [MX, UX], NO;
    AndnpRM "andnp" RM x0f(0x55).packed(), LQ, Both, [MX], NO;
    OrpRR "orp" LoadRR x0f(0x56).packed(), LQ, Both, [MX, UX], NO;
    OrpRM "orp" RM x0f(0x56).packed(), LQ, Both, [MX], NO;
    XorpRR "xorp" LoadRR x0f(0x57).packed(), LQ, Both, [MX, UX], NO;
    XorpRM "xorp" RM x0f(0x57).packed(), LQ, Both, [MX], NO;
    UnpcklpRR "unpcklp" LoadRR x0f(0x14).packed(), LQ, Both, [MX, UX], NO;
    UnpcklpRM "unpcklp" RM x0f(0x14).packed(), LQ, Both, [MX], NO;
    UnpckhpRR "unpckhp" LoadRR x0f(0x15).packed(), LQ, Both, [MX, UX], NO;
    UnpckhpRM "unpckhp" RM x0f(0x15).packed(), LQ, Both, [MX], NO;
    AddpRR "addp" LoadRR x0f(0x58).packed(), LQ, Both, [MX, UX], NO;
    AddpRM "addp" RM x0f(0x58).packed(), LQ, Both, [MX], NO;
    MulpRR "mulp" LoadRR x0f(0x59).packed(), LQ, Both, [MX, UX], NO;
    MulpRM "mulp" RM x0f(0x59).packed(), LQ, Both, [MX], NO;
    SubpRR "subp" LoadRR x0f(0x5c).packed(), LQ, Both, [MX, UX], NO;
    SubpRM "subp" RM x0f(0x5c).packed(), LQ, Both, [MX], NO;
    MinpRR "minp" LoadRR x0f(0x5d).packed(), LQ, Both, [MX, UX], NO;
    MinpRM "minp" RM x0f(0x5d).packed(), LQ, Both, [MX], NO;
    DivpRR "divp" LoadRR x0f(0x5e).packed(), LQ, Both, [MX, UX], NO;
    DivpRM "divp" RM x0f(0x5e).packed(), LQ, Both, [MX], NO;
    MaxpRR "maxp" LoadRR x0f(0x5f).packed(), LQ, Both, [MX, UX], NO;
    MaxpRM "maxp" RM x0f(0x5f).packed(), LQ, Both, [MX], NO;
    PandRR "pand" LoadRR x0f(0xdb).prefix(0x66), X, Both, [MX, UX], NO;
    PandRM "pand" RM x0f(0xdb).prefix(0x66), X, Both, [MX], NO;
    PandnRR "pandn" LoadRR x0f(0xdf).prefix(0x66), X, Both, [MX, UX], NO;
    PandnRM "pandn" RM x0f(0xdf).prefix(0x66), X, Both, [MX], NO;
    PorRR "por" LoadRR x0f(0xeb).prefix(0x66), X, Both, [MX, UX], NO;
    PorRM "por" RM x0f(0xeb).prefix(0x66), X, Both, [MX], NO;
    PxorRR "pxor" LoadRR x0f(0xef).prefix(0x66), X, Both, [MX, UX], NO;
    PxorRM "pxor" RM x0f(0xef).prefix(0x66), X, Both, [MX], NO;
    PunpcklbwRR "punpcklbw" LoadRR x0f(0x60).prefix(0x66), X, Both, [MX, UX], NO;
    PunpcklbwRM "punpcklbw" RM x0f(0x60).prefix(0x66), X, Both, [MX], NO;
    PunpcklwdRR "punpcklwd" LoadRR x0f(0x61).prefix(0x66), X, Both, [MX, UX], NO;
    PunpcklwdRM "punpcklwd" RM x0f(0x61).prefix(0x66), X, Both, [MX], NO;
    PunpckldqRR "punpckldq" LoadRR x0f(0x62).prefix(0x66), X, Both, [MX, UX], NO;
    PunpckldqRM "punpckldq" RM x0f(0x62).prefix(0x66), X, Both, [MX], NO;
    PunpcklqdqRR "punpcklqdq" LoadRR x0f(0x6c).prefix(0x66), X, Both, [MX, UX], NO;
    PunpcklqdqRM "punpcklqdq" RM x0f(0x6c).prefix(0x66), X, Both, [MX], NO;
    PunpckhqdqRR "punpckhqdq" LoadRR x0f(0x6d).prefix(0x66), X, Both, [MX, UX], NO;
    PunpckhqdqRM "punpckhqdq" RM x0f(0x6d).prefix(0x66), X, Both, [MX], NO;
    PadddRR "paddd" LoadRR x0f(0xfe).prefix(0x66), X, Both, [MX, UX], NO;
    PadddRM "paddd" RM x0f(0xfe).prefix(0x66), X, Both, [MX], NO;
    PaddqRR "paddq" LoadRR x0f(0xd4).prefix(0x66), X, Both, [MX, UX], NO;
    PaddqRM "paddq" RM x0f(0xd4).prefix(0x66), X, Both, [MX], NO;
    PsubdRR "psubd" LoadRR x0f(0xfa).prefix(0x66), X, Both, [MX, UX], NO;
    PsubdRM "psubd" RM x0f(0xfa).prefix(0x66), X, Both, [MX], NO;
    PsubqRR "psubq" LoadRR x0f(0xfb).prefix(0x66), X, Both, [MX, UX], NO;
    PsubqRM "psubq" RM x0f(0xfb).prefix(0x66), X, Both, [MX], NO;
    PcmpeqdRR "pcmpeqd" LoadRR x0f(0x76).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpeqdRM "pcmpeqd" RM x0f(0x76).prefix(0x66), X, Both, [MX], NO;
    PsrlqRI "psrlq" RI x0f(0x73).prefix(0x66).digit(2).imm(Byte), X, Both, [MX], NO;
    PsrldqRI "psrldq" RI x0f(0x73).prefix(0x66).digit(3).imm(Byte), X, Both, [MX], NO;
    PsllqRI "psllq" RI x0f(0x73).prefix(0x66).digit(6).imm(Byte), X, Both, [MX], NO;
    PslldqRI "pslldq" RI x0f(0x73).prefix(0x66).digit(7).imm(Byte), X, Both, [MX], NO;
    PsrldRI "psrld" RI x0f(0x72).prefix(0x66).digit(2).imm(Byte), X, Both, [MX], NO;
    PsradRI "psrad" RI x0f(0x72).prefix(0x66).digit(4).imm(Byte), X, Both, [MX], NO;
    PslldRI "pslld" RI x0f(0x72).prefix(0x66).digit(6).imm(Byte), X, Both, [MX], NO;
    PshufdRRI "pshufd" LoadRRI x0f(0x70).prefix(0x66).imm(Byte), X, Both, [DX, UX], NO;
    PshufdRMI "pshufd" RMI x0f(0x70).prefix(0x66).imm(Byte), X, Both, [DX], NO;
    ShufpRRI "shufp" LoadRRI x0f(0xc6).packed().imm(Byte), LQ, Both, [MX, UX], NO;
    ShufpRMI "shufp" RMI x0f(0xc6).packed().imm(Byte), LQ, Both, [MX], NO;
    MovmskpRX "movmskp" LoadRR x0f(0x50).packed(), LQ, Both, [D32, UX], NO;
    PmovmskbRX "pmovmskb" LoadRR x0f(0xd7).prefix(0x66), X, Both, [D32, UX], NO;

    // Packed operations of vectors.
    PaddbRR "paddb" LoadRR x0f(0xfc).prefix(0x66), X, Both, [MX, UX], NO;
    PaddwRR "paddw" LoadRR x0f(0xfd).prefix(0x66), X, Both, [MX, UX], NO;
    PsubbRR "psubb" LoadRR x0f(0xf8).prefix(0x66), X, Both, [MX, UX], NO;
    PsubwRR "psubw" LoadRR x0f(0xf9).prefix(0x66), X, Both, [MX, UX], NO;
    PaddsbRR "paddsb" LoadRR x0f(0xec).prefix(0x66), X, Both, [MX, UX], NO;
    PaddswRR "paddsw" LoadRR x0f(0xed).prefix(0x66), X, Both, [MX, UX], NO;
    PaddusbRR "paddusb" LoadRR x0f(0xdc).prefix(0x66), X, Both, [MX, UX], NO;
    PadduswRR "paddusw" LoadRR x0f(0xdd).prefix(0x66), X, Both, [MX, UX], NO;
    PsubsbRR "psubsb" LoadRR x0f(0xe8).prefix(0x66), X, Both, [MX, UX], NO;
    PsubswRR "psubsw" LoadRR x0f(0xe9).prefix(0x66), X, Both, [MX, UX], NO;
    PsubusbRR "psubusb" LoadRR x0f(0xd8).prefix(0x66), X, Both, [MX, UX], NO;
    PsubuswRR "psubusw" LoadRR x0f(0xd9).prefix(0x66), X, Both, [MX, UX], NO;
    PmullwRR "pmullw" LoadRR x0f(0xd5).prefix(0x66), X, Both, [MX, UX], NO;
    PmulhwRR "pmulhw" LoadRR x0f(0xe5).prefix(0x66), X, Both, [MX, UX], NO;
    PmulhuwRR "pmulhuw" LoadRR x0f(0xe4).prefix(0x66), X, Both, [MX, UX], NO;
    PmuludqRR "pmuludq" LoadRR x0f(0xf4).prefix(0x66), X, Both, [MX, UX], NO;
    PmaddwdRR "pmaddwd" LoadRR x0f(0xf5).prefix(0x66), X, Both, [MX, UX], NO;
    PsadbwRR "psadbw" LoadRR x0f(0xf6).prefix(0x66), X, Both, [MX, UX], NO;
    PavgbRR "pavgb" LoadRR x0f(0xe0).prefix(0x66), X, Both, [MX, UX], NO;
    PavgwRR "pavgw" LoadRR x0f(0xe3).prefix(0x66), X, Both, [MX, UX], NO;
    PminubRR "pminub" LoadRR x0f(0xda).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxubRR "pmaxub" LoadRR x0f(0xde).prefix(0x66), X, Both, [MX, UX], NO;
    PminswRR "pminsw" LoadRR x0f(0xea).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxswRR "pmaxsw" LoadRR x0f(0xee).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpeqbRR "pcmpeqb" LoadRR x0f(0x74).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpeqwRR "pcmpeqw" LoadRR x0f(0x75).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpgtbRR "pcmpgtb" LoadRR x0f(0x64).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpgtwRR "pcmpgtw" LoadRR x0f(0x65).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpgtdRR "pcmpgtd" LoadRR x0f(0x66).prefix(0x66), X, Both, [MX, UX], NO;
    PacksswbRR "packsswb" LoadRR x0f(0x63).prefix(0x66), X, Both, [MX, UX], NO;
    PackssdwRR "packssdw" LoadRR x0f(0x6b).prefix(0x66), X, Both, [MX, UX], NO;
    PackuswbRR "packuswb" LoadRR x0f(0x67).prefix(0x66), X, Both, [MX, UX], NO;
    PunpckhbwRR "punpckhbw" LoadRR x0f(0x68).prefix(0x66), X, Both, [MX, UX], NO;
    PunpckhwdRR "punpckhwd" LoadRR x0f(0x69).prefix(0x66), X, Both, [MX, UX], NO;
    PunpckhdqRR "punpckhdq" LoadRR x0f(0x6a).prefix(0x66), X, Both, [MX, UX], NO;
    PsllwRR "psllw" LoadRR x0f(0xf1).prefix(0x66), X, Both, [MX, UX], NO;
    PslldRR "pslld" LoadRR x0f(0xf2).prefix(0x66), X, Both, [MX, UX], NO;
    PsllqRR "psllq" LoadRR x0f(0xf3).prefix(0x66), X, Both, [MX, UX], NO;
    PsrlwRR "psrlw" LoadRR x0f(0xd1).prefix(0x66), X, Both, [MX, UX], NO;
    PsrldRR "psrld" LoadRR x0f(0xd2).prefix(0x66), X, Both, [MX, UX], NO;
    PsrlqRR "psrlq" LoadRR x0f(0xd3).prefix(0x66), X, Both, [MX, UX], NO;
    PsrawRR "psraw" LoadRR x0f(0xe1).prefix(0x66), X, Both, [MX, UX], NO;
    PsradRR "psrad" LoadRR x0f(0xe2).prefix(0x66), X, Both, [MX, UX], NO;
    PsrlwRI "psrlw" RI x0f(0x71).prefix(0x66).digit(2).imm(Byte), X, Both, [MX], NO;
    PsrawRI "psraw" RI x0f(0x71).prefix(0x66).digit(4).imm(Byte), X, Both, [MX], NO;
    PsllwRI "psllw" RI x0f(0x71).prefix(0x66).digit(6).imm(Byte), X, Both, [MX], NO;
    PshuflwRRI "pshuflw" LoadRRI x0f(0x70).prefix(0xf2).imm(Byte), X, Both, [DX, UX], NO;
    PshufhwRRI "pshufhw" LoadRRI x0f(0x70).prefix(0xf3).imm(Byte), X, Both, [DX, UX], NO;
    PinsrwXRI "pinsrw" LoadRRI x0f(0xc4).prefix(0x66).imm(Byte), X, Both, [MX, U32], NO;
    PinsrwXMI "pinsrw" RMI x0f(0xc4).prefix(0x66).imm(Byte), X, Both, [MX], NO;
    PextrwRXI "pextrw" LoadRRI x0f(0xc5).prefix(0x66).imm(Byte), X, Both, [D32, UX], NO;
    CmppRRI "cmpp" LoadRRI x0f(0xc2).packed().imm(Byte), LQ, Both, [MX, UX], NO;
    SqrtpRR "sqrtp" LoadRR x0f(0x51).packed(), LQ, Both, [DX, UX], NO;
    RsqrtpsRR "rsqrtps" LoadRR x0f(0x52), X, Both, [DX, UX], NO;
    RcppsRR "rcpps" LoadRR x0f(0x53), X, Both, [DX, UX], NO;
    RsqrtssRR "rsqrtss" LoadRR x0f(0x52).prefix(0xf3), L, Both, [MX, UX], NO;
    RcpssRR "rcpss" LoadRR x0f(0x53).prefix(0xf3), L, Both, [MX, UX], NO;
    Cvtdq2psRR "cvtdq2ps" LoadRR x0f(0x5b), X, Both, [DX, UX], NO;
    Cvtps2dqRR "cvtps2dq" LoadRR x0f(0x5b).prefix(0x66), X, Both, [DX, UX], NO;
    Cvttps2dqRR "cvttps2dq" LoadRR x0f(0x5b).prefix(0xf3), X, Both, [DX, UX], NO;
    Cvtdq2pdRR "cvtdq2pd" LoadRR x0f(0xe6).prefix(0xf3), X, Both, [DX, UX], NO;
    Cvtpd2dqRR "cvtpd2dq" LoadRR x0f(0xe6).prefix(0xf2), X, Both, [DX, UX], NO;
    Cvttpd2dqRR "cvttpd2dq" LoadRR x0f(0xe6).prefix(0x66), X, Both, [DX, UX], NO;
    Cvtps2pdRR "cvtps2pd" LoadRR x0f(0x5a), X, Both, [DX, UX], NO;
    Cvtpd2psRR "cvtpd2ps" LoadRR x0f(0x5a).prefix(0x66), X, Both, [DX, UX], NO;

    // SSE3, SSSE3, SSE4.1, SSE4.2, AES, carry-less multiplication.
    HaddpsRR "haddps" LoadRR x0f(0x7c).prefix(0xf2), X, Both, [MX, UX], NO;
    HaddpdRR "haddpd" LoadRR x0f(0x7c).prefix(0x66), X, Both, [MX, UX], NO;
    HsubpsRR "hsubps" LoadRR x0f(0x7d).prefix(0xf2), X, Both, [MX, UX], NO;
    HsubpdRR "hsubpd" LoadRR x0f(0x7d).prefix(0x66), X, Both, [MX, UX], NO;
    AddsubpsRR "addsubps" LoadRR x0f(0xd0).prefix(0xf2), X, Both, [MX, UX], NO;
    AddsubpdRR "addsubpd" LoadRR x0f(0xd0).prefix(0x66), X, Both, [MX, UX], NO;
    LddquRM "lddqu" RM x0f(0xf0).prefix(0xf2), X, Both, [DX], NO;
    PshufbRR "pshufb" LoadRR x38(0x00).prefix(0x66), X, Both, [MX, UX], NO;
    PhaddwRR "phaddw" LoadRR x38(0x01).prefix(0x66), X, Both, [MX, UX], NO;
    PhadddRR "phaddd" LoadRR x38(0x02).prefix(0x66), X, Both, [MX, UX], NO;
    PhaddswRR "phaddsw" LoadRR x38(0x03).prefix(0x66), X, Both, [MX, UX], NO;
    PmaddubswRR "pmaddubsw" LoadRR x38(0x04).prefix(0x66), X, Both, [MX, UX], NO;
    PhsubwRR "phsubw" LoadRR x38(0x05).prefix(0x66), X, Both, [MX, UX], NO;
    PhsubdRR "phsubd" LoadRR x38(0x06).prefix(0x66), X, Both, [MX, UX], NO;
    PhsubswRR "phsubsw" LoadRR x38(0x07).prefix(0x66), X, Both, [MX, UX], NO;
    PsignbRR "psignb" LoadRR x38(0x08).prefix(0x66), X, Both, [MX, UX], NO;
    PsignwRR "psignw" LoadRR x38(0x09).prefix(0x66), X, Both, [MX, UX], NO;
    PsigndRR "psignd" LoadRR x38(0x0a).prefix(0x66), X, Both, [MX, UX], NO;
    PmulhrswRR "pmulhrsw" LoadRR x38(0x0b).prefix(0x66), X, Both, [MX, UX], NO;
    PabsbRR "pabsb" LoadRR x38(0x1c).prefix(0x66), X, Both, [DX, UX], NO;
    PabswRR "pabsw" LoadRR x38(0x1d).prefix(0x66), X, Both, [DX, UX], NO;
    PabsdRR "pabsd" LoadRR x38(0x1e).prefix(0x66), X, Both, [DX, UX], NO;
    PalignrRRI "palignr" LoadRRI x3a(0x0f).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    PblendvbRR "pblendvb" LoadRR x38(0x10).prefix(0x66), X, Both, [MX, UX], NO.uses(&[XMM0]);
    BlendvpsRR "blendvps" LoadRR x38(0x14).prefix(0x66), X, Both, [MX, UX], NO.uses(&[XMM0]);
    BlendvpdRR "blendvpd" LoadRR x38(0x15).prefix(0x66), X, Both, [MX, UX], NO.uses(&[XMM0]);
    PtestRR "ptest" LoadRR x38(0x17).prefix(0x66), X, Both, [UX, UX], FW;
    PmuldqRR "pmuldq" LoadRR x38(0x28).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpeqqRR "pcmpeqq" LoadRR x38(0x29).prefix(0x66), X, Both, [MX, UX], NO;
    PackusdwRR "packusdw" LoadRR x38(0x2b).prefix(0x66), X, Both, [MX, UX], NO;
    PcmpgtqRR "pcmpgtq" LoadRR x38(0x37).prefix(0x66), X, Both, [MX, UX], NO;
    PminsbRR "pminsb" LoadRR x38(0x38).prefix(0x66), X, Both, [MX, UX], NO;
    PminsdRR "pminsd" LoadRR x38(0x39).prefix(0x66), X, Both, [MX, UX], NO;
    PminuwRR "pminuw" LoadRR x38(0x3a).prefix(0x66), X, Both, [MX, UX], NO;
    PminudRR "pminud" LoadRR x38(0x3b).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxsbRR "pmaxsb" LoadRR x38(0x3c).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxsdRR "pmaxsd" LoadRR x38(0x3d).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxuwRR "pmaxuw" LoadRR x38(0x3e).prefix(0x66), X, Both, [MX, UX], NO;
    PmaxudRR "pmaxud" LoadRR x38(0x3f).prefix(0x66), X, Both, [MX, UX], NO;
    PmulldRR "pmulld" LoadRR x38(0x40).prefix(0x66), X, Both, [MX, UX], NO;
    PhminposuwRR "phminposuw" LoadRR x38(0x41).prefix(0x66), X, Both, [DX, UX], NO;
    MovntdqaRM "movntdqa" RM x38(0x2a).prefix(0x66), X, Both, [DX], NO;
    RoundpsRRI "roundps" LoadRRI x3a(0x08).prefix(0x66).imm(Byte), X, Both, [DX, UX], NO;
    RoundpdRRI "roundpd" LoadRRI x3a(0x09).prefix(0x66).imm(Byte), X, Both, [DX, UX], NO;
    InsertpsRRI "insertps" LoadRRI x3a(0x21).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    DppsRRI "dpps" LoadRRI x3a(0x40).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    DppdRRI "dppd" LoadRRI x3a(0x41).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    MpsadbwRRI "mpsadbw" LoadRRI x3a(0x42).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    PclmulqdqRRI "pclmulqdq" LoadRRI x3a(0x44).prefix(0x66).imm(Byte), X, Both, [MX, UX], NO;
    AesimcRR "aesimc" LoadRR x38(0xdb).prefix(0x66), X, Both, [DX, UX], NO;
    AesencRR "aesenc" LoadRR x38(0xdc).prefix(0x66), X, Both, [MX, UX], NO;
    AesenclastRR "aesenclast" LoadRR x38(0xdd).prefix(0x66), X, Both, [MX, UX], NO;
    AesdecRR "aesdec" LoadRR x38(0xde).prefix(0x66), X, Both, [MX, UX], NO;
    AesdeclastRR "aesdeclast" LoadRR x38(0xdf).prefix(0x66), X, Both, [MX, UX], NO;
    AeskeygenassistRRI "aeskeygenassist" LoadRRI x3a(0xdf).prefix(0x66).imm(Byte), X, Both, [DX, UX], NO;
    PcmpestrmRRI "pcmpestrm" LoadRRI x3a(0x60).prefix(0x66).imm(Byte), X, Both, [UX, UX], FW.uses(&[RAX, RDX]).defs(&[XMM0]);
    PcmpestriRRI "pcmpestri" LoadRRI x3a(0x61).prefix(0x66).imm(Byte), X, Both, [UX, UX], FW.uses(&[RAX, RDX]).defs(&[RCX]);
    PcmpistrmRRI "pcmpistrm" LoadRRI x3a(0x62).prefix(0x66).imm(Byte), X, Both, [UX, UX], FW.defs(&[XMM0]);
    PcmpistriRRI "pcmpistri" LoadRRI x3a(0x63).prefix(0x66).imm(Byte), X, Both, [UX, UX], FW.defs(&[RCX]);
    Crc32BRR "crc32b" LoadRR x38(0xf0).prefix(0xf2).flag(Code::BYTE_RM), B, Both, [M32, U8], NO;
    Crc32WRR "crc32w" LoadRR int38(0xf1).prefix(0xf2).flag(Code::PLAIN), W, Both, [M32, U16], NO;
    Crc32RR "crc32" LoadRR int38(0xf1).prefix(0xf2), LQ, Both, [M, U], NO;
}

const fn number(op: Option<Op>) -> Option<u16> {
    match op {
        Some(op) => Some(op as u16),
        None => None,
    }
}

/// Rows that do more than their form says: jump, trap, move the stack pointer, or take part in a sequence that linkers
/// know.
const NOT_PURE: &[Op] = &[
    Op::DivR,
    Op::DivM,
    Op::Div8R,
    Op::Div8M,
    Op::IdivR,
    Op::IdivM,
    Op::Idiv8R,
    Op::Idiv8M,
    Op::PushR,
    Op::PopR,
    Op::JmpR,
    Op::JmpNoTrackR,
    Op::CallR,
    Op::CallNoTrackR,
    Op::LeaTlsGdRM,
];

/// The rows by [`Op`] as shared code sees them.
pub static OP_DESCS: [OpDesc; ROWS.len()] = {
    let mut descs = [ROWS[0].desc(); ROWS.len()];
    let mut index = 0;
    while index < descs.len() {
        descs[index] = ROWS[index].desc();
        index += 1;
    }
    let moves = [Op::MovRR, Op::MovapRR];
    index = 0;
    while index < moves.len() {
        descs[moves[index] as usize].is_move = true;
        index += 1;
    }
    let calls = [Op::CallRef, Op::CallTlsGdRef, Op::CallR, Op::CallNoTrackR, Op::CallM];
    index = 0;
    while index < calls.len() {
        descs[calls[index] as usize].has_sets = true;
        index += 1;
    }
    let repeatable = [
        Op::MovRI,
        Op::MovabsRI,
        Op::LeaRM,
        Op::ZeroX,
        Op::OnesX,
        Op::MovRM,
        Op::MovsRM,
        Op::MovapRM,
    ];
    index = 0;
    while index < repeatable.len() {
        descs[repeatable[index] as usize].is_rematerializable = true;
        index += 1;
    }
    index = 0;
    while index < ONLY_READ.len() {
        descs[ONLY_READ[index] as usize].writes_memory = false;
        index += 1;
    }
    index = 0;
    while index < ONLY_WRITTEN.len() {
        descs[ONLY_WRITTEN[index] as usize].reads_memory = false;
        index += 1;
    }
    index = 0;
    while index < UNTOUCHED.len() {
        descs[UNTOUCHED[index] as usize].reads_memory = false;
        descs[UNTOUCHED[index] as usize].writes_memory = false;
        index += 1;
    }
    let compares = [Op::CmpMR, Op::CmpMI, Op::TestMR, Op::TestMI];
    index = 0;
    while index < compares.len() {
        descs[compares[index] as usize].is_pure = true;
        index += 1;
    }
    let extend = [Op::Cwd, Op::Cdq, Op::Cqo, Op::Cwde, Op::Cdqe];
    index = 0;
    while index < extend.len() {
        descs[extend[index] as usize].is_pure = true;
        index += 1;
    }
    // Scalar arithmetic, comparisons and conversions.
    index = Op::AddsRR as usize;
    while index <= Op::Cvtsd2ssRM as usize {
        descs[index].rounds = true;
        index += 1;
    }
    index = 0;
    while index < NOT_PURE.len() {
        descs[NOT_PURE[index] as usize].is_pure = false;
        index += 1;
    }
    index = 0;
    while index < MEMORY_FORMS.len() {
        let (row, first, second) = MEMORY_FORMS[index];
        descs[row as usize].memory_forms = [number(first), number(second)];
        index += 1;
    }
    descs
};
