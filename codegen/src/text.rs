//! Short texts in rows of tables.
//!
//! Their letters are in the row: each pointer in tables of thousands of rows would be a place that must be filled in
//! whenever the program starts.

/// A text of at most [`Text::MOST`] letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    len: u8,
    letters: [u8; Text::MOST],
}

impl Text {
    const MOST: usize = 31;

    /// The row's copy of a text.
    ///
    /// # Panics
    /// If the text is longer.
    pub const fn new(text: &str) -> Text {
        let mut letters = [0; Text::MOST];
        let mut index = 0;
        while index < text.len() {
            letters[index] = text.as_bytes()[index];
            index += 1;
        }
        Text {
            len: text.len() as u8,
            letters,
        }
    }

    /// Its letters, of which there are at most [`Text::MOST`].
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.letters.split_at(self.len as usize);
        match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => panic!("it was made of a text"),
        }
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
