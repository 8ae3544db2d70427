//! Draws charts as SVG text.
//!
//! Not here: which figures are drawn.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::curves::{Chart, Point, Series};
use crate::metrics::PhaseSeconds;

/// What the plotting library reports; it writes to memory, so this is a bug or odd figures.
pub(super) type DrawError = Box<dyn std::error::Error>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (1120, 540);
const LEGEND_WIDTH: u32 = 270;
/// Pixels drawn and left out along a baseline's curve.
const DASH: u32 = 7;
const GAP: u32 = 5;
pub(super) const FONT: &str = "sans-serif";
/// Okabe and Ito's colours, told apart by colour-blind eyes; yellow left out on white.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];
const BASELINE_COLOUR: RGBColor = RGBColor(90, 90, 90);

/// The chart as SVG text.
pub(super) fn draw_curves(chart: &Chart) -> Result<String, DrawError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (axes, legend) = area.split_horizontally(SIZE.0 - LEGEND_WIDTH);
        draw_legend(&legend, chart)?;
        let (x, y) = (range_of(chart, |point| [point.x, point.x]), range_of(chart, ends_of_interval));
        if chart.logarithmic {
            draw_on(&axes, chart, widened_log(x).log_scale(), widened_log(y).log_scale())?;
        } else {
            draw_on(&axes, chart, widened(x), widened(y))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Phase shares of all iterations together as SVG text: one bar a phase, seconds and share beside.
pub(super) fn draw_phases(total: &PhaseSeconds) -> Result<String, DrawError> {
    const TOP: i32 = 50;
    const LEFT: i32 = 190;
    const STEP: i32 = 42;
    const FULL_WIDTH: f64 = 500.0;
    let phases = total.named();
    let height = TOP as u32 + STEP as u32 * phases.len() as u32 + 16;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, height)).into_drawing_area();
        area.fill(&WHITE)?;
        area.draw(&Text::new("Seconds by phase, all iterations", (LEFT, 14), (FONT, 22)))?;
        let longest = phases.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        for (index, (name, seconds)) in phases.into_iter().enumerate() {
            let top = TOP + STEP * index as i32;
            let right = LEFT + (seconds / longest * FULL_WIDTH).round() as i32;
            let share = 100.0 * seconds / total.sum();
            let bar = Rectangle::new([(LEFT, top), (right.max(LEFT + 1), top + 28)], COLOURS[0].filled());
            area.draw(&bar)?;
            area.draw(&Text::new(name, (16, top + 6), (FONT, 18)))?;
            let figures = format!("{seconds:.1} s, {share:.1} %");
            area.draw(&Text::new(figures, (right + 8, top + 6), (FONT, 18)))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Axes and series on any pair of axes.
fn draw_on<X, Y>(
    area: &Area<'_>,
    chart: &Chart,
    x: impl plotters::coord::ranged1d::AsRangedCoord<CoordDescType = X, Value = f64>,
    y: impl plotters::coord::ranged1d::AsRangedCoord<CoordDescType = Y, Value = f64>,
) -> Result<(), DrawError>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut context = ChartBuilder::on(area)
        .caption(chart.title, (FONT, 22))
        .margin(16)
        .x_label_area_size(52)
        .y_label_area_size(76)
        .build_cartesian_2d(x, y)?;
    context
        .configure_mesh()
        .x_desc(chart.x_label)
        .y_desc(chart.y_label)
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .axis_desc_style((FONT, 18))
        .label_style((FONT, 16))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (index, series) in chart.series.iter().enumerate() {
        let style = style_of(index, series);
        context.draw_series(intervals(series, style))?;
        context.draw_series(series.points.iter().map(|point| Circle::new((point.x, point.y), 3, style)))?;
        let line = series.points.iter().map(|point| (point.x, point.y));
        if series.baseline {
            context.draw_series(DashedLineSeries::new(line, DASH, GAP, style))?;
        } else {
            context.draw_series(LineSeries::new(line, style))?;
        }
    }
    Ok(())
}

/// The series' names, beside the axes so that they never cover a curve.
fn draw_legend(area: &Area<'_>, chart: &Chart) -> Result<(), DrawError> {
    for (index, series) in chart.series.iter().enumerate() {
        let y = 64 + 26 * index as i32;
        let style = style_of(index, series);
        let ends = [(0, y), (30, y)];
        if series.baseline {
            area.draw(&DashedPathElement::new(ends, DASH, GAP, style))?;
        } else {
            area.draw(&PathElement::new(ends, style))?;
        }
        area.draw(&Text::new(series.label.as_str(), (38, y - 8), (FONT, 16)))?;
    }
    Ok(())
}

fn style_of(index: usize, series: &Series) -> ShapeStyle {
    let colour = if series.baseline { BASELINE_COLOUR } else { COLOURS[index % COLOURS.len()] };
    ShapeStyle { color: colour.to_rgba(), filled: true, stroke_width: 2 }
}

fn intervals(series: &Series, style: ShapeStyle) -> impl Iterator<Item = PathElement<(f64, f64)>> {
    let with_interval = series.points.iter().filter(|point| point.half_width > 0.0);
    with_interval.map(move |point| {
        let [low, high] = ends_of_interval(point);
        PathElement::new([(point.x, low), (point.x, high)], style)
    })
}

fn ends_of_interval(point: &Point) -> [f64; 2] {
    [point.y - point.half_width, point.y + point.half_width]
}

fn range_of(chart: &Chart, ends: impl Fn(&Point) -> [f64; 2]) -> (f64, f64) {
    let values = chart.series.iter().flat_map(|series| &series.points).flat_map(ends);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Room around the points; a single value gets an interval of its own.
fn widened((low, high): (f64, f64)) -> std::ops::Range<f64> {
    let room = ((high - low) * 0.05).max(high.abs().max(1.0) * 1e-3);
    low - room..high + room
}

fn widened_log((low, high): (f64, f64)) -> std::ops::Range<f64> {
    let room = (high / low).powf(0.05).max(1.15);
    low / room..high * room
}

/// `0.05`, `70`, `1,500`, `2M`: short enough for an axis.
fn tick(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Four significant digits, then without the zeros that end a fraction.
    let digits = 3 - scaled.abs().max(1e-9).log10().floor() as i32;
    let text = format!("{scaled:.*}", digits.clamp(0, 9) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{}{unit}", if text == "-0" { "0" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (70.0, "70"),
            (1500.0, "1500"),
            (2e6, "2M"),
            (-31_500.0, "-31.5k"),
            (0.3 - 0.1 - 0.2, "0"),
        ] {
            assert_eq!(tick(value), text);
        }
    }
}
