//! Draws a square of shares between 0 and 1 as SVG text: blue above a half, orange below.
//!
//! Not here: which figures are drawn.

use plotters::prelude::*;

use super::plot::{DrawError, FONT};

const CELL: i32 = 96;
const MARGIN: i32 = 16;
const TITLE: i32 = 48;
/// Width of a letter of a name, about, in pixels.
const LETTER: f64 = 7.6;
/// Okabe and Ito's blue and orange, told apart by colour-blind eyes.
const ABOVE: (u8, u8, u8) = (0, 114, 178);
const BELOW: (u8, u8, u8) = (230, 159, 0);

/// Everybody against everybody.
pub struct HeatMap {
    /// Above the square.
    pub title: String,
    /// Of rows and columns alike.
    pub names: Vec<String>,
    /// By row and column; `None` where the two did not meet.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// One meeting.
pub struct Cell {
    /// 0 to 1: the colour.
    pub share: f64,
    /// What is written into it.
    pub lines: [String; 2],
}

/// The square as SVG text.
pub(super) fn draw(map: &HeatMap) -> Result<String, DrawError> {
    let longest = map.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let names_width = (longest as f64 * LETTER) as i32 + MARGIN;
    let (left, top) = (MARGIN + names_width, TITLE + 30);
    let side = CELL * map.names.len() as i32;
    // The title may be longer than a small square is wide.
    let width = (left + side + MARGIN).max((map.title.chars().count() as f64 * LETTER) as i32 + 2 * MARGIN);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width as u32, (top + side + MARGIN) as u32))
            .into_drawing_area();
        area.fill(&WHITE)?;
        area.draw(&Text::new(map.title.as_str(), (MARGIN, 16), (FONT, 16)))?;
        for (index, name) in map.names.iter().enumerate() {
            let at = CELL * index as i32;
            area.draw(&Text::new(name.as_str(), (MARGIN, top + at + CELL / 2 - 8), (FONT, 14)))?;
            let number = format!("{}", index + 1);
            area.draw(&Text::new(number, (left + at + CELL / 2 - 4, TITLE), (FONT, 16)))?;
            area.draw(&Text::new(
                format!("{}", index + 1),
                (left - 22, top + at + CELL / 2 - 8),
                (FONT, 14),
            ))?;
        }
        for (row, cells) in map.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let Some(cell) = cell else { continue };
                let (x, y) = (left + CELL * column as i32, top + CELL * row as i32);
                let square = [(x + 1, y + 1), (x + CELL - 1, y + CELL - 1)];
                area.draw(&Rectangle::new(square, colour(cell.share).filled()))?;
                for (line, text) in cell.lines.iter().enumerate() {
                    area.draw(&Text::new(text.as_str(), (x + 16, y + 26 + 24 * line as i32), (FONT, 16)))?;
                }
            }
        }
        area.present()?;
    }
    Ok(svg)
}

/// White at a half; no darker than black letters can stand on.
fn colour(share: f64) -> RGBColor {
    let ((r, g, b), depth) = if share >= 0.5 { (ABOVE, share - 0.5) } else { (BELOW, 0.5 - share) };
    let blend = |channel: u8| {
        let depth = (1.4 * depth).clamp(0.0, 0.7);
        (255.0 + (f64::from(channel) - 255.0) * depth).round() as u8
    };
    RGBColor(blend(r), blend(g), blend(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meeting_is_in_the_picture_and_a_half_is_white() {
        let cell = |share: f64| Some(Cell { share, lines: [format!("{share:.2}"), "+1.5".to_owned()] });
        let map = HeatMap {
            title: "shares".to_owned(),
            names: vec!["first".to_owned(), "second".to_owned()],
            cells: vec![vec![None, cell(0.75)], vec![cell(0.25), None]],
        };
        let svg = draw(&map).unwrap();
        for text in ["shares", "first", "second", "0.75", "0.25", "+1.5"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert_eq!(colour(0.5), RGBColor(255, 255, 255));
        assert!(colour(1.0).0 < colour(0.6).0 && colour(0.0).2 < colour(0.4).2);
    }
}
