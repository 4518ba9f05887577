//! Which rows are other rows with a register operand in memory.
//!
//! Only pairs that do the same are listed: no rows on whole vector registers, whose memory must be aligned, no bit
//! tests with the number in a register, which address beyond their operand, and no copies of float registers, whose
//! size does not tell what is copied. The allocator ensures that a spill slot is as wide as the operation, by the
//! operation's size. Rows that read more than that size (conversions from a double to 32 bits) are on the list,
//! since their operand always is a double.

use crate::table::Op;

/// Row, the row with its first operand in memory, the row with its second one.
pub(crate) static MEMORY_FORMS: [(Op, Option<Op>, Option<Op>); 86] = [
    (Op::AddRR, Some(Op::AddMR), Some(Op::AddRM)),
    (Op::AddRI, Some(Op::AddMI), None),
    (Op::OrRR, Some(Op::OrMR), Some(Op::OrRM)),
    (Op::OrRI, Some(Op::OrMI), None),
    (Op::AdcRR, Some(Op::AdcMR), Some(Op::AdcRM)),
    (Op::AdcRI, Some(Op::AdcMI), None),
    (Op::SbbRR, Some(Op::SbbMR), Some(Op::SbbRM)),
    (Op::SbbRI, Some(Op::SbbMI), None),
    (Op::AndRR, Some(Op::AndMR), Some(Op::AndRM)),
    (Op::AndRI, Some(Op::AndMI), None),
    (Op::SubRR, Some(Op::SubMR), Some(Op::SubRM)),
    (Op::SubRI, Some(Op::SubMI), None),
    (Op::XorRR, Some(Op::XorMR), Some(Op::XorRM)),
    (Op::XorRI, Some(Op::XorMI), None),
    (Op::CmpRR, Some(Op::CmpMR), Some(Op::CmpRM)),
    (Op::CmpRI, Some(Op::CmpMI), None),
    (Op::TestRR, Some(Op::TestMR), Some(Op::TestMR)),
    (Op::TestRI, Some(Op::TestMI), None),
    (Op::NotR, Some(Op::NotM), None),
    (Op::NegR, Some(Op::NegM), None),
    (Op::IncR, Some(Op::IncM), None),
    (Op::DecR, Some(Op::DecM), None),
    (Op::MulR, Some(Op::MulM), None),
    (Op::Mul8R, Some(Op::Mul8M), None),
    (Op::ImulR, Some(Op::ImulM), None),
    (Op::Imul8R, Some(Op::Imul8M), None),
    (Op::DivR, Some(Op::DivM), None),
    (Op::Div8R, Some(Op::Div8M), None),
    (Op::IdivR, Some(Op::IdivM), None),
    (Op::Idiv8R, Some(Op::Idiv8M), None),
    (Op::CallR, Some(Op::CallM), None),
    (Op::RolRI, Some(Op::RolMI), None),
    (Op::RolRC, Some(Op::RolMC), None),
    (Op::RorRI, Some(Op::RorMI), None),
    (Op::RorRC, Some(Op::RorMC), None),
    (Op::RclRI, Some(Op::RclMI), None),
    (Op::RclRC, Some(Op::RclMC), None),
    (Op::RcrRI, Some(Op::RcrMI), None),
    (Op::RcrRC, Some(Op::RcrMC), None),
    (Op::ShlRI, Some(Op::ShlMI), None),
    (Op::ShlRC, Some(Op::ShlMC), None),
    (Op::ShrRI, Some(Op::ShrMI), None),
    (Op::ShrRC, Some(Op::ShrMC), None),
    (Op::SarRI, Some(Op::SarMI), None),
    (Op::SarRC, Some(Op::SarMC), None),
    (Op::BtRI, Some(Op::BtMI), None),
    (Op::BtsRI, Some(Op::BtsMI), None),
    (Op::BtrRI, Some(Op::BtrMI), None),
    (Op::BtcRI, Some(Op::BtcMI), None),
    (Op::ImulRR, None, Some(Op::ImulRM)),
    (Op::BsfRR, None, Some(Op::BsfRM)),
    (Op::BsrRR, None, Some(Op::BsrRM)),
    (Op::PopcntRR, None, Some(Op::PopcntRM)),
    (Op::TzcntRR, None, Some(Op::TzcntRM)),
    (Op::LzcntRR, None, Some(Op::LzcntRM)),
    (Op::MovzxBRR, None, Some(Op::MovzxBRM)),
    (Op::MovzxWRR, None, Some(Op::MovzxWRM)),
    (Op::MovsxBRR, None, Some(Op::MovsxBRM)),
    (Op::MovsxWRR, None, Some(Op::MovsxWRM)),
    (Op::MovsxdRR, None, Some(Op::MovsxdRM)),
    (Op::CmovRR, None, Some(Op::CmovRM)),
    (Op::AddsRR, None, Some(Op::AddsRM)),
    (Op::MulsRR, None, Some(Op::MulsRM)),
    (Op::SubsRR, None, Some(Op::SubsRM)),
    (Op::MinsRR, None, Some(Op::MinsRM)),
    (Op::DivsRR, None, Some(Op::DivsRM)),
    (Op::MaxsRR, None, Some(Op::MaxsRM)),
    (Op::SqrtsRR, None, Some(Op::SqrtsRM)),
    (Op::UcomisRR, None, Some(Op::UcomisRM)),
    (Op::ComisRR, None, Some(Op::ComisRM)),
    (Op::Cvtsi2ssRR, None, Some(Op::Cvtsi2ssRM)),
    (Op::Cvtsi2sdRR, None, Some(Op::Cvtsi2sdRM)),
    (Op::Cvttss2siRR, None, Some(Op::Cvttss2siRM)),
    (Op::Cvttsd2siRR, None, Some(Op::Cvttsd2siRM)),
    (Op::Cvtss2siRR, None, Some(Op::Cvtss2siRM)),
    (Op::Cvtsd2siRR, None, Some(Op::Cvtsd2siRM)),
    (Op::Cvtss2sdRR, None, Some(Op::Cvtss2sdRM)),
    (Op::Cvtsd2ssRR, None, Some(Op::Cvtsd2ssRM)),
    (Op::ImulRRI, None, Some(Op::ImulRMI)),
    (Op::CmpsRRI, None, Some(Op::CmpsRMI)),
    (Op::RoundssRRI, None, Some(Op::RoundssRMI)),
    (Op::RoundsdRRI, None, Some(Op::RoundsdRMI)),
    (Op::MovRR, Some(Op::MovMR), Some(Op::MovRM)),
    (Op::MovzxLRR, None, Some(Op::MovzxLRM)),
    (Op::MovdXR, None, Some(Op::BitsXM)),
    (Op::MovdRX, None, Some(Op::BitsRM)),
];

#[cfg(test)]
mod tests {
    use super::MEMORY_FORMS;
    use crate::table::{Op, ROWS};

    /// The same effects, and the register operand that stays is treated alike.
    #[test]
    fn forms_do_what_their_rows_do() {
        for (row, first, second) in MEMORY_FORMS {
            let data = &ROWS[row as usize];
            for (form, stays) in [(first, 1), (second, 0)] {
                let Some(form) = form else {
                    continue;
                };
                let other = &ROWS[form as usize];
                assert!(other.code.form.has_mem(), "{row:?}");
                assert_eq!(data.effects.reads_flags, other.effects.reads_flags, "{row:?}");
                assert_eq!(data.effects.writes_flags, other.effects.writes_flags, "{row:?}");
                assert_eq!(data.effects.uses, other.effects.uses, "{row:?}");
                assert_eq!(data.effects.defs, other.effects.defs, "{row:?}");
                assert_eq!(data.operands[stays], other.operands[0], "{row:?}");
                assert_eq!(data.sizes & !other.sizes, 0, "{row:?}");
                let renamed = [Op::MovdXR, Op::MovdRX].contains(&row);
                assert!(renamed || data.mnemonic == other.mnemonic, "{row:?}");
            }
        }
    }
}
