//! Tables in plain text: columns as wide as their widest cell, words to the left, figures to the right.

use std::fmt;

/// A table that is being filled.
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column.
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// Whether it holds figures.
    pub is_figure: bool,
}

/// A column of words.
pub fn words(title: impl Into<String>) -> Column {
    Column {
        title: title.into(),
        is_figure: false,
    }
}

/// A column of figures.
pub fn figures(title: impl Into<String>) -> Column {
    Column {
        title: title.into(),
        is_figure: true,
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The cells of each row.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let titles = std::iter::once(&self.columns[column].title);
        cells
            .chain(titles)
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    }

    fn write_row(
        &self,
        f: &mut fmt::Formatter<'_>,
        widths: &[usize],
        cells: &[&str],
    ) -> fmt::Result {
        let mut line = String::new();
        for ((cell, &width), column) in cells.iter().zip(widths).zip(&self.columns) {
            match column.is_figure {
                true => line.push_str(&format!("{cell:>width$}  ")),
                false => line.push_str(&format!("{cell:<width$}  ")),
            }
        }
        writeln!(f, "{}", line.trim_end())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<_> = (0..self.columns.len())
            .map(|column| self.width(column))
            .collect();
        let titles: Vec<_> = self
            .columns
            .iter()
            .map(|column| column.title.as_str())
            .collect();
        self.write_row(f, &widths, &titles)?;
        for row in &self.rows {
            let cells: Vec<_> = row.iter().map(String::as_str).collect();
            self.write_row(f, &widths, &cells)?;
        }
        Ok(())
    }
}

/// A figure with so many decimals, or a dash.
pub fn decimals(figure: Option<f64>, decimals: usize) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new([words("name"), figures("ms"), words("note")]);
        table.push(["a".to_owned(), decimals(Some(12.345), 2), String::new()]);
        table.push(["größer".to_owned(), decimals(None, 2), "x".to_owned()]);
        let wanted = "name       ms  note\na       12.35\ngrößer      -  x\n";
        assert_eq!(table.to_string(), wanted);
    }
}
