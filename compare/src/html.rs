//! The report as one page that needs nothing else: the data as JSON, and a script that shows it.
//!
//! All figures on the page are those of the JSON in it. What is chosen on the page (level, order, filter, function) is
//! part of its address after the `#`, so that a view can be linked to.

use crate::report::Report;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Makes the text of the HTML page for a report.
pub fn page(report: &Report) -> String {
    let data = serde_json::to_string(report).expect("plain data");
    // The end of a script's text must not occur in it.
    let data = data.replace("</", "<\\/");
    PAGE.replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{data}", &data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_report_ends_the_script() {
        let report = Report {
            input: "</script><b>".to_owned(),
            frazil_version: String::new(),
            llc_version: String::new(),
            levels: Vec::new(),
        };
        let page = page(&report);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("http://") && !page.contains("https://"), "no network");
    }
}
