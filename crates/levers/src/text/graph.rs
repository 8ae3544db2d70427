//! The order of decisions as text and as a picture (SVG). Not here: the order itself.

use crate::catalogue::{LeverId, Stage};
use crate::sequence::{CycleError, Edge, depths, edges};

const BOX: (usize, usize) = (250, 34);
const GAP: (usize, usize) = (70, 14);
const MARGIN: usize = 20;

/// The order with stages as headings and what each lever waits for.
pub fn order_text(order: &[LeverId]) -> String {
    let mut text = String::new();
    let mut last = None;
    for (index, &lever) in order.iter().enumerate() {
        let entry = lever.lever();
        if last.replace(entry.stage) != Some(entry.stage) {
            text += &format!("{}\n", stage(entry.stage));
        }
        let waits: Vec<&str> = entry
            .after
            .iter()
            .filter(|earlier| order.contains(earlier))
            .map(|earlier| earlier.lever().title)
            .collect();
        let after = if waits.is_empty() { String::new() } else { format!(" (after {})", waits.join(", ")) };
        text += &format!("    {}. {}{after}\n", index + 1, entry.title);
    }
    text
}

/// A stage as a heading.
fn stage(stage: Stage) -> String {
    format!("  {}:", stage.name())
}

/// The dependencies as a drawing: a lever's column is the longest chain of levers before it.
///
/// # Errors
/// [`CycleError`] if the dependencies form a circle.
pub fn order_svg(levers: &[LeverId]) -> Result<String, CycleError> {
    let depths = depths(levers)?;
    let places: Vec<(LeverId, usize, usize)> = depths
        .iter()
        .enumerate()
        .map(|(index, &(lever, column))| {
            let row = depths[..index].iter().filter(|(_, other)| *other == column).count();
            (lever, MARGIN + column * (BOX.0 + GAP.0), MARGIN + row * (BOX.1 + GAP.1))
        })
        .collect();
    let place = |lever| places.iter().find(|(other, _, _)| *other == lever).map(|&(_, x, y)| (x, y));
    let width = places.iter().map(|(_, x, _)| x + BOX.0).max().unwrap_or(0) + MARGIN;
    let height = places.iter().map(|(_, _, y)| y + BOX.1).max().unwrap_or(0) + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for Edge { from, to } in edges(levers) {
        let (Some(start), Some(end)) = (place(from), place(to)) else { continue };
        svg += &arrow(start, end);
    }
    places.iter().for_each(|&(lever, x, y)| svg += &node(lever, x, y));
    Ok(svg + "</svg>\n")
}

fn arrow((from_x, from_y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let (x1, y1, x2, y2) = (from_x + BOX.0, from_y + BOX.1 / 2, to_x, to_y + BOX.1 / 2);
    let bend = GAP.0 / 2;
    format!(
        "<path d=\"M {x1} {y1} C {} {y1}, {} {y2}, {x2} {y2}\" fill=\"none\" stroke=\"#888\"/>\n",
        x1 + bend,
        x2 - bend
    )
}

fn node(lever: LeverId, x: usize, y: usize) -> String {
    let entry = lever.lever();
    let fill = match entry.stage {
        Stage::Infrastructure => "#dbeafe",
        Stage::ModelSize => "#fde68a",
        Stage::AfterModelSize => "#dcfce7",
    };
    let (width, height) = BOX;
    let title = entry.title.replace('&', "&amp;").replace('<', "&lt;");
    let (text_x, text_y) = (x + 8, y + 21);
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\" fill=\"{fill}\" stroke=\"#555\"/>\n\
         <text x=\"{text_x}\" y=\"{text_y}\">{title}</text>\n"
    )
}
