//! Writes plots with two logarithmic axes as SVG.

use std::fmt::Write;

/// One line of a plot.
pub struct Series<'a> {
    pub name: &'a str,
    /// Places on the two axes; all numbers are positive.
    pub points: Vec<(f64, f64)>,
}

/// One plot.
pub struct Panel<'a> {
    pub title: &'a str,
    pub series: Vec<Series<'a>>,
}

/// Colors that differ for most people (Okabe and Ito, "Color Universal Design", 2008).
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

const PANEL_WIDTH: f64 = 430.0;
const PANEL_HEIGHT: f64 = 360.0;
const MARGIN: f64 = 60.0;
const LEGEND_WIDTH: f64 = 130.0;

/// The panels side by side, with one legend; `x_label` is what all horizontal axes mean.
pub fn svg(panels: &[Panel<'_>], x_label: &str) -> String {
    let width = panels.len() as f64 * (PANEL_WIDTH + MARGIN) + LEGEND_WIDTH;
    let height = PANEL_HEIGHT + 2.0 * MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let left = MARGIN + index as f64 * (PANEL_WIDTH + MARGIN);
        draw_panel(&mut text, panel, x_label, left);
    }
    let left = width - LEGEND_WIDTH;
    for (index, series) in panels
        .iter()
        .flat_map(|panel| &panel.series)
        .take(COLORS.len())
        .enumerate()
    {
        let y = MARGIN + 20.0 * (index as f64 + 1.0);
        let color = COLORS[index];
        push(
            &mut text,
            format_args!(
                "<rect x=\"{left}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{color}\"/>",
                y - 6.0
            ),
        );
        label(&mut text, left + 20.0, y, "start", series.name);
    }
    text.push_str("</svg>\n");
    text
}

/// The powers of ten around all `values`.
fn decades(values: impl Iterator<Item = f64> + Clone) -> (i32, i32) {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(0.0, f64::max).log10().ceil();
    (low as i32, (high as i32).max(low as i32 + 1))
}

fn draw_panel(text: &mut String, panel: &Panel<'_>, x_label: &str, left: f64) {
    let points = || panel.series.iter().flat_map(|series| series.points.iter().copied());
    let (x_low, x_high) = decades(points().map(|(x, _)| x));
    let (y_low, y_high) = decades(points().map(|(_, y)| y));
    let (inner_width, bottom) = (PANEL_WIDTH - MARGIN, MARGIN + PANEL_HEIGHT);
    let x_of = |x: f64| left + (x.log10() - f64::from(x_low)) / f64::from(x_high - x_low) * inner_width;
    let y_of = |y: f64| bottom - (y.log10() - f64::from(y_low)) / f64::from(y_high - y_low) * PANEL_HEIGHT;
    let right = left + inner_width;

    for decade in x_low..=x_high {
        let x = x_of(10f64.powi(decade));
        line(text, (x, MARGIN), (x, bottom));
        label(text, x, bottom + 18.0, "middle", &power_of_ten(decade));
    }
    for decade in y_low..=y_high {
        let y = y_of(10f64.powi(decade));
        line(text, (left, y), (right, y));
        label(text, left - 6.0, y + 4.0, "end", &power_of_ten(decade));
    }
    label(text, (left + right) / 2.0, MARGIN - 14.0, "middle", panel.title);
    label(text, (left + right) / 2.0, bottom + 40.0, "middle", x_label);
    for (series, color) in panel.series.iter().zip(COLORS) {
        let path: Vec<String> = series
            .points
            .iter()
            .map(|&(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y)))
            .collect();
        push(
            text,
            format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
                path.join(" ")
            ),
        );
    }
}

/// Numbers from a thousandth to thousands as they are, others as powers.
fn power_of_ten(decade: i32) -> String {
    match decade {
        0..=3 => 10u32.pow(decade.unsigned_abs()).to_string(),
        -3..0 => format!("{:.*}", decade.unsigned_abs() as usize, 10f64.powi(decade)),
        _ => format!("1e{decade}"),
    }
}

fn line(text: &mut String, from: (f64, f64), to: (f64, f64)) {
    push(
        text,
        format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ccc\"/>",
            from.0, from.1, to.0, to.1
        ),
    );
}

fn label(text: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    push(
        text,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"),
    );
}

fn push(text: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(text, "{element}").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_in_their_decade() {
        let panel = Panel {
            title: "seconds",
            series: vec![Series {
                name: "shape",
                points: vec![(1e4, 0.01), (1e5, 0.1), (1e6, 1.0)],
            }],
        };
        let text = svg(&[panel], "instructions");
        // The line goes from the lower left corner to the upper right one, through the middle.
        let (width, height) = (PANEL_WIDTH - MARGIN, PANEL_HEIGHT);
        let expected = format!(
            "points=\"{MARGIN:.1},{:.1} {:.1},{:.1} {:.1},{MARGIN:.1}\"",
            MARGIN + height,
            MARGIN + width / 2.0,
            MARGIN + height / 2.0,
            MARGIN + width
        );
        assert!(text.contains(&expected), "{expected} in {text}");
        assert!(text.contains(">0.01<") && text.contains(">shape<") && text.contains(">1e6<"));
    }
}
