//! The x86 encoder alone: bytes for a mix of instructions as the fast path emits them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use frazil_codegen::{CodeBuffer, MInst, Mem};
use frazil_target_x86::build::{mov_imm, mr, ri, rm, rr, setcc};
use frazil_target_x86::cond::Cond;
use frazil_target_x86::encode::encode;
use frazil_target_x86::regs::{R8, R12, RAX, RBP, RBX, RCX, RDX, RSI, XMM1, XMM9};
use frazil_target_x86::table::Op;
use frazil_test_support::Random;

const INSTRUCTIONS: usize = 4096;

/// A sequence without a pattern that a branch predictor could learn, the same in every run: mostly loads and stores of
/// frame slots, as code without optimization is.
fn instructions() -> Vec<MInst> {
    let mut numbers = Random::new(1);
    let mut random = |limit| numbers.below(limit);
    let regs = [RAX, RCX, RDX, RBX, RSI, R8, R12];
    (0..INSTRUCTIONS)
        .map(|_| {
            let (a, b) = (regs[random(7)], regs[random(7)]);
            let size = [4, 8][random(2)];
            let slot = Mem::base(RBP, random(400) as i32 * -8);
            let indexed = Mem::indexed(b, a, 2, 8);
            match random(20) {
                0..4 => rm(Op::MovRM, size, a, slot),
                4..8 => mr(Op::MovMR, size, slot, a),
                8..10 => rr(Op::MovRR, size, a, b),
                10 => rr(Op::AddRR, size, a, b),
                11 => ri(Op::AddRI, size, a, random(300) as i32),
                12 => rr(Op::CmpRR, size, a, b),
                13 => rm(Op::LeaRM, 8, a, indexed),
                14 => mov_imm(size, a, random(1000) as i64),
                15 => rm(Op::MovsxdRM, 8, a, slot),
                16 => rm(Op::MovsRM, size, [XMM1, XMM9][random(2)], slot),
                17 => rr(Op::TestRR, size, a, a),
                18 => rm(Op::MovzxBRM, 4, a, slot),
                _ => setcc(Cond::E, a),
            }
        })
        .collect()
}

fn bench_encode(criterion: &mut Criterion) {
    let instructions = instructions();
    let mut buffer = CodeBuffer::new(false);
    let mut group = criterion.benchmark_group("x86");
    group.throughput(Throughput::Elements(INSTRUCTIONS as u64));
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            buffer.clear();
            for inst in &instructions {
                encode::<8>(inst, &mut buffer);
            }
            buffer.offset()
        });
    });
    group.finish();
}

criterion_group!(benches, bench_encode);
criterion_main!(benches);
