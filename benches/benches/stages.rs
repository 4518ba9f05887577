//! Times of each stage and of the whole: `cargo bench --package frazil-benches`.
//!
//! Throughput is in instructions of the intermediate representation. `cargo xtask bench` measures the command.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use frazil_benches as stages;
use frazil_codegen::FastState;
use frazil_frontend_pnacl::{BitcodeModule, ReadOptions};

/// Committed modules, so that figures of two versions are about the same input.
const MODULES: [(&str, &[u8]); 2] = [
    ("mixed-O0", include_bytes!("../../tests/modules/mixed-O0.bc")),
    ("mixed-O2", include_bytes!("../../tests/modules/mixed-O2.bc")),
];

fn all_stages(criterion: &mut Criterion) {
    let target = stages::target();
    for (name, bitcode) in MODULES {
        let module = BitcodeModule::open(bitcode, &ReadOptions::new(&frazil::platform_of)).expect("the module is good");
        let bodies = stages::bodies(&module);
        let module = module.module();
        let code = stages::compiled(&*target, module, &bodies);
        let mut state = FastState::default();

        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(stages::read(bitcode) as u64));
        group.bench_function("read", |bencher| bencher.iter(|| stages::read(black_box(bitcode))));
        group.bench_function("compile", |bencher| {
            bencher.iter(|| stages::compile(&*target, module, black_box(&bodies), &mut state));
        });
        group.bench_function("write", |bencher| {
            bencher.iter(|| stages::write(&*target, module, black_box(&code)));
        });
        group.bench_function("whole", |bencher| {
            let options = frazil::Options::default();
            bencher.iter(|| {
                frazil::compile(black_box(bitcode), &options)
                    .expect("the module compiles")
                    .len()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, all_stages);
criterion_main!(benches);
