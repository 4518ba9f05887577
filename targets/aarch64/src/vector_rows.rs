//! The rows on vectors.
//!
//! They are handed to the macro that makes the op table, after the rows that it is called with: see [`crate::table`].
//! The size is that of the vectors, or of those of narrower lanes where operands differ: of wider lanes, 8 then means
//! the lower half and 16 the upper one, for which `2` comes after the mnemonic.

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
            RbitV "rbit" Form::Rr, whole(0x2e60_5800), DQ, 0, [DB, UB], NO;

            // Integers, lane by lane.
            AddV "add" Form::Rrr, three(0, 0b10000), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SubV "sub" Form::Rrr, three(1, 0b10000), DQ, BHSD | ONE, [DV, UV, UV], NO;
            MulV "mul" Form::Rrr, three(0, 0b10011), DQ, BHS, [DV, UV, UV], NO;
            MlaV "mla" Form::Rrr, three(0, 0b10010), DQ, BHS, [MV, UV, UV], NO;
            MlsV "mls" Form::Rrr, three(1, 0b10010), DQ, BHS, [MV, UV, UV], NO;
            PmulV "pmul" Form::Rrr, three(1, 0b10011), DQ, B1, [DV, UV, UV], NO;
            ShaddV "shadd" Form::Rrr, three(0, 0b00000), DQ, BHS, [DV, UV, UV], NO;
            UhaddV "uhadd" Form::Rrr, three(1, 0b00000), DQ, BHS, [DV, UV, UV], NO;
            SrhaddV "srhadd" Form::Rrr, three(0, 0b00010), DQ, BHS, [DV, UV, UV], NO;
            UrhaddV "urhadd" Form::Rrr, three(1, 0b00010), DQ, BHS, [DV, UV, UV], NO;
            ShsubV "shsub" Form::Rrr, three(0, 0b00100), DQ, BHS, [DV, UV, UV], NO;
            UhsubV "uhsub" Form::Rrr, three(1, 0b00100), DQ, BHS, [DV, UV, UV], NO;
            SqaddV "sqadd" Form::Rrr, three(0, 0b00001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UqaddV "uqadd" Form::Rrr, three(1, 0b00001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SqsubV "sqsub" Form::Rrr, three(0, 0b00101), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UqsubV "uqsub" Form::Rrr, three(1, 0b00101), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmgtV "cmgt" Form::Rrr, three(0, 0b00110), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmhiV "cmhi" Form::Rrr, three(1, 0b00110), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmgeV "cmge" Form::Rrr, three(0, 0b00111), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmhsV "cmhs" Form::Rrr, three(1, 0b00111), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmtstV "cmtst" Form::Rrr, three(0, 0b10001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            CmeqV "cmeq" Form::Rrr, three(1, 0b10001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SshlV "sshl" Form::Rrr, three(0, 0b01000), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UshlV "ushl" Form::Rrr, three(1, 0b01000), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SqshlV "sqshl" Form::Rrr, three(0, 0b01001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UqshlV "uqshl" Form::Rrr, three(1, 0b01001), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SrshlV "srshl" Form::Rrr, three(0, 0b01010), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UrshlV "urshl" Form::Rrr, three(1, 0b01010), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SqrshlV "sqrshl" Form::Rrr, three(0, 0b01011), DQ, BHSD | ONE, [DV, UV, UV], NO;
            UqrshlV "uqrshl" Form::Rrr, three(1, 0b01011), DQ, BHSD | ONE, [DV, UV, UV], NO;
            SmaxV "smax" Form::Rrr, three(0, 0b01100), DQ, BHS, [DV, UV, UV], NO;
            UmaxV "umax" Form::Rrr, three(1, 0b01100), DQ, BHS, [DV, UV, UV], NO;
            SminV "smin" Form::Rrr, three(0, 0b01101), DQ, BHS, [DV, UV, UV], NO;
            UminV "umin" Form::Rrr, three(1, 0b01101), DQ, BHS, [DV, UV, UV], NO;
            SabdV "sabd" Form::Rrr, three(0, 0b01110), DQ, BHS, [DV, UV, UV], NO;
            UabdV "uabd" Form::Rrr, three(1, 0b01110), DQ, BHS, [DV, UV, UV], NO;
            SabaV "saba" Form::Rrr, three(0, 0b01111), DQ, BHS, [MV, UV, UV], NO;
            UabaV "uaba" Form::Rrr, three(1, 0b01111), DQ, BHS, [MV, UV, UV], NO;
            SmaxpV "smaxp" Form::Rrr, three(0, 0b10100), DQ, BHS, [DV, UV, UV], NO;
            UmaxpV "umaxp" Form::Rrr, three(1, 0b10100), DQ, BHS, [DV, UV, UV], NO;
            SminpV "sminp" Form::Rrr, three(0, 0b10101), DQ, BHS, [DV, UV, UV], NO;
            UminpV "uminp" Form::Rrr, three(1, 0b10101), DQ, BHS, [DV, UV, UV], NO;
            SqdmulhV "sqdmulh" Form::Rrr, three(0, 0b10110), DQ, HS, [DV, UV, UV], NO;
            SqrdmulhV "sqrdmulh" Form::Rrr, three(1, 0b10110), DQ, HS, [DV, UV, UV], NO;
            // With FEAT_RDM.
            SqrdmlahV "sqrdmlah" Form::Rrr, lanes(0x2e00_8400), DQ, HS, [MV, UV, UV], NO;
            SqrdmlshV "sqrdmlsh" Form::Rrr, lanes(0x2e00_8c00), DQ, HS, [MV, UV, UV], NO;
            AddpV "addp" Form::Rrr, three(0, 0b10111), DQ, BHSD, [DV, UV, UV], NO;
            Rev64V "rev64" Form::Rr, two(0, 0b00000), DQ, BHS, [DV, UV], NO;
            Rev32V "rev32" Form::Rr, two(1, 0b00000), DQ, B1 | H2, [DV, UV], NO;
            Rev16V "rev16" Form::Rr, two(0, 0b00001), DQ, B1, [DV, UV], NO;
            ClsV "cls" Form::Rr, two(0, 0b00100), DQ, BHS, [DV, UV], NO;
            ClzV "clz" Form::Rr, two(1, 0b00100), DQ, BHS, [DV, UV], NO;
            AbsV "abs" Form::Rr, two(0, 0b01011), DQ, BHSD | ONE, [DV, UV], NO;
            NegV "neg" Form::Rr, two(1, 0b01011), DQ, BHSD | ONE, [DV, UV], NO;
            SqabsV "sqabs" Form::Rr, two(0, 0b00111), DQ, BHSD | ONE, [DV, UV], NO;
            SqnegV "sqneg" Form::Rr, two(1, 0b00111), DQ, BHSD | ONE, [DV, UV], NO;
            SuqaddV "suqadd" Form::Rr, two(0, 0b00011), DQ, BHSD | ONE, [MV, UV], NO;
            UsqaddV "usqadd" Form::Rr, two(1, 0b00011), DQ, BHSD | ONE, [MV, UV], NO;
            CmgtZV "cmgt" Form::Vector(VectorForm::Zero), two(0, 0b01000), DQ, BHSD | ONE, [DV, UV], NO;
            CmgeZV "cmge" Form::Vector(VectorForm::Zero), two(1, 0b01000), DQ, BHSD | ONE, [DV, UV], NO;
            CmeqZV "cmeq" Form::Vector(VectorForm::Zero), two(0, 0b01001), DQ, BHSD | ONE, [DV, UV], NO;
            CmleZV "cmle" Form::Vector(VectorForm::Zero), two(1, 0b01001), DQ, BHSD | ONE, [DV, UV], NO;
            CmltZV "cmlt" Form::Vector(VectorForm::Zero), two(0, 0b01010), DQ, BHSD | ONE, [DV, UV], NO;
            UrecpeV "urecpe" Form::Rr, two(0, 0b11100), DQ, S4, [DV, UV], NO;
            UrsqrteV "ursqrte" Form::Rr, two(1, 0b11100), DQ, S4, [DV, UV], NO;

            // Shifts by immediates.
            ShlV "shl" Form::Vector(VectorForm::ShiftLeft), shift(0, 0b01010), DQ, BHSD | ONE, [DV, UV], NO;
            SliV "sli" Form::Vector(VectorForm::ShiftLeft), shift(1, 0b01010), DQ, BHSD | ONE, [MV, UV], NO;
            SqshlIV "sqshl" Form::Vector(VectorForm::ShiftLeft), shift(0, 0b01110), DQ, BHSD | ONE, [DV, UV], NO;
            UqshlIV "uqshl" Form::Vector(VectorForm::ShiftLeft), shift(1, 0b01110), DQ, BHSD | ONE, [DV, UV], NO;
            SqshluV "sqshlu" Form::Vector(VectorForm::ShiftLeft), shift(1, 0b01100), DQ, BHSD | ONE, [DV, UV], NO;
            SshrV "sshr" Form::Vector(VectorForm::ShiftRight), shift(0, 0b00000), DQ, BHSD | ONE, [DV, UV], NO;
            UshrV "ushr" Form::Vector(VectorForm::ShiftRight), shift(1, 0b00000), DQ, BHSD | ONE, [DV, UV], NO;
            SsraV "ssra" Form::Vector(VectorForm::ShiftRight), shift(0, 0b00010), DQ, BHSD | ONE, [MV, UV], NO;
            UsraV "usra" Form::Vector(VectorForm::ShiftRight), shift(1, 0b00010), DQ, BHSD | ONE, [MV, UV], NO;
            SrshrV "srshr" Form::Vector(VectorForm::ShiftRight), shift(0, 0b00100), DQ, BHSD | ONE, [DV, UV], NO;
            UrshrV "urshr" Form::Vector(VectorForm::ShiftRight), shift(1, 0b00100), DQ, BHSD | ONE, [DV, UV], NO;
            SrsraV "srsra" Form::Vector(VectorForm::ShiftRight), shift(0, 0b00110), DQ, BHSD | ONE, [MV, UV], NO;
            UrsraV "ursra" Form::Vector(VectorForm::ShiftRight), shift(1, 0b00110), DQ, BHSD | ONE, [MV, UV], NO;
            SriV "sri" Form::Vector(VectorForm::ShiftRight), shift(1, 0b01000), DQ, BHSD | ONE, [MV, UV], NO;

            // To lanes twice as wide.
            SshllV "sshll" Form::Vector(VectorForm::ShiftLeft), shift(0, 0b10100), DQ, BHS, [DW, UV], NO;
            UshllV "ushll" Form::Vector(VectorForm::ShiftLeft), shift(1, 0b10100), DQ, BHS, [DW, UV], NO;
            ShllV "shll" Form::Vector(VectorForm::ShiftAll), two(1, 0b10011), DQ, BHS, [DW, UV], NO;
            SaddlV "saddl" Form::Rrr, different(0, 0b0000), DQ, BHS, [DW, UV, UV], NO;
            UaddlV "uaddl" Form::Rrr, different(1, 0b0000), DQ, BHS, [DW, UV, UV], NO;
            SaddwV "saddw" Form::Rrr, different(0, 0b0001), DQ, BHS, [DW, UW, UV], NO;
            UaddwV "uaddw" Form::Rrr, different(1, 0b0001), DQ, BHS, [DW, UW, UV], NO;
            SsublV "ssubl" Form::Rrr, different(0, 0b0010), DQ, BHS, [DW, UV, UV], NO;
            UsublV "usubl" Form::Rrr, different(1, 0b0010), DQ, BHS, [DW, UV, UV], NO;
            SsubwV "ssubw" Form::Rrr, different(0, 0b0011), DQ, BHS, [DW, UW, UV], NO;
            UsubwV "usubw" Form::Rrr, different(1, 0b0011), DQ, BHS, [DW, UW, UV], NO;
            SabalV "sabal" Form::Rrr, different(0, 0b0101), DQ, BHS, [MW, UV, UV], NO;
            UabalV "uabal" Form::Rrr, different(1, 0b0101), DQ, BHS, [MW, UV, UV], NO;
            SabdlV "sabdl" Form::Rrr, different(0, 0b0111), DQ, BHS, [DW, UV, UV], NO;
            UabdlV "uabdl" Form::Rrr, different(1, 0b0111), DQ, BHS, [DW, UV, UV], NO;
            SmlalV "smlal" Form::Rrr, different(0, 0b1000), DQ, BHS, [MW, UV, UV], NO;
            UmlalV "umlal" Form::Rrr, different(1, 0b1000), DQ, BHS, [MW, UV, UV], NO;
            SmlslV "smlsl" Form::Rrr, different(0, 0b1010), DQ, BHS, [MW, UV, UV], NO;
            UmlslV "umlsl" Form::Rrr, different(1, 0b1010), DQ, BHS, [MW, UV, UV], NO;
            SmullV "smull" Form::Rrr, different(0, 0b1100), DQ, BHS, [DW, UV, UV], NO;
            UmullV "umull" Form::Rrr, different(1, 0b1100), DQ, BHS, [DW, UV, UV], NO;
            SqdmullV "sqdmull" Form::Rrr, different(0, 0b1101), DQ, HS, [DW, UV, UV], NO;
            SqdmlalV "sqdmlal" Form::Rrr, different(0, 0b1001), DQ, HS, [MW, UV, UV], NO;
            SqdmlslV "sqdmlsl" Form::Rrr, different(0, 0b1011), DQ, HS, [MW, UV, UV], NO;
            PmullV "pmull" Form::Rrr, different(0, 0b1110), DQ, B1, [DW, UV, UV], NO;
            SaddlpV "saddlp" Form::Rr, two(0, 0b00010), DQ, BHS, [DP, UV], NO;
            UaddlpV "uaddlp" Form::Rr, two(1, 0b00010), DQ, BHS, [DP, UV], NO;
            SadalpV "sadalp" Form::Rr, two(0, 0b00110), DQ, BHS, [MP, UV], NO;
            UadalpV "uadalp" Form::Rr, two(1, 0b00110), DQ, BHS, [MP, UV], NO;

            // To lanes half as wide: into the lower half, or into the upper one, beside what is in the lower one.
            XtnV "xtn" Form::Rr, two(0, 0b10010), D8, BHS, [DV, UW], NO;
            Xtn2V "xtn" Form::Rr, two(0, 0b10010), Q16, BHS, [MV, UW], NO;
            SqxtnV "sqxtn" Form::Rr, two(0, 0b10100), D8, BHS, [DV, UW], NO;
            Sqxtn2V "sqxtn" Form::Rr, two(0, 0b10100), Q16, BHS, [MV, UW], NO;
            UqxtnV "uqxtn" Form::Rr, two(1, 0b10100), D8, BHS, [DV, UW], NO;
            Uqxtn2V "uqxtn" Form::Rr, two(1, 0b10100), Q16, BHS, [MV, UW], NO;
            SqxtunV "sqxtun" Form::Rr, two(1, 0b10010), D8, BHS, [DV, UW], NO;
            Sqxtun2V "sqxtun" Form::Rr, two(1, 0b10010), Q16, BHS, [MV, UW], NO;
            ShrnV "shrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10000), D8, BHS, [DV, UW], NO;
            Shrn2V "shrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10000), Q16, BHS, [MV, UW], NO;
            RshrnV "rshrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10001), D8, BHS, [DV, UW], NO;
            Rshrn2V "rshrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10001), Q16, BHS, [MV, UW], NO;
            SqshrnV "sqshrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10010), D8, BHS, [DV, UW], NO;
            Sqshrn2V "sqshrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10010), Q16, BHS, [MV, UW], NO;
            UqshrnV "uqshrn" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10010), D8, BHS, [DV, UW], NO;
            Uqshrn2V "uqshrn" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10010), Q16, BHS, [MV, UW], NO;
            SqshrunV "sqshrun" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10000), D8, BHS, [DV, UW], NO;
            Sqshrun2V "sqshrun" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10000), Q16, BHS, [MV, UW], NO;
            SqrshrnV "sqrshrn" Form::Vector(VectorForm::ShiftRight), shift(0, 0b10011), D8, BHS, [DV, UW], NO;
            UqrshrnV "uqrshrn" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10011), D8, BHS, [DV, UW], NO;
            SqrshrunV "sqrshrun" Form::Vector(VectorForm::ShiftRight), shift(1, 0b10001), D8, BHS, [DV, UW], NO;
            AddhnV "addhn" Form::Rrr, different(0, 0b0100), D8, BHS, [DV, UW, UW], NO;
            Addhn2V "addhn" Form::Rrr, different(0, 0b0100), Q16, BHS, [MV, UW, UW], NO;
            RaddhnV "raddhn" Form::Rrr, different(1, 0b0100), D8, BHS, [DV, UW, UW], NO;
            Raddhn2V "raddhn" Form::Rrr, different(1, 0b0100), Q16, BHS, [MV, UW, UW], NO;
            SubhnV "subhn" Form::Rrr, different(0, 0b0110), D8, BHS, [DV, UW, UW], NO;
            Subhn2V "subhn" Form::Rrr, different(0, 0b0110), Q16, BHS, [MV, UW, UW], NO;
            RsubhnV "rsubhn" Form::Rrr, different(1, 0b0110), D8, BHS, [DV, UW, UW], NO;
            Rsubhn2V "rsubhn" Form::Rrr, different(1, 0b0110), Q16, BHS, [MV, UW, UW], NO;

            // Over all lanes.
            Addv "addv" Form::Rr, across(0, 0b11011), DQ, BHS | FEW, [DL, UV], NO;
            Saddlv "saddlv" Form::Rr, across(0, 0b00011), DQ, BHS | FEW, [DLW, UV], NO;
            Uaddlv "uaddlv" Form::Rr, across(1, 0b00011), DQ, BHS | FEW, [DLW, UV], NO;
            Smaxv "smaxv" Form::Rr, across(0, 0b01010), DQ, BHS | FEW, [DL, UV], NO;
            Umaxv "umaxv" Form::Rr, across(1, 0b01010), DQ, BHS | FEW, [DL, UV], NO;
            Sminv "sminv" Form::Rr, across(0, 0b11010), DQ, BHS | FEW, [DL, UV], NO;
            Uminv "uminv" Form::Rr, across(1, 0b11010), DQ, BHS | FEW, [DL, UV], NO;
            AddpD "addp" Form::Rr, fixed(0x5ef1_b800), Q16, D8 | TWO, [DL, UV], NO;
            Fmaxnmv "fmaxnmv" Form::Rr, float_across(0, 0b01100), DQ, HS | FEW, [DL, UV], RND;
            Fminnmv "fminnmv" Form::Rr, float_across(1, 0b01100), DQ, HS | FEW, [DL, UV], RND;
            Fmaxv "fmaxv" Form::Rr, float_across(0, 0b01111), DQ, HS | FEW, [DL, UV], RND;
            Fminv "fminv" Form::Rr, float_across(1, 0b01111), DQ, HS | FEW, [DL, UV], RND;
            FaddpS "faddp" Form::Rr, float_pairwise(0, 0b01101), SDQ, FLOATS | TWO, [DL, UV], RND;
            FmaxnmpS "fmaxnmp" Form::Rr, float_pairwise(0, 0b01100), SDQ, FLOATS | TWO, [DL, UV], RND;
            FminnmpS "fminnmp" Form::Rr, float_pairwise(1, 0b01100), SDQ, FLOATS | TWO, [DL, UV], RND;
            FmaxpS "fmaxp" Form::Rr, float_pairwise(0, 0b01111), SDQ, FLOATS | TWO, [DL, UV], RND;
            FminpS "fminp" Form::Rr, float_pairwise(1, 0b01111), SDQ, FLOATS | TWO, [DL, UV], RND;

            // Lanes at other places.
            Uzp1 "uzp1" Form::Rrr, permute(0b001), DQ, BHSD, [DV, UV, UV], NO;
            Uzp2 "uzp2" Form::Rrr, permute(0b101), DQ, BHSD, [DV, UV, UV], NO;
            Trn1 "trn1" Form::Rrr, permute(0b010), DQ, BHSD, [DV, UV, UV], NO;
            Trn2 "trn2" Form::Rrr, permute(0b110), DQ, BHSD, [DV, UV, UV], NO;
            Zip1 "zip1" Form::Rrr, permute(0b011), DQ, BHSD, [DV, UV, UV], NO;
            Zip2 "zip2" Form::Rrr, permute(0b111), DQ, BHSD, [DV, UV, UV], NO;
            ExtV "ext" Form::Vector(VectorForm::Extract), whole(0x2e00_0000), DQ, 0, [DB, UB, UB], NO;
            Tbl "tbl" Form::Rrr, whole(0x0e00_0000), DQ, 0, [DB, UT, UB], NO;
            Tbx "tbx" Form::Rrr, whole(0x0e00_1000), DQ, 0, [MB, UT, UB], NO;
            DupLane "dup" Form::Vector(VectorForm::FromLane), whole(0x0e00_0400), DQ, BHSD, [DV, UE], NO;
            DupGeneral "dup" Form::Vector(VectorForm::FromGeneral), whole(0x0e00_0c00), DQ, BHSD, [DV, UG], NO;
            // A lane as a scalar.
            LaneScalar "mov" Form::Vector(VectorForm::FromLane), fixed(0x5e00_0400), Q16, BHSD, [DL, UE], NO;
            InsLane "mov" Form::Vector(VectorForm::Lanes), fixed(0x6e00_0400), Q16, BHSD, [ME, UE], NO;
            InsGeneral "mov" Form::Vector(VectorForm::ToLane), fixed(0x4e00_1c00), Q16, BHSD, [ME, UG], NO;
            Umov "umov" Form::Vector(VectorForm::FromLane), general(0x0e00_3c00), WX, BHSD | FIT, [D, UE], NO;
            Smov "smov" Form::Vector(VectorForm::FromLaneSigned), general(0x0e00_2c00), WX, BHS | FIT, [D, UE], NO;

            // Immediates.
            MoviZero "movi" Form::Vector(VectorForm::Filled(0)), whole(0x2f00_e400), DQ, 0, [DV], AGAIN;
            MoviOnes "movi" Form::Vector(VectorForm::Filled(0xff)), whole(0x2f07_e7e0), DQ, 0, [DV], AGAIN;
            Movi "movi" Form::Vector(VectorForm::Modified), whole(0x0f00_0400), DQ, BHSD | ONE, [DV], AGAIN;
            Mvni "mvni" Form::Vector(VectorForm::Modified), whole(0x2f00_0400), DQ, HS, [DV], AGAIN;
            OrrIV "orr" Form::Vector(VectorForm::Modified), whole(0x0f00_1400), DQ, HS, [MV], NO;
            BicIV "bic" Form::Vector(VectorForm::Modified), whole(0x2f00_1400), DQ, HS, [MV], NO;
            MoviOnesIn "movi" Form::Vector(VectorForm::ModifiedOnes), whole(0x0f00_c400), DQ, S4, [DV], AGAIN;
            MvniOnesIn "mvni" Form::Vector(VectorForm::ModifiedOnes), whole(0x2f00_c400), DQ, S4, [DV], AGAIN;
            FmovIV "fmov" Form::Vector(VectorForm::Float), whole(0x0f00_f400), DQ, FLOATS, [DV], AGAIN;

            // Floats, lane by lane.
            FaddV "fadd" Form::Rrr, float_three(0, 0, 0b11010), DQ, FLOATS, [DV, UV, UV], RND;
            FsubV "fsub" Form::Rrr, float_three(0, 1, 0b11010), DQ, FLOATS, [DV, UV, UV], RND;
            FmulV "fmul" Form::Rrr, float_three(1, 0, 0b11011), DQ, FLOATS, [DV, UV, UV], RND;
            FmulxV "fmulx" Form::Rrr, float_three(0, 0, 0b11011), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FdivV "fdiv" Form::Rrr, float_three(1, 0, 0b11111), DQ, FLOATS, [DV, UV, UV], RND;
            FmlaV "fmla" Form::Rrr, float_three(0, 0, 0b11001), DQ, FLOATS, [MV, UV, UV], RND;
            FmlsV "fmls" Form::Rrr, float_three(0, 1, 0b11001), DQ, FLOATS, [MV, UV, UV], RND;
            FmaxV "fmax" Form::Rrr, float_three(0, 0, 0b11110), DQ, FLOATS, [DV, UV, UV], RND;
            FminV "fmin" Form::Rrr, float_three(0, 1, 0b11110), DQ, FLOATS, [DV, UV, UV], RND;
            FmaxnmV "fmaxnm" Form::Rrr, float_three(0, 0, 0b11000), DQ, FLOATS, [DV, UV, UV], RND;
            FminnmV "fminnm" Form::Rrr, float_three(0, 1, 0b11000), DQ, FLOATS, [DV, UV, UV], RND;
            FabdV "fabd" Form::Rrr, float_three(1, 1, 0b11010), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FaddpV "faddp" Form::Rrr, float_three(1, 0, 0b11010), DQ, FLOATS, [DV, UV, UV], RND;
            FmaxpV "fmaxp" Form::Rrr, float_three(1, 0, 0b11110), DQ, FLOATS, [DV, UV, UV], RND;
            FminpV "fminp" Form::Rrr, float_three(1, 1, 0b11110), DQ, FLOATS, [DV, UV, UV], RND;
            FmaxnmpV "fmaxnmp" Form::Rrr, float_three(1, 0, 0b11000), DQ, FLOATS, [DV, UV, UV], RND;
            FminnmpV "fminnmp" Form::Rrr, float_three(1, 1, 0b11000), DQ, FLOATS, [DV, UV, UV], RND;
            FcmeqV "fcmeq" Form::Rrr, float_three(0, 0, 0b11100), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FcmgeV "fcmge" Form::Rrr, float_three(1, 0, 0b11100), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FcmgtV "fcmgt" Form::Rrr, float_three(1, 1, 0b11100), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FacgeV "facge" Form::Rrr, float_three(1, 0, 0b11101), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FacgtV "facgt" Form::Rrr, float_three(1, 1, 0b11101), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FrecpsV "frecps" Form::Rrr, float_three(0, 0, 0b11111), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FrsqrtsV "frsqrts" Form::Rrr, float_three(0, 1, 0b11111), HSD | Q16, FLOATS | ONE, [DV, UV, UV], RND;
            FabsV "fabs" Form::Rr, float_two(0, 1, 0b01111), DQ, FLOATS, [DV, UV], NO;
            FnegV "fneg" Form::Rr, float_two(1, 1, 0b01111), DQ, FLOATS, [DV, UV], NO;
            FsqrtV "fsqrt" Form::Rr, float_two(1, 1, 0b11111), DQ, FLOATS, [DV, UV], RND;
            FrecpeV "frecpe" Form::Rr, float_two(0, 1, 0b11101), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FrsqrteV "frsqrte" Form::Rr, float_two(1, 1, 0b11101), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FrintnV "frintn" Form::Rr, float_two(0, 0, 0b11000), DQ, FLOATS, [DV, UV], RND;
            FrintmV "frintm" Form::Rr, float_two(0, 0, 0b11001), DQ, FLOATS, [DV, UV], RND;
            FrintpV "frintp" Form::Rr, float_two(0, 1, 0b11000), DQ, FLOATS, [DV, UV], RND;
            FrintzV "frintz" Form::Rr, float_two(0, 1, 0b11001), DQ, FLOATS, [DV, UV], RND;
            FrintaV "frinta" Form::Rr, float_two(1, 0, 0b11000), DQ, FLOATS, [DV, UV], RND;
            FrintxV "frintx" Form::Rr, float_two(1, 0, 0b11001), DQ, FLOATS, [DV, UV], RND;
            FrintiV "frinti" Form::Rr, float_two(1, 1, 0b11001), DQ, FLOATS, [DV, UV], RND;
            FcvtnsV "fcvtns" Form::Rr, float_two(0, 0, 0b11010), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtnuV "fcvtnu" Form::Rr, float_two(1, 0, 0b11010), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtmsV "fcvtms" Form::Rr, float_two(0, 0, 0b11011), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtmuV "fcvtmu" Form::Rr, float_two(1, 0, 0b11011), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtasV "fcvtas" Form::Rr, float_two(0, 0, 0b11100), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtauV "fcvtau" Form::Rr, float_two(1, 0, 0b11100), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtpsV "fcvtps" Form::Rr, float_two(0, 1, 0b11010), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtpuV "fcvtpu" Form::Rr, float_two(1, 1, 0b11010), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtzsV "fcvtzs" Form::Rr, float_two(0, 1, 0b11011), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            FcvtzuV "fcvtzu" Form::Rr, float_two(1, 1, 0b11011), HSD | Q16, FLOATS | ONE, [DV, UV], RND;
            ScvtfV "scvtf" Form::Rr, float_two(0, 0, 0b11101), DQ, FLOATS, [DV, UV], RND;
            UcvtfV "ucvtf" Form::Rr, float_two(1, 0, 0b11101), DQ, FLOATS, [DV, UV], RND;
            FcmgtZV "fcmgt" Form::Vector(VectorForm::FloatZero), float_two(0, 1, 0b01100), DQ, FLOATS, [DV, UV], RND;
            FcmgeZV "fcmge" Form::Vector(VectorForm::FloatZero), float_two(1, 1, 0b01100), DQ, FLOATS, [DV, UV], RND;
            FcmeqZV "fcmeq" Form::Vector(VectorForm::FloatZero), float_two(0, 1, 0b01101), DQ, FLOATS, [DV, UV], RND;
            FcmleZV "fcmle" Form::Vector(VectorForm::FloatZero), float_two(1, 1, 0b01101), DQ, FLOATS, [DV, UV], RND;
            FcmltZV "fcmlt" Form::Vector(VectorForm::FloatZero), float_two(0, 1, 0b01110), DQ, FLOATS, [DV, UV], RND;
            FcvtlV "fcvtl" Form::Rr, float_half(0x0e21_7800), DQ, HS, [DW, UV], RND;
            FcvtnV "fcvtn" Form::Rr, float_half(0x0e21_6800), D8, HS, [DV, UW], RND;
            Fcvtn2V "fcvtn" Form::Rr, float_half(0x0e21_6800), Q16, HS, [MV, UW], RND;
            FcvtxnS "fcvtxn" Form::Rr, fixed(0x7e61_6800), S4, 0, [DFS, UFD], RND;
            FcvtxnV "fcvtxn" Form::Rr, float_half(0x2e21_6800), D8, S4, [DV, UW], RND;
            Fcvtxn2V "fcvtxn" Form::Rr, float_half(0x2e21_6800), Q16, S4, [MV, UW], RND;
            Frecpx "frecpx" Form::Rr, float(0x5ea1_f800), S4 | D8, 0, [DF, UF], RND;
            FrecpxH "frecpx" Form::Rr, fixed(0x5ef9_f800), H2, 0, [DFH, UFH], RND;
            // Numbers with so many bits after the point.
            ScvtfFixedV "scvtf" Form::Vector(VectorForm::ShiftRight), shift(0, 0b11100), HSD | Q16, HSD | ONE, [DV, UV], RND;
            UcvtfFixedV "ucvtf" Form::Vector(VectorForm::ShiftRight), shift(1, 0b11100), HSD | Q16, HSD | ONE, [DV, UV], RND;
            FcvtzsFixedV "fcvtzs" Form::Vector(VectorForm::ShiftRight), shift(0, 0b11111), HSD | Q16, HSD | ONE, [DV, UV], RND;
            FcvtzuFixedV "fcvtzu" Form::Vector(VectorForm::ShiftRight), shift(1, 0b11111), HSD | Q16, HSD | ONE, [DV, UV], RND;
            // Rounded to what an integer of 32 or 64 bits can be, with FEAT_FRINTTS.
            Frint32zV "frint32z" Form::Rr, float_two(0, 0, 0b11110), DQ, S4 | D8, [DV, UV], RND;
            Frint32xV "frint32x" Form::Rr, float_two(1, 0, 0b11110), DQ, S4 | D8, [DV, UV], RND;
            Frint64zV "frint64z" Form::Rr, float_two(0, 0, 0b11111), DQ, S4 | D8, [DV, UV], RND;
            Frint64xV "frint64x" Form::Rr, float_two(1, 0, 0b11111), DQ, S4 | D8, [DV, UV], RND;
            // Turned by quarters, with FEAT_FCMA.
            FcaddV "fcadd" Form::Vector(VectorForm::Complex), quarters(0x2e00_e400), DQ, FLOATS, [DV, UV, UV], RND;
            FcmlaV "fcmla" Form::Vector(VectorForm::Complex), quarters(0x2e00_c400), DQ, FLOATS, [MV, UV, UV], RND;

            // With one lane of the last register. Of halves, only half of the registers could be named.
            MulByLane "mul" Form::Vector(VectorForm::ByLane), by_lane(0, 0b1000), DQ, S4, [DV, UV, UE], NO;
            MlaByLane "mla" Form::Vector(VectorForm::ByLane), by_lane(1, 0b0000), DQ, S4, [MV, UV, UE], NO;
            MlsByLane "mls" Form::Vector(VectorForm::ByLane), by_lane(1, 0b0100), DQ, S4, [MV, UV, UE], NO;
            SmullByLane "smull" Form::Vector(VectorForm::ByLane), by_lane(0, 0b1010), DQ, S4, [DW, UV, UE], NO;
            UmullByLane "umull" Form::Vector(VectorForm::ByLane), by_lane(1, 0b1010), DQ, S4, [DW, UV, UE], NO;
            SmlalByLane "smlal" Form::Vector(VectorForm::ByLane), by_lane(0, 0b0010), DQ, S4, [MW, UV, UE], NO;
            UmlalByLane "umlal" Form::Vector(VectorForm::ByLane), by_lane(1, 0b0010), DQ, S4, [MW, UV, UE], NO;
            FmulByLane "fmul" Form::Vector(VectorForm::ByLane), by_lane(0, 0b1001), DQ, S4 | D8, [DV, UV, UE], RND;
            FmlaByLane "fmla" Form::Vector(VectorForm::ByLane), by_lane(0, 0b0001), DQ, S4 | D8, [MV, UV, UE], RND;
            FmlsByLane "fmls" Form::Vector(VectorForm::ByLane), by_lane(0, 0b0101), DQ, S4 | D8, [MV, UV, UE], RND;

            // Memory, with a base alone.
            Ld1Lane "ld1" Form::Vector(VectorForm::LoadLane), fixed(0x0d40_0000), Q16, BHSD, [ME, U64], NO;
            St1Lane "st1" Form::Vector(VectorForm::StoreLane), fixed(0x0d00_0000), Q16, BHSD, [UE, U64], NO;
            Ld1r "ld1r" Form::Vector(VectorForm::LoadAll), all(0x0d40_c000), DQ, BHSD | ONE, [DV, U64], NO;

            // Lists of registers, which are the first of `LIST`: structures of two to four members, or whole vectors.
            Ld2 "ld2" Form::Vector(VectorForm::LoadList(2)), list(0x0c40_8000), DQ, BHSD, [], list_written(2);
            Ld3 "ld3" Form::Vector(VectorForm::LoadList(3)), list(0x0c40_4000), DQ, BHSD, [], list_written(3);
            Ld4 "ld4" Form::Vector(VectorForm::LoadList(4)), list(0x0c40_0000), DQ, BHSD, [], list_written(4);
            Ld1x2 "ld1" Form::Vector(VectorForm::LoadList(2)), list(0x0c40_a000), DQ, BHSD | ONE, [], list_written(2);
            Ld1x3 "ld1" Form::Vector(VectorForm::LoadList(3)), list(0x0c40_6000), DQ, BHSD | ONE, [], list_written(3);
            Ld1x4 "ld1" Form::Vector(VectorForm::LoadList(4)), list(0x0c40_2000), DQ, BHSD | ONE, [], list_written(4);
            St2 "st2" Form::Vector(VectorForm::StoreList(2)), list(0x0c00_8000), DQ, BHSD, [], list_read(2);
            St3 "st3" Form::Vector(VectorForm::StoreList(3)), list(0x0c00_4000), DQ, BHSD, [], list_read(3);
            St4 "st4" Form::Vector(VectorForm::StoreList(4)), list(0x0c00_0000), DQ, BHSD, [], list_read(4);
            St1x2 "st1" Form::Vector(VectorForm::StoreList(2)), list(0x0c00_a000), DQ, BHSD | ONE, [], list_read(2);
            St1x3 "st1" Form::Vector(VectorForm::StoreList(3)), list(0x0c00_6000), DQ, BHSD | ONE, [], list_read(3);
            St1x4 "st1" Form::Vector(VectorForm::StoreList(4)), list(0x0c00_2000), DQ, BHSD | ONE, [], list_read(4);
            // One structure, whose members are all lanes of their registers.
            Ld2r "ld2r" Form::Vector(VectorForm::LoadList(2)), list(0x0d60_c000), DQ, BHSD | ONE, [], list_written(2);
            Ld3r "ld3r" Form::Vector(VectorForm::LoadList(3)), list(0x0d40_e000), DQ, BHSD | ONE, [], list_written(3);
            Ld4r "ld4r" Form::Vector(VectorForm::LoadList(4)), list(0x0d60_e000), DQ, BHSD | ONE, [], list_written(4);
            // One structure, whose members are one lane of their registers.
            Ld2Lane "ld2" Form::Vector(VectorForm::LoadListLane(2)), listed(0x0d60_0000), Q16, BHSD, [], list_modified(2);
            Ld3Lane "ld3" Form::Vector(VectorForm::LoadListLane(3)), listed(0x0d40_2000), Q16, BHSD, [], list_modified(3);
            Ld4Lane "ld4" Form::Vector(VectorForm::LoadListLane(4)), listed(0x0d60_2000), Q16, BHSD, [], list_modified(4);
            St2Lane "st2" Form::Vector(VectorForm::StoreListLane(2)), listed(0x0d20_0000), Q16, BHSD, [], list_read(2);
            St3Lane "st3" Form::Vector(VectorForm::StoreListLane(3)), listed(0x0d00_2000), Q16, BHSD, [], list_read(3);
            St4Lane "st4" Form::Vector(VectorForm::StoreListLane(4)), listed(0x0d20_2000), Q16, BHSD, [], list_read(4);
            // Tables of several registers.
            Tbl2 "tbl" Form::Vector(VectorForm::TableList(2)), table(0x0e00_2000), DQ, 0, [DB, UB], list_read(2);
            Tbl3 "tbl" Form::Vector(VectorForm::TableList(3)), table(0x0e00_4000), DQ, 0, [DB, UB], list_read(3);
            Tbl4 "tbl" Form::Vector(VectorForm::TableList(4)), table(0x0e00_6000), DQ, 0, [DB, UB], list_read(4);
            Tbx2 "tbx" Form::Vector(VectorForm::TableList(2)), table(0x0e00_3000), DQ, 0, [MB, UB], list_read(2);
            Tbx3 "tbx" Form::Vector(VectorForm::TableList(3)), table(0x0e00_5000), DQ, 0, [MB, UB], list_read(3);
            Tbx4 "tbx" Form::Vector(VectorForm::TableList(4)), table(0x0e00_7000), DQ, 0, [MB, UB], list_read(4);

            // With FEAT_DotProd, FEAT_I8MM, FEAT_BF16 and FEAT_FHM.
            Sdot "sdot" Form::Rrr, whole(0x0e80_9400), DQ, S4, [MV, UB, UB], NO;
            Udot "udot" Form::Rrr, whole(0x2e80_9400), DQ, S4, [MV, UB, UB], NO;
            Usdot "usdot" Form::Rrr, whole(0x0e80_9c00), DQ, S4, [MV, UB, UB], NO;
            Smmla "smmla" Form::Rrr, whole(0x0e80_a400), Q16, S4, [MV, UB, UB], NO;
            Ummla "ummla" Form::Rrr, whole(0x2e80_a400), Q16, S4, [MV, UB, UB], NO;
            Usmmla "usmmla" Form::Rrr, whole(0x0e80_ac00), Q16, S4, [MV, UB, UB], NO;
            Bfdot "bfdot" Form::Rrr, whole(0x2e40_fc00), DQ, S4, [MV, UH, UH], RND;
            Bfmmla "bfmmla" Form::Rrr, whole(0x2e40_ec00), Q16, S4, [MV, UH, UH], RND;
            Bfmlalb "bfmlalb" Form::Rrr, fixed(0x2ec0_fc00), Q16, S4, [MV, UH, UH], RND;
            Bfmlalt "bfmlalt" Form::Rrr, fixed(0x6ec0_fc00), Q16, S4, [MV, UH, UH], RND;
            Fmlal "fmlal" Form::Rrr, whole(0x0e20_ec00), DQ, S4, [MV, ULH, ULH], RND;
            Fmlal2 "fmlal2" Form::Rrr, whole(0x2e20_cc00), DQ, S4, [MV, ULH, ULH], RND;
            Fmlsl "fmlsl" Form::Rrr, whole(0x0ea0_ec00), DQ, S4, [MV, ULH, ULH], RND;
            Fmlsl2 "fmlsl2" Form::Rrr, whole(0x2ea0_cc00), DQ, S4, [MV, ULH, ULH], RND;
            Bfcvtn "bfcvtn" Form::Rr, fixed(0x0ea1_6800), D8, H2, [DV, UW], RND;
            Bfcvtn2 "bfcvtn" Form::Rr, fixed(0x4ea1_6800), Q16, H2, [MV, UW], RND;

            // With FEAT_AES, FEAT_SHA1, FEAT_SHA256, FEAT_SHA3, FEAT_SHA512, FEAT_SM3 and FEAT_SM4.
            Aese "aese" Form::Rr, fixed(0x4e28_4800), Q16, 0, [MB, UB], NO;
            Aesd "aesd" Form::Rr, fixed(0x4e28_5800), Q16, 0, [MB, UB], NO;
            Aesmc "aesmc" Form::Rr, fixed(0x4e28_6800), Q16, 0, [DB, UB], NO;
            Aesimc "aesimc" Form::Rr, fixed(0x4e28_7800), Q16, 0, [DB, UB], NO;
            Pmull64 "pmull" Form::Rrr, fixed(0x0ee0_e000), D8, D8 | ONE, [DW, UV, UV], NO;
            Pmull64High "pmull" Form::Rrr, fixed(0x4ee0_e000), Q16, D8, [DW, UV, UV], NO;
            Eor3 "eor3" Form::Vector(VectorForm::Three), fixed(0xce00_0000), Q16, 0, [MB, UB, UB], NO;
            Bcax "bcax" Form::Vector(VectorForm::Three), fixed(0xce20_0000), Q16, 0, [MB, UB, UB], NO;
            Rax1 "rax1" Form::Rrr, fixed(0xce60_8c00), Q16, D8, [DV, UV, UV], NO;
            Xar "xar" Form::Vector(VectorForm::Turned), fixed(0xce80_0000), Q16, D8, [DV, UV, UV], NO;
            Sha512h "sha512h" Form::Rrr, fixed(0xce60_8000), Q16, D8, [MQ, UQ, UV], NO;
            Sha512h2 "sha512h2" Form::Rrr, fixed(0xce60_8400), Q16, D8, [MQ, UQ, UV], NO;
            Sha512su0 "sha512su0" Form::Rr, fixed(0xcec0_8000), Q16, D8, [MV, UV], NO;
            Sha512su1 "sha512su1" Form::Rrr, fixed(0xce60_8800), Q16, D8, [MV, UV, UV], NO;
            Sm3partw1 "sm3partw1" Form::Rrr, fixed(0xce60_c000), Q16, S4, [MV, UV, UV], NO;
            Sm3partw2 "sm3partw2" Form::Rrr, fixed(0xce60_c400), Q16, S4, [MV, UV, UV], NO;
            Sm3ss1 "sm3ss1" Form::Vector(VectorForm::Three), fixed(0xce40_0000), Q16, S4, [MV, UV, UV], NO;
            Sm3tt1a "sm3tt1a" Form::Vector(VectorForm::ByWord), fixed(0xce40_8000), Q16, S4, [MV, UV, UE], NO;
            Sm3tt1b "sm3tt1b" Form::Vector(VectorForm::ByWord), fixed(0xce40_8400), Q16, S4, [MV, UV, UE], NO;
            Sm3tt2a "sm3tt2a" Form::Vector(VectorForm::ByWord), fixed(0xce40_8800), Q16, S4, [MV, UV, UE], NO;
            Sm3tt2b "sm3tt2b" Form::Vector(VectorForm::ByWord), fixed(0xce40_8c00), Q16, S4, [MV, UV, UE], NO;
            Sm4e "sm4e" Form::Rr, fixed(0xcec0_8400), Q16, S4, [MV, UV], NO;
            Sm4ekey "sm4ekey" Form::Rrr, fixed(0xce60_c800), Q16, S4, [DV, UV, UV], NO;
            Sha256h "sha256h" Form::Rrr, fixed(0x5e00_4000), Q16, S4, [MQ, UQ, UV], NO;
            Sha256h2 "sha256h2" Form::Rrr, fixed(0x5e00_5000), Q16, S4, [MQ, UQ, UV], NO;
            Sha256su0 "sha256su0" Form::Rr, fixed(0x5e28_2800), Q16, S4, [MV, UV], NO;
            Sha256su1 "sha256su1" Form::Rrr, fixed(0x5e00_6000), Q16, S4, [MV, UV, UV], NO;
            Sha1c "sha1c" Form::Rrr, fixed(0x5e00_0000), Q16, S4, [MQ, UFS, UV], NO;
            Sha1p "sha1p" Form::Rrr, fixed(0x5e00_1000), Q16, S4, [MQ, UFS, UV], NO;
            Sha1m "sha1m" Form::Rrr, fixed(0x5e00_2000), Q16, S4, [MQ, UFS, UV], NO;
            Sha1h "sha1h" Form::Rr, fixed(0x5e28_0800), S4, 0, [DFS, UFS], NO;
            Sha1su0 "sha1su0" Form::Rrr, fixed(0x5e00_3000), Q16, S4, [MV, UV, UV], NO;
            Sha1su1 "sha1su1" Form::Rr, fixed(0x5e28_1800), Q16, S4, [MV, UV], NO;
        }
    };
}
pub(crate) use vector_rows;
