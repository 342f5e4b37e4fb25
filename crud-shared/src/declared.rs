//! [`Declared`]: the parts of a declared column type.

/// The parts of a type such as `NVARCHAR(160)`, `numeric(10, 2)` or `int(11) unsigned`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The type's words without numbers and signs, in lower case, such as `double precision`.
    pub base: String,
    /// The numbers in parentheses.
    pub numbers: Vec<u32>,
    /// Whether the type is `unsigned`.
    pub unsigned: bool,
}

impl Declared {
    /// The parts of a declared type.
    ///
    /// ```
    /// use crud_shared::declared::Declared;
    ///
    /// let declared = Declared::of("DECIMAL(10, 2) UNSIGNED");
    /// assert_eq!((declared.base.as_str(), declared.numbers, declared.unsigned), ("decimal", vec![10, 2], true));
    /// ```
    pub fn of(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        let (head, rest) = text.split_once('(').unwrap_or((&text, ""));
        let (inside, tail) = rest.rsplit_once(')').unwrap_or((rest, ""));
        let words = head.split_whitespace().chain(tail.split_whitespace());
        let unsigned = words.clone().any(|word| word == "unsigned");
        let base: Vec<&str> = words.filter(|word| !["unsigned", "signed", "zerofill"].contains(word)).collect();
        let numbers = inside.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        Self { base: base.join(" "), numbers, unsigned }
    }
}

#[cfg(test)]
mod tests {
    use super::Declared;

    #[test]
    fn a_type_has_words_and_numbers() {
        for (text, base, numbers) in [
            ("NVARCHAR(160)", "nvarchar", &[160][..]),
            ("timestamp(3) without time zone", "timestamp without time zone", &[3]),
            ("int(11) unsigned zerofill", "int", &[11]),
            ("VARYING CHARACTER (255)", "varying character", &[255]),
            ("", "", &[]),
            ("enum('a','b)')", "enum", &[]),
        ] {
            let declared = Declared::of(text);
            assert_eq!((declared.base.as_str(), &declared.numbers[..]), (base, numbers), "{text}");
        }
    }
}
