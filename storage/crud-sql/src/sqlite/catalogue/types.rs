//! The parts of declared types.

use crud_shared::catalogue::ColumnType;
use crud_shared::declared::Declared;

/// The parts of a declared type. Its numbers are a length of text, or else digits.
pub(super) fn column_type(declared: &str) -> ColumnType {
    let Declared { base, numbers, unsigned } = Declared::of(declared);
    let is_text = ["char", "clob", "text"].iter().any(|word| base.contains(word));
    let number = |index: usize| numbers.get(index).copied();
    ColumnType {
        length: number(0).filter(|_| is_text),
        precision: number(0).filter(|_| !is_text),
        scale: number(1).filter(|_| !is_text).and_then(|scale| scale.try_into().ok()),
        base,
        unsigned,
        declared: declared.to_owned(),
        ..ColumnType::default()
    }
}
