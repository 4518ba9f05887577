//! Draws plots as SVG, with `plotters`.
//!
//! No font is looked at, so that a plot is the same wherever it is made: the widths of texts are estimated, and whoever
//! shows the plot chooses the font.

use anyhow::Result;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// One line of a plot.
pub struct Series<'a> {
    pub name: &'a str,
    /// Places on the two axes; all numbers are positive.
    pub points: Vec<(f64, f64)>,
}

/// One plot of lines.
pub struct Panel<'a> {
    pub title: &'a str,
    pub series: Vec<Series<'a>>,
}

/// A plot of points with names on two linear or logarithmic axes.
pub struct Points<'a> {
    pub title: &'a str,
    pub x_label: &'a str,
    pub y_label: &'a str,
    /// The horizontal axis, which is logarithmic, and the vertical one, which is linear.
    pub axes: [Range<f64>; 2],
    pub groups: Vec<Series<'a>>,
    /// By group: the names of the points.
    pub names: Vec<Vec<String>>,
}

/// Colors that differ for most people (Okabe and Ito, "Color Universal Design", 2008).
const COLORS: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

const PANEL_SIZE: (u32, u32) = (520, 460);
const POINTS_SIZE: (u32, u32) = (720, 440);
const TITLE_FONT: (&str, u32) = ("sans-serif", 16);
const FONT: (&str, u32) = ("sans-serif", 13);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// The panels side by side with logarithmic axes; `x_label` is what all horizontal axes mean.
pub fn lines(panels: &[Panel<'_>], x_label: &str) -> Result<String> {
    let mut text = String::new();
    let size = (PANEL_SIZE.0 * panels.len() as u32, PANEL_SIZE.1);
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, area) in panels.iter().zip(area.split_evenly((1, panels.len()))) {
        let points = || panel.series.iter().flat_map(|series| series.points.iter().copied());
        let mut chart = ChartBuilder::on(&area)
            .caption(panel.title, TITLE_FONT)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(
                decades(points().map(|(x, _)| x)).log_scale(),
                decades(points().map(|(_, y)| y)).log_scale(),
            )?;
        mesh(&mut chart, x_label, "")?;
        for (series, color) in panel.series.iter().zip(COLORS) {
            chart
                .draw_series(LineSeries::new(series.points.iter().copied(), color.stroke_width(2)))?
                .label(series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], color.stroke_width(3)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .label_font(FONT)
            .draw()?;
    }
    area.present()?;
    drop(area);
    Ok(text)
}

/// Points that stand for themselves, joined by a line within each group.
pub fn points(plot: &Points<'_>) -> Result<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, POINTS_SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let [x, y] = plot.axes.clone();
    let mut chart = ChartBuilder::on(&area)
        .caption(plot.title, TITLE_FONT)
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(56)
        .build_cartesian_2d(x.log_scale(), y)?;
    mesh(&mut chart, plot.x_label, plot.y_label)?;
    for ((group, names), color) in plot.groups.iter().zip(&plot.names).zip(COLORS) {
        chart.draw_series(LineSeries::new(group.points.iter().copied(), color.stroke_width(1)))?;
        chart.draw_series(
            group
                .points
                .iter()
                .zip(names)
                .enumerate()
                .map(|(index, (&place, name))| {
                    // In turn above and below, so that neighbors do not write over each other.
                    let down = if index % 2 == 0 { -16 } else { 4 };
                    let label = Text::new(name.clone(), (9, down), FONT.into_font().color(&color));
                    EmptyElement::at(place) + Circle::new((0, 0), 5, color.filled()) + label
                }),
        )?;
    }
    area.present()?;
    drop(chart);
    drop(area);
    Ok(text)
}

/// The lines of both axes with their numbers and meanings.
fn mesh<DB: DrawingBackend, X, Y>(
    chart: &mut ChartContext<'_, DB, Cartesian2d<X, Y>>,
    x_label: &str,
    y_label: &str,
) -> Result<()>
where
    DB::ErrorType: 'static,
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(x_label)
        .y_desc(y_label)
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .label_style(FONT)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

/// The powers of ten around all `values`.
fn decades(values: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(0.0, f64::max).log10().ceil();
    10f64.powf(low)..10f64.powf(high.max(low + 1.0))
}

/// Numbers up to thousands as they are, others as powers.
fn number(value: f64) -> String {
    if value >= 1e4 {
        return format!("{value:e}");
    }
    let rounded = format!("{value:.3}");
    rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_series_and_their_numbers_are_in_a_plot() {
        let panel = Panel {
            title: "seconds",
            series: vec![Series {
                name: "shape",
                points: vec![(1e4, 0.01), (1e5, 0.1), (1e6, 1.0)],
            }],
        };
        let text = lines(&[panel], "instructions").expect("it can be drawn");
        for word in ["seconds", "shape", "instructions", "0.1", "1e4", "1e6"] {
            assert!(text.contains(&format!("\n{word}\n")), "{word} in {text}");
        }
    }

    #[test]
    fn decades_contain_what_is_in_them() {
        let found = decades([0.03, 2.0].into_iter());
        assert!((found.start - 0.01).abs() < 1e-9 && (found.end - 10.0).abs() < 1e-9);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1e6, 1000.0, 1.0, 0.05].map(number), ["1e6", "1000", "1", "0.05"]);
    }
}
