//! Writes protocol-buffer messages: the few wire types that ONNX files need.
//!
//! Source: protobuf.dev, "Encoding". Not here: reading, and what the fields mean (see `graph`).

const VARINT: u32 = 0;
const LENGTH_DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

/// A message that is being written. Fields are written in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An integer, not negative.
    #[must_use]
    pub(crate) fn int(mut self, field: u32, value: u64) -> Self {
        self.key(field, VARINT);
        self.varint(value);
        self
    }

    #[must_use]
    pub(crate) fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, FIXED32);
        self.0.extend(value.to_le_bytes());
        self
    }

    #[must_use]
    pub(crate) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// One field for each text.
    #[must_use]
    pub(crate) fn texts(self, field: u32, texts: &[&str]) -> Self {
        texts.iter().fold(self, |message, text| message.text(field, text))
    }

    #[must_use]
    pub(crate) fn message(self, field: u32, inner: &Message) -> Self {
        self.bytes(field, &inner.0)
    }

    /// One field for each message.
    #[must_use]
    pub(crate) fn messages(self, field: u32, all: impl IntoIterator<Item = Message>) -> Self {
        all.into_iter().fold(self, |message, inner| message.message(field, &inner))
    }

    #[must_use]
    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Floats as little-endian bytes.
    #[must_use]
    pub(crate) fn raw_floats(mut self, field: u32, floats: &[f32]) -> Self {
        self.key(field, LENGTH_DELIMITED);
        self.varint(4 * floats.len() as u64);
        self.0.reserve(4 * floats.len());
        for value in floats {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's description.
    #[test]
    fn messages_are_encoded_as_described() {
        assert_eq!(Message::new().int(1, 150).finish(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::new().text(2, "testing").finish(), *b"\x12\x07testing");
        let inner = Message::new().int(1, 150);
        assert_eq!(Message::new().message(3, &inner).finish(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::new().float(1, 1.0).finish(), [0x0d, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::new().raw_floats(9, &[1.0]).finish(), [0x4a, 4, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::new().texts(1, &["a", "b"]).finish(), *b"\x0a\x01a\x0a\x01b");
    }
}
