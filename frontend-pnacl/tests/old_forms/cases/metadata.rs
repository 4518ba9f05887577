//! Metadata of LLVM up to 3.5: nodes of types and values, and kinds in a block of their own.

use crate::Case;
use crate::maker::{Maker, Part, row, text};
use frazil_frontend_pnacl::codes::{block, constants, function as code, metadata, types};

pub const CASES: &[Case] = &[
    Case {
        name: "module flags and the producer's name",
        old: flags,
        today: r#"
!llvm.module.flags = !{!0}
!llvm.ident = !{!1}

!0 = !{i32 1, !"PIC Level", i32 2}
!1 = !{!"old clang"}
"#,
    },
    Case {
        name: "accesses that are marked by another kind",
        old: marks,
        today: "
define i32 @f(ptr %0) {
  %2 = load i32, ptr %0, align 4, !nontemporal !0
  ret i32 %2
}

!0 = !{i32 1}
",
    },
    Case {
        name: "values of a function in metadata, and debug information of another version",
        old: values,
        today: "
define i32 @f(i32 %0) {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  ret i32 %0
}
",
    },
];

/// A node of pairs of a type and a number.
fn node(operands: &[u64]) -> Part {
    row(metadata::NODE_OLD, operands)
}

fn flags(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let meta = made.add_type(types::METADATA, &[]);
    made.constants(&[(i32, constants::INTEGER, &[2]), (i32, constants::INTEGER, &[4])]);
    made.middle.push(Part::Block(
        block::METADATA,
        vec![
            text(metadata::STRING_OLD, &[], "PIC Level"),
            node(&[i32, 0, meta, 0, i32, 1]),
            text(metadata::STRING_OLD, &[], "old clang"),
            node(&[meta, 2]),
            text(metadata::NAME, &[], "llvm.module.flags"),
            row(metadata::NAMED_NODE, &[1]),
            text(metadata::NAME, &[], "llvm.ident"),
            row(metadata::NAMED_NODE, &[3]),
        ],
    ));
    made.middle.push(Part::Block(
        block::METADATA,
        vec![text(metadata::KIND, &[0], "dbg"), text(metadata::KIND, &[1], "tbaa")],
    ));
    made.write()
}

fn marks(version: u64) -> Vec<u8> {
    const ATTACHMENT: u64 = 11;
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let (_, function) = made.signature(i32, &[pointer]);
    made.function("f", function, 0);
    made.constants(&[(i32, constants::INTEGER, &[2])]);
    made.middle.push(Part::Block(block::METADATA, vec![node(&[i32, 1])]));
    made.middle.push(Part::Block(
        block::METADATA,
        vec![text(metadata::KIND, &[5], "nontemporal")],
    ));
    let mut body = made.body(1, 1);
    let loaded = body.define(code::LOAD, &[body.value(2), 3, 0]);
    body.add(code::RETURN, &[body.value(loaded)]);
    let attachment = vec![row(ATTACHMENT, &[0, 5, 0])];
    body.parts.push(Part::Block(block::METADATA_ATTACHMENTS, attachment));
    made.add(body);
    made.write()
}

fn values(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (void, i32) = (made.void(), made.integer(32));
    let pointer = made.pointer(i32);
    let meta = made.add_type(types::METADATA, &[]);
    let (_, declare) = made.signature(void, &[meta, meta]);
    let (_, function) = made.signature(i32, &[i32]);
    let declare = made.declaration("llvm.dbg.declare", declare, 0);
    made.function("f", function, 0);
    made.constants(&[(i32, constants::INTEGER, &[2])]);
    // A variable that says nothing, of a version that LLVM knows no more.
    made.middle.push(Part::Block(
        block::METADATA,
        vec![
            node(&[i32, 2]),
            text(metadata::NAME, &[], "llvm.dbg.cu"),
            row(metadata::NAMED_NODE, &[0]),
        ],
    ));
    let mut body = made.body(1, 1);
    let object = body.next;
    let local = vec![row(metadata::LOCAL_OLD, &[pointer, object])];
    body.parts.push(Part::Block(block::METADATA, local));
    body.define(code::ALLOCA, &[pointer, i32, 2, 3]);
    body.add(code::CALL, &[0, 0, body.value(declare), body.value(1), body.value(0)]);
    body.add(code::STORE_OLD, &[body.value(object), body.value(3), 3, 0]);
    body.add(code::RETURN, &[body.value(3)]);
    made.add(body);
    made.write()
}
