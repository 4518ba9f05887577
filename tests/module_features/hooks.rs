//! Calls that functions make where they begin and return, as attributes ask for.

use super::{each_way, here};
use frazil_test_support::{Folder, run};
use std::path::Path;
use std::process::Command;

#[test]
fn functions_call_what_is_to_know_of_them() {
    let folder = Folder::new("module-features-hooks-main");
    let program = folder.path("program");
    let output = |object: &Path, place: &str| {
        let mut link = Command::new("c++");
        link.arg(place).arg("-O1").arg(here("hooks-main.cpp"));
        run(link.arg(object).arg("-o").arg(&program));
        String::from_utf8(run(&mut Command::new(&program))).expect("text")
    };
    for (model, place) in [("static", "-no-pie"), ("pic", "-pie")] {
        let mut expected = None;
        each_way("hooks.ll", &["-relocation-model", model], |way, reference, object| {
            let expected = expected.get_or_insert_with(|| output(reference, place));
            assert!(
                expected.starts_with("mcount 54\nbare _mcount nothing\ninto both from here out of both from here 77\n"),
                "{expected}"
            );
            assert_eq!(&output(object, place), expected, "{model}, {way}");
        });
    }
}
