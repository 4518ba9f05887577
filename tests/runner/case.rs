//! A case: a file, and what its comments ask for.

use std::path::{Path, PathBuf};

/// A check that a case asks for.
#[derive(Clone, Debug)]
pub struct Test {
    /// The check's name.
    pub check: String,
    /// The words after it.
    pub options: Vec<String>,
}

/// What a run must give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// These results, as written.
    Results(String),
    Poison,
    /// Undefined behavior, with this in its message.
    Undefined(String),
}

/// A run of a function.
#[derive(Clone, Debug)]
pub struct Run {
    /// The line as it stands, without `; run:`.
    pub text: String,
    /// The function's name.
    pub function: String,
    /// The arguments as written, without parentheses.
    pub arguments: String,
    /// What it must give.
    pub expected: Expected,
}

/// An executor that a case cannot be run by.
#[derive(Clone, Debug)]
pub struct Skip {
    /// The executor's name.
    pub executor: String,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub path: PathBuf,
    pub source: String,
    /// Checks to make.
    pub tests: Vec<Test>,
    /// Targets that the case is for; all if empty.
    pub targets: Vec<String>,
    /// Executors to take besides those that take every case.
    pub also: Vec<String>,
    /// Executors to leave out.
    pub skips: Vec<Skip>,
    /// Bitcode to read instead of the text.
    pub inputs: Vec<PathBuf>,
    /// C code to link to the case.
    pub c_code: String,
    pub runs: Vec<Run>,
    /// Expected errors.
    pub errors: Vec<String>,
}

impl Case {
    pub fn read(path: &Path) -> Result<Case, String> {
        let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut case = Case {
            path: path.to_owned(),
            source: String::new(),
            tests: Vec::new(),
            targets: Vec::new(),
            also: Vec::new(),
            skips: Vec::new(),
            inputs: Vec::new(),
            c_code: String::new(),
            runs: Vec::new(),
            errors: Vec::new(),
        };
        for (index, line) in source.lines().enumerate() {
            case.line(line)
                .map_err(|message| format!("line {}: {message}", index + 1))?;
        }
        if case.tests.is_empty() {
            return Err("no line `; test <check>`".to_owned());
        }
        case.source = source;
        Ok(case)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let Some(comment) = line.strip_prefix("; ") else {
            return Ok(());
        };
        let comment = comment.trim_end();
        if let Some(code) = comment.strip_prefix("c:") {
            self.c_code.push_str(code);
            self.c_code.push('\n');
        } else if let Some(run) = comment.strip_prefix("run:") {
            self.runs.push(parse_run(run.trim())?);
        } else if let Some(error) = comment.strip_prefix("error:") {
            self.errors.push(error.trim().to_owned());
        } else if let Some((word, rest)) = comment.split_once(' ') {
            let rest = rest.trim();
            match word {
                "test" => {
                    let mut words = rest.split_whitespace().map(str::to_owned);
                    let check = words.next().ok_or("expected `; test <check>`")?;
                    self.tests.push(Test {
                        check,
                        options: words.collect(),
                    });
                }
                "also" => self.also.push(rest.to_owned()),
                "target" => self.targets.push(rest.to_owned()),
                "input" => self.inputs.extend(inputs(&self.path, rest)?),
                "skip" => {
                    let (executor, reason) = rest.split_once(':').ok_or("expected `; skip <executor>: <reason>`")?;
                    if reason.trim().is_empty() {
                        return Err("a reason is missing after `skip`".to_owned());
                    }
                    self.skips.push(Skip {
                        executor: executor.trim().to_owned(),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The lines `;| ` after the line `; expect <check>`, if there is one.
    pub fn expected_output(&self, check: &str) -> Option<String> {
        let marker = format!("; expect {check}");
        let mut lines = self.source.lines().skip_while(|line| line.trim_end() != marker);
        lines.next()?;
        let block = lines.map_while(|line| line.strip_prefix(";|"));
        Some(
            block
                .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
                .collect(),
        )
    }
}

/// A file, or the bitcode files of a folder in the order of their names.
fn inputs(case: &Path, name: &str) -> Result<Vec<PathBuf>, String> {
    let path = case.parent().unwrap_or(Path::new(".")).join(name);
    if !path.is_dir() {
        return Ok(vec![path]);
    }
    let entries = std::fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no bitcode there", path.display()));
    }
    Ok(files)
}

/// `f(1, 2) == 3`, `f(1) is poison`, `f(1) is undefined: message`.
fn parse_run(text: &str) -> Result<Run, String> {
    let wrong = || "expected `function(arguments) == results`, `is poison` or `is undefined`".to_owned();
    let (function, rest) = text.split_once('(').ok_or_else(wrong)?;
    let close = matching_parenthesis(rest).ok_or_else(wrong)?;
    let (arguments, rest) = (&rest[..close], rest[close + 1..].trim());
    let expected = if let Some(results) = rest.strip_prefix("==") {
        let results = results.trim();
        let inner = results.strip_prefix('(').and_then(|results| results.strip_suffix(')'));
        Expected::Results(inner.unwrap_or(results).to_owned())
    } else if rest == "is poison" {
        Expected::Poison
    } else if let Some(message) = rest.strip_prefix("is undefined") {
        Expected::Undefined(message.trim_start_matches(':').trim().to_owned())
    } else {
        return Err(wrong());
    };
    Ok(Run {
        text: text.to_owned(),
        function: function.trim().to_owned(),
        arguments: arguments.to_owned(),
        expected,
    })
}

/// Where the parenthesis that is open at the start closes.
fn matching_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(index, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(index)
    })
}
