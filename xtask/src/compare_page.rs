//! The page of `frazil compare`, looked at in a headless browser.
//!
//! SQLite is compared once, as JSON and as a page. The page must be short enough to load at once, hold the same data as
//! the JSON, and show them: the browser opens copies of the page to which a few lines of script are added that click,
//! type and read as a user would, and what they read is compared with the JSON here. `--screenshot FILE` keeps a
//! picture, the one in the documentation.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use pico_args::Arguments;
use serde_json::Value;

use crate::{corpus, process, workspace};

/// Names of browsers that draw pages without a screen.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// The module that is compared.
const MODULE: &str = "sqlite-O2";
/// A part of names that some of its functions have.
const FILTER: &str = "sqlite3b";
/// The most bytes of a page.
const MAX_PAGE_BYTES: usize = 3_000_000;
/// The most time that a page takes until it shows everything but assemblies, which are opened one by one.
const MAX_LOAD_MS: f64 = 2000.0;
/// How often the page is loaded to find out.
const LOADS: usize = 3;
/// How many functions of each level are opened, besides the first.
const OPENED: usize = 5;

/// Runs `cargo xtask compare-page [--screenshot FILE]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let screenshot: Option<PathBuf> = arguments.opt_value_from_str("--screenshot")?;
    let frazil = workspace::frazil(&mut arguments)?;
    let rest = arguments.finish();
    ensure!(rest.is_empty(), "unexpected argument `{}`", rest[0].to_string_lossy());
    let browser = browser()?;
    let folder = workspace::target_dir().join("compare-page");
    fs::create_dir_all(&folder)?;
    let (page, report) = compare(&frazil, &folder)?;
    let look = Look {
        browser: &browser,
        page: &page,
        folder: &folder,
    };
    ensure!(page.len() <= MAX_PAGE_BYTES, "the page has {} bytes", page.len());
    holds_the_report(&page, &report)?;
    println!("the page holds the data of the report, in {} bytes", page.len());
    // The shortest of a few: what else the machine does only ever adds.
    let mut time_ms = look.loading()?;
    for _ in 1..LOADS {
        time_ms = time_ms.min(look.loading()?);
    }
    ensure!(time_ms < MAX_LOAD_MS, "the page takes {time_ms:.0} ms to load");
    println!("it is loaded after {time_ms:.0} ms");
    look.totals(&report)?;
    println!("totals are shown as they are");
    look.order(&report)?;
    println!("a click on a column sorts by it");
    look.filter(&report)?;
    println!("the filter leaves the functions that have the word in their name");
    look.assembly(&report)?;
    println!("a click on a function shows both assemblies, those of the report");
    if let Some(path) = screenshot {
        look.screenshot(&path, &report)?;
        println!("screenshot: {}", path.display());
    }
    Ok(true)
}

fn browser() -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = BROWSERS
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    let found = places.find(|place| place.is_file());
    found.context("no browser was found; on Debian: apt-get install chromium")
}

/// Makes page and report in one run.
fn compare(frazil: &Path, folder: &Path) -> Result<(String, Value)> {
    let modules = corpus::modules(MODULE)?;
    let module = modules.first().context("the module is not in the corpus")?;
    let corpus = module.bitcode()?.parent().context("a folder")?;
    let path = folder.join("page.html");
    let mut compare = Command::new(frazil);
    compare
        .arg("compare")
        .arg(format!("{MODULE}.bc"))
        .args([
            "--levels",
            "0,2",
            "--repeat",
            "1",
            "--json",
            "--llc",
            workspace::LLC,
            "--html",
        ])
        .arg(&path)
        .current_dir(corpus);
    let outcome = process::checked(&mut compare)?;
    let report = serde_json::from_slice(&outcome.stdout).context("the report is no JSON")?;
    Ok((fs::read_to_string(&path)?, report))
}

/// All but assemblies, which are packed.
fn holds_the_report(page: &str, report: &Value) -> Result<()> {
    let mut expected = report.clone();
    let levels = expected["levels"].as_array_mut().into_iter().flatten();
    for row in levels.flat_map(|level| level["functions"].as_array_mut().into_iter().flatten()) {
        row.as_object_mut().context("a row")?.remove("blocks");
    }
    let start = "<script type=\"application/json\" id=\"data\">";
    let data = page
        .split_once(start)
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let (data, _) = data.context("the page has no data")?;
    let data: Value = serde_json::from_str(data).context("the page's data are no JSON")?;
    ensure!(data == expected, "the page's data are not those of the report");
    Ok(())
}

/// The page in a browser.
struct Look<'a> {
    browser: &'a Path,
    page: &'a str,
    folder: &'a Path,
}

impl Look<'_> {
    /// Runs a script on the page, whose value is given back.
    fn evaluate(&self, script: &str) -> Result<Value> {
        let path = self.folder.join("look.html");
        let added = format!(
            "<script>(async () => {{ const seen = await (async () => {{ {script} }})();\
             document.body.replaceChildren(Object.assign(document.createElement('pre'), \
             {{ id: 'seen', textContent: JSON.stringify(seen) }})); }})();</script></body>"
        );
        fs::write(&path, self.page.replace("</body>", &added))?;
        let outcome = process::checked(self.browse().arg("--dump-dom").arg(address(&path)?))?;
        let dom = String::from_utf8_lossy(&outcome.stdout);
        let seen = dom
            .split_once("<pre id=\"seen\">")
            .and_then(|(_, rest)| rest.split_once("</pre>"));
        let (seen, _) = seen.context("the script did not come to its end")?;
        let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        serde_json::from_str(&seen).context("what was seen is no JSON")
    }

    fn browse(&self) -> Command {
        let mut browser = Command::new(self.browser);
        // Tests run as root in containers, where the browser's own sandbox does not work.
        browser.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--virtual-time-budget=5000",
        ]);
        browser.arg(format!("--user-data-dir={}", self.folder.join("profile").display()));
        browser
    }

    /// Milliseconds from the start of loading until everything is shown.
    fn loading(&self) -> Result<f64> {
        let seen = self.evaluate("document.body.getBoundingClientRect(); return performance.now();")?;
        seen.as_f64().context("a time")
    }

    fn totals(&self, report: &Value) -> Result<()> {
        let seen = self.evaluate(
            "return [...document.querySelectorAll('#totals tr')].map((row) => [...row.cells].map((cell) => \
             cell.textContent));",
        )?;
        let level = &report["levels"][0];
        let row = |title: &str| {
            let rows = seen.as_array().into_iter().flatten();
            let mut found = rows.filter(|row| row[0] == title);
            found.next().cloned().with_context(|| format!("no row {title}"))
        };
        let size = row("code, bytes")?;
        for (column, side) in [(1, "frazil"), (2, "llc")] {
            let expected = level[side]["text_bytes"].as_u64().context("a size")?;
            expect(digits(&size[column]), expected, "a size")?;
        }
        let ratio = level["ratios"]["time"].as_f64().context("a ratio")?;
        expect(
            row("CPU time, ms")?[3].as_str().unwrap_or_default(),
            &*format!("{ratio:.3}"),
            "the ratio of times",
        )
    }

    fn order(&self, report: &Value) -> Result<()> {
        let seen = self.evaluate(
            "document.querySelector('#functions th[data-key=bytes]').click();\
             return [...document.querySelectorAll('#functions tbody tr')].map((row) => [row.cells[0].textContent, \
             row.cells[1].textContent]);",
        )?;
        let sizes: Vec<u64> = seen
            .as_array()
            .context("rows")?
            .iter()
            .map(|row| digits(&row[1]))
            .collect();
        ensure!(sizes.len() > 100, "only {} rows", sizes.len());
        ensure!(
            sizes.is_sorted_by(|one, other| one >= other),
            "the rows are not in order"
        );
        let largest = functions(report)
            .filter_map(|row| row["frazil"]["bytes"].as_u64())
            .max();
        expect(Some(sizes[0]), largest, "the largest function")
    }

    fn filter(&self, report: &Value) -> Result<()> {
        let seen = self.evaluate(&format!(
            "const filter = document.getElementById('filter'); filter.value = '{FILTER}';\
             filter.dispatchEvent(new Event('input'));\
             while (!document.getElementById('more').hidden) document.getElementById('more').click();\
             return [...document.querySelectorAll('#functions tbody tr')].map((row) => row.cells[0].textContent);"
        ))?;
        // More than are shown at first are shown on request.
        let mut shown: Vec<&str> = seen
            .as_array()
            .context("rows")?
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let names = functions(report).filter_map(|row| row["name"].as_str());
        let mut expected: Vec<&str> = names.filter(|name| name.to_lowercase().contains(FILTER)).collect();
        shown.sort_unstable();
        expected.sort_unstable();
        ensure!(!expected.is_empty(), "no function has {FILTER} in its name");
        expect(shown, expected, "filtered functions")
    }

    /// Opens the worst functions of each level, and reads their assemblies line by line.
    fn assembly(&self, report: &Value) -> Result<()> {
        let levels = report["levels"].as_array().context("levels")?;
        for (number, level) in levels.iter().enumerate() {
            let rows = level["functions"].as_array().context("functions")?;
            for (place, row) in rows.iter().take(1 + OPENED).enumerate() {
                let seen = self.evaluate(&format!(
                    "document.querySelectorAll('#levels button')[{number}].click();\
                     document.querySelectorAll('#functions tbody tr')[{place}].click();\
                     while (!document.querySelector('#assembly .heads')) \
                     await new Promise((done) => setTimeout(done, 1));\
                     const sides = [...document.querySelectorAll('#assembly .block:not(.heads)')];\
                     const lines = (side) => [...side.children].map((line) => line.textContent.trim());\
                     return [document.getElementById('chosen').textContent, \
                     sides.map((block) => [...block.children].map(lines))];"
                ))?;
                expect(&seen[0], &row["name"], "the function that was clicked")?;
                expect(&seen[1], &assembly_lines(row), "its assemblies")?;
            }
        }
        Ok(())
    }

    /// A picture of the page with a function chosen.
    fn screenshot(&self, path: &Path, report: &Value) -> Result<()> {
        let page = self.folder.join("page.html");
        let functions = report["levels"][1]["functions"].as_array();
        let rows = functions
            .into_iter()
            .flatten()
            .filter(|row| row["blocks"].as_array().is_some_and(|blocks| blocks.len() < 60));
        let shown = rows
            .filter_map(|row| row["name"].as_str())
            .next()
            .context("a function")?;
        let mut browser = self.browse();
        browser
            .arg(format!("--screenshot={}", path.display()))
            .arg("--window-size=1300,1500")
            .arg(format!("{}#level=1&function={shown}", address(&page)?));
        process::checked(&mut browser)?;
        Ok(())
    }
}

/// The functions of the first pair of levels.
fn functions(report: &Value) -> impl Iterator<Item = &Value> {
    report["levels"][0]["functions"].as_array().into_iter().flatten()
}

/// The assemblies of a function as the page shows them: for each block both sides, with a text for each line.
fn assembly_lines(row: &Value) -> Value {
    let line = |line: &Value| {
        let source = line["source"].as_u64().filter(|source| *source > 0);
        let text = line["text"].as_str().unwrap_or_default();
        let mut shown = source.map_or(String::new(), |source| source.to_string());
        shown.push_str(if text.ends_with(':') { "" } else { "  " });
        shown.push_str(text);
        if let Some(comment) = line["comment"].as_str().filter(|comment| !comment.is_empty()) {
            shown.push_str("  # ");
            shown.push_str(comment);
        }
        Value::from(shown.trim())
    };
    let side = |side: &Value| -> Value { side.as_array().into_iter().flatten().map(line).collect() };
    let blocks = row["blocks"].as_array().into_iter().flatten();
    blocks
        .map(|block| Value::from(vec![side(&block["frazil"]), side(&block["llc"])]))
        .collect()
}

/// A number as the page shows it, with separators.
fn digits(shown: &Value) -> u64 {
    let text = shown.as_str().unwrap_or_default();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_default()
}

fn expect<T: PartialEq + std::fmt::Debug>(found: T, expected: T, what: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    bail!("{what}: {found:?} is shown; expected {expected:?}")
}

fn address(path: &Path) -> Result<String> {
    Ok(format!("file://{}", path.canonicalize()?.display()))
}
