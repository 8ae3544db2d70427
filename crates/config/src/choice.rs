//! Enumerations that are one word in a config file.
//!
//! Not here: the enumerations themselves, which stand beside the keys that take them.

/// Declares a fieldless enum with one config word a variant: `ALL`, `word`, `Display`, and serde
/// forms whose error names every word. Needs `serde` among the caller's dependencies.
///
/// ```
/// deepcfr_config::choices! {
///     /// How the deck is cut.
///     Cut {
///         /// In the middle.
///         Middle = "middle",
///         /// Not at all.
///         Uncut = "uncut",
///     }
/// }
/// assert_eq!(Cut::Middle.word(), "middle");
/// assert_eq!(Cut::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// Every variant, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for it in a config file.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let visitor = $crate::WordVisitor {
                    words: &[$($word),+],
                    choose: |index| Self::ALL[index],
                };
                deserializer.deserialize_str(visitor)
            }
        }
    };
}

pub(crate) use choices;

/// Reads one of `words` and turns its index into a value: what [`choices!`](crate::choices) reads with.
pub struct WordVisitor<T> {
    /// The words.
    pub words: &'static [&'static str],
    /// The value of the word in this place.
    pub choose: fn(usize) -> T,
}

impl<T> serde::de::Visitor<'_> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.words {
            [only] => write!(f, "\"{only}\""),
            words => write!(f, "one of \"{}\"", words.join("\", \"")),
        }
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<T, E> {
        let index = self.words.iter().position(|known| *known == word);
        index.map(self.choose).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(word), &self))
    }
}
