//! Attribute lists of LLVM up to 3.2.

use crate::Case;
use crate::maker::{Maker, row};
use frazil_frontend_pnacl::codes::{attributes, function as code};

pub const CASES: &[Case] = &[Case {
    name: "attributes as bits of words",
    old: words,
    today: "
; Function Attrs: noreturn nounwind
declare void @g() #0

; Function Attrs: alignstack(16) noredzone nounwind ssp sspstrong uwtable(sync)
define zeroext i8 @f(i8 signext inreg %0, ptr byval(i32) align 8 %1, ptr noalias nest captures(none) %2) #1 {
  call void @g() #2
  ret i8 %0
}

attributes #0 = { noreturn nounwind }
attributes #1 = { alignstack=16 noredzone nounwind ssp sspstrong uwtable(sync) }
attributes #2 = { nounwind }
",
}];

const FUNCTION: u64 = 0xffff_ffff;
/// Where bits stand in words, from bit 21 of LLVM's on.
const UPPER: u32 = 11;

fn words(version: u64) -> Vec<u8> {
    let (no_return, no_unwind) = (1 << 2, 1 << 5);
    let of_result = 1;
    let (signed, in_reg) = (1 << 1, 1 << 3);
    let by_value_aligned = 1 << 7 | 8 << 16;
    let (no_alias, nest, no_capture) = (1 << 6, 1 << 8, 1u64 << (21 + UPPER));
    let stack_align_16 = 5 << (26 + UPPER);
    let of_function = no_unwind | 1 << 14 | 1 << (22 + UPPER) | stack_align_16 | 1 << (30 + UPPER) | 1 << (35 + UPPER);
    let mut made = Maker::new(version);
    made.attributes = vec![
        row(attributes::LIST_OLD, &[FUNCTION, no_return | no_unwind]),
        row(
            attributes::LIST_OLD,
            &[
                0,
                of_result,
                1,
                signed | in_reg,
                2,
                by_value_aligned,
                3,
                no_alias | nest | no_capture,
                FUNCTION,
                of_function,
            ],
        ),
        row(attributes::LIST_OLD, &[FUNCTION, no_unwind]),
        // LLVM passes over what it does not know.
        row(99, &[1, 2, 3]),
    ];
    let (void, i8, i32) = (made.void(), made.integer(8), made.integer(32));
    let (i8_pointer, i32_pointer) = (made.pointer(i8), made.pointer(i32));
    let (_, plain) = made.signature(void, &[]);
    let (_, function) = made.signature(i8, &[i8, i32_pointer, i8_pointer]);
    let callee = made.declaration("g", plain, 1);
    made.function("f", function, 2);
    let mut body = made.body(3, 1);
    body.add(code::CALL, &[3, 0, body.value(callee)]);
    body.add(code::RETURN, &[body.value(2)]);
    made.add(body);
    made.write()
}
