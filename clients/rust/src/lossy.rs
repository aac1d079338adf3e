//! Lone surrogates, which JSON can hold and Rust's strings cannot. Agents write them when they cut
//! text in the middle of a character.

use serde::de::DeserializeOwned;

/// Decode a text of the daemon. If it has lone surrogates in strings of `T`, all in it are read as
/// U+FFFD, so that a name that was cut in the middle of a character does not fail a whole answer.
pub(crate) fn decoded<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let whole = without_lone_surrogates(text);
        if whole == text {
            return Err(error);
        }
        serde_json::from_str(&whole)
    })
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
    fn strings_of_answers_have_replacement_characters_for_lone_surrogates() {
        assert_eq!(
            decoded::<String>(r#""a\ud83d!\udc00""#).unwrap(),
            "a\u{fffd}!\u{fffd}"
        );
        assert_eq!(decoded::<String>(r#""\ud83d\ude00é""#).unwrap(), "😀é");
        assert!(decoded::<String>("1").is_err());
    }
}
