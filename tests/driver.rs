//! Tests of drivers with passes of their own, most of which misbehave: what is said then, and that nothing else
//! suffers.

use frazil::ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil::ir::{AnalysisSet, Editor, EntityRef, Function, Inst, InstData, Opcode};
use frazil::passes::{NoOptions, Observe, Overrides, Registry};
use frazil::{Driver, Emit, Error, InputForm, Options};
use std::sync::Arc;

const TEXT: &str = "\
func @f(i32) -> i32 {
b0:
  v1 = icmp_eq i32 v0, 0
  branch v1, b1, b2
b1:
  return i32 1
b2:
  v2 = add i32 v0, v0
  return v2
}
";

/// A pass that does what a function says.
struct Misbehave(fn(&mut Function) -> Result<Preserved, PassError>);

impl FunctionPass for Misbehave {
    fn run(&self, function: &mut Function, _: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        (self.0)(function)
    }
}

const fn info(name: &'static str) -> PassInfo {
    PassInfo {
        name,
        summary: "misbehaves",
        level: Level::Function,
        required: false,
        after: &[],
        before: &[],
    }
}

/// Makes another operation of the only addition.
fn change(function: &mut Function, op: Opcode) {
    let addition = find(function, Opcode::Add);
    let data = *function.inst(addition);
    let mut editor = Editor::default();
    editor.begin(function);
    editor.replace(function, addition, InstData { op, ..data });
    editor.commit(function);
}

/// Lets both edges of the only branch lead to the same block, so that the second one cannot be reached.
fn cut(function: &mut Function) {
    let branch = find(function, Opcode::Branch);
    let target = function.inst(branch).target().as_u32();
    function.renumber_targets(branch, |_| target);
    function.compute_cfg();
}

fn find(function: &Function, op: Opcode) -> Inst {
    let position = function.insts().iter().position(|data| data.op == op);
    Inst::new(position.expect("there is one"))
}

fn register(registry: &mut Registry) {
    registry.function(info("test.panic"), |NoOptions {}| Misbehave(|_| panic!("on purpose")));
    registry.function(info("test.fail"), |NoOptions {}| {
        Misbehave(|_| Err(PassError::new("found nothing to like")))
    });
    registry.function(info("test.break"), |NoOptions {}| {
        Misbehave(|function| {
            change(function, Opcode::Fadd);
            Ok(Preserved::cfg())
        })
    });
    registry.function(info("test.hide"), |NoOptions {}| {
        Misbehave(|function| {
            change(function, Opcode::Mul);
            Ok(Preserved::unchanged())
        })
    });
    registry.function(info("test.keep"), |NoOptions {}| {
        Misbehave(|function| {
            cut(function);
            Ok(Preserved::with(AnalysisSet::CFG))
        })
    });
    registry.function(info("test.change"), |NoOptions {}| {
        Misbehave(|function| {
            change(function, Opcode::Mul);
            Ok(Preserved::cfg())
        })
    });
}

/// The text after a pass, checked after it.
fn compile(pass: &str, emit: Emit) -> Result<String, Error> {
    let driver = Driver::builtin().with_passes(register);
    let overrides = Overrides {
        passes: Some(vec![pass.to_owned()]),
        ..Overrides::default()
    };
    let recipe = driver.recipes().recipe("Om1", &overrides).expect("the recipe is right");
    let options = Options {
        target: Some("x86_64".to_owned()),
        input_form: InputForm::Text,
        emit,
        recipe: Arc::new(recipe),
        observe: Observe {
            verify_each: true,
            check_preserved: true,
            ..Observe::default()
        },
        ..Options::default()
    };
    let text = driver.compile(TEXT.as_bytes(), &options)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_pass_of_a_driver_runs() {
    let text = compile("test.change", Emit::Ir).expect("the pass is right");
    assert!(text.contains("v2 = mul i32 v0, v0"), "{text}");
}

#[test]
fn a_pass_that_misbehaves_is_named_with_the_function() {
    let start = "function @f: pass test";
    for (pass, message) in [
        ("test.fail", ".fail: found nothing to like"),
        ("test.break", ".break: left an invalid function: "),
        ("test.hide", ".hide: says that it changed nothing, but it did"),
        (
            "test.keep",
            ".keep: says that it preserved `dominators`, but it did not",
        ),
    ] {
        let error = compile(pass, Emit::Obj).expect_err("the pass is wrong").to_string();
        assert!(error.starts_with(&format!("{start}{message}")), "{error}");
    }
    let error = compile("test.panic", Emit::Obj)
        .expect_err("the pass is wrong")
        .to_string();
    let message = "internal error: function @f: pass test.panic panicked; please report this with the input";
    assert_eq!(error, message);
}
