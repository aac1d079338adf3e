//! Lone surrogates, which JSON can hold and Rust's strings cannot. Agents write them when they cut
//! text in the middle of a character.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::Deserialize;

/// Read strings of an answer, with lone surrogates as U+FFFD, so that a name that was cut in the
/// middle of a character does not fail the whole answer.
pub(crate) fn lossy<'de, D: Deserializer<'de>, T: Lossy>(deserializer: D) -> Result<T, D::Error> {
    T::read(deserializer)
}

pub(crate) trait Lossy: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

impl Lossy for String {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, serde_json reads each lone surrogate as three bytes.
        deserializer.deserialize_bytes(LossyString)
    }
}

impl<T: Lossy> Lossy for Option<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::<Lenient<T>>::deserialize(deserializer)?;
        Ok(value.map(|lenient| lenient.0))
    }
}

impl<T: Lossy> Lossy for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<Lenient<T>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|lenient| lenient.0).collect())
    }
}

pub(crate) struct Lenient<T>(pub(crate) T);

impl<'de, T: Lossy> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Lenient)
    }
}

struct LossyString;

impl Visitor<'_> for LossyString {
    type Value = String;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return Ok(text);
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                    text.push(char::REPLACEMENT_CHARACTER);
                    let surrogate = bad.len() >= 3 && bad[0] == 0xed;
                    rest = &bad[if surrogate { 3 } else { 1 }..];
                }
            }
        }
    }
}

/// Return a JSON text with lone surrogates replaced by U+FFFD.
pub(crate) fn without_lone_surrogates(text: &str) -> String {
    const HIGH: std::ops::Range<u32> = 0xd800..0xdc00;
    const LOW: std::ops::Range<u32> = 0xdc00..0xe000;
    let escaped = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match escaped(rest) {
            None => 2,
            Some(unit) if HIGH.contains(&unit) => {
                match escaped(rest.get(6..).unwrap_or_default()) {
                    Some(next) if LOW.contains(&next) => 12,
                    _ => 0,
                }
            }
            Some(unit) if LOW.contains(&unit) => 0,
            Some(_) => 6,
        };
        if length == 0 {
            out.push_str("\\ufffd");
            rest = &rest[6..];
        } else {
            let end = length.min(rest.len());
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_and_nothing_else_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ud83d\ude00é""#, r#""\ud83d\ude00é""#),
            (r#""\uDE00\ud83d\n""#, r#""\ufffd\ufffd\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
        ] {
            assert_eq!(without_lone_surrogates(text), expected);
        }
    }

    #[test]
    fn strings_of_answers_hold_replacement_characters_for_lone_surrogates() {
        let read = |text| serde_json::from_str::<Lenient<String>>(text).unwrap().0;
        assert_eq!(read(r#""a\ud83d!\udc00""#), "a\u{fffd}!\u{fffd}");
        assert_eq!(read(r#""\ud83d\ude00é""#), "😀é");
        assert!(serde_json::from_str::<Lenient<String>>("1").is_err());
    }
}
