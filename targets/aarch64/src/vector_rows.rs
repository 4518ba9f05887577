//! The rows on vectors.
//!
//! They are handed to the macro that makes the op table, after the rows that it is called with: see [`crate::table`].

macro_rules! vector_rows {
    ($table:ident; $($rows:tt)*) => {
        $table! {
            $($rows)*

            // All of a register, as bytes.
            AndV "and" Form::Rrr, whole(0x0e20_1c00), DQ, 0, [DB, UB, UB], NO;
            BicV "bic" Form::Rrr, whole(0x0e60_1c00), DQ, 0, [DB, UB, UB], NO;
            OrrV "orr" Form::Rrr, whole(0x0ea0_1c00), DQ, 0, [DB, UB, UB], NO;
            OrnV "orn" Form::Rrr, whole(0x0ee0_1c00), DQ, 0, [DB, UB, UB], NO;
            EorV "eor" Form::Rrr, whole(0x2e20_1c00), DQ, 0, [DB, UB, UB], NO;
            BslV "bsl" Form::Rrr, whole(0x2e60_1c00), DQ, 0, [MB, UB, UB], NO;
            BitV "bit" Form::Rrr, whole(0x2ea0_1c00), DQ, 0, [MB, UB, UB], NO;
            BifV "bif" Form::Rrr, whole(0x2ee0_1c00), DQ, 0, [MB, UB, UB], NO;
            NotV "mvn" Form::Rr, whole(0x2e20_5800), DQ, 0, [DB, UB], NO;
            CntV "cnt" Form::Rr, whole(0x0e20_5800), DQ, 0, [DB, UB], NO;

            // Sums over lanes.
            Addv "addv" Form::Rr, lanes(0x0e31_b800), DQ, BHS | FEW, [DL, UV], NO;
            Uaddlv "uaddlv" Form::Rr, lanes(0x2e30_3800), DQ, BHS | FEW, [DLW, UV], NO;

            MoviZero "movi" Form::Vector(VectorForm::Filled(0)), whole(0x2f00_e400), DQ, 0, [DV], AGAIN;
            MoviOnes "movi" Form::Vector(VectorForm::Filled(0xff)), whole(0x2f07_e7e0), DQ, 0, [DV], AGAIN;

            // Immediates: eight bits in each lane, moved left by `disp`.
            Movi "movi" Form::Vector(VectorForm::Modified), immediate(0x0f00_0400), DQ, BHSD, [DV], AGAIN;
            Mvni "mvni" Form::Vector(VectorForm::Modified), immediate(0x2f00_0400), DQ, HS, [DV], AGAIN;
        }
    };
}
pub(crate) use vector_rows;
