//! Words of a line, taken from the front one by one.

use glam::Vec3;

/// What is left of a line.
pub(super) struct Words<'a> {
    left: std::slice::Iter<'a, &'a str>,
}

impl<'a> Words<'a> {
    pub fn new(words: &'a [&'a str]) -> Self {
        Self { left: words.iter() }
    }

    pub fn is_empty(&self) -> bool {
        self.left.len() == 0
    }

    pub fn next(&mut self) -> Option<&'a str> {
        self.left.next().copied()
    }

    /// Takes the next word where it is this one.
    pub fn keyword(&mut self, word: &str) -> bool {
        let is_next = self.left.as_slice().first() == Some(&word);
        if is_next {
            self.next();
        }
        is_next
    }

    pub fn switch(&mut self) -> Result<bool, String> {
        match self.next() {
            Some("on") => Ok(true),
            Some("off") => Ok(false),
            _ => Err("neither on nor off".to_owned()),
        }
    }

    pub fn name(&mut self, what: &str) -> Result<String, String> {
        let word = self.next().map(str::to_owned);
        word.ok_or_else(|| format!("{what} is missing"))
    }

    fn number(&mut self) -> Result<f32, String> {
        let word = self.next().ok_or("a number is missing")?;
        let number = word.parse().ok().filter(|value: &f32| value.is_finite());
        number.ok_or_else(|| format!("{word:?} is not a number"))
    }

    pub fn between(&mut self, least: f32, most: f32) -> Result<f32, String> {
        let number = self.number()?;
        match (least..=most).contains(&number) {
            true => Ok(number),
            false => Err(format!("{number} is not between {least} and {most}")),
        }
    }

    /// The same, or `otherwise` at the end of the line.
    pub fn between_or(&mut self, least: f32, most: f32, otherwise: f32) -> Result<f32, String> {
        match self.is_empty() {
            true => Ok(otherwise),
            false => self.between(least, most),
        }
    }

    pub fn vector(&mut self) -> Result<Vec3, String> {
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// Three numbers behind a word, where that comes next.
    pub fn vector_after(&mut self, word: &str) -> Result<Option<Vec3>, String> {
        match self.keyword(word) {
            true => self.vector().map(Some),
            false => Ok(None),
        }
    }

    /// Nothing is left.
    pub fn end(&mut self) -> Result<(), String> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(format!("{word:?} is not expected")),
        }
    }
}
