//! The framing of the LSP base protocol: header lines, a blank line, and a body.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

const LONGEST_HEADER: usize = 8 * 1024;

/// A message with its header.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Read the next body; `None` if the stream ends after a whole message.
pub(crate) async fn read(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let Some(length) = header(stream).await? else {
        return Ok(None);
    };
    // A wrong length must not allocate all memory: beyond this the buffer grows with the input.
    let mut body = Vec::with_capacity(usize::try_from(length.min(64 << 20)).unwrap_or_default());
    let read = stream.take(length).read_to_end(&mut body).await?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    String::from_utf8(body)
        .map(Some)
        .map_err(|_| invalid("a message is not UTF-8"))
}

async fn header(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut total = 0;
    let mut line = String::new();
    loop {
        line.clear();
        let limit = (LONGEST_HEADER - total) as u64;
        let read = (&mut *stream).take(limit).read_line(&mut line).await?;
        if read == 0 && total == 0 {
            return Ok(None);
        }
        total += read;
        let Some(text) = line.strip_suffix("\n") else {
            return Err(invalid("a header has no end"));
        };
        let text = text.trim_end();
        if text.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| invalid("a header has no Content-Length"));
        }
        if let Some((name, value)) = text.split_once(':') {
            if name.eq_ignore_ascii_case("Content-Length") {
                let parsed = value.trim().parse();
                length = Some(parsed.map_err(|_| invalid("a Content-Length is not a number"))?);
            }
        }
    }
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt, BufReader};

    async fn bodies(bytes: &[u8], chunk: usize) -> io::Result<Vec<String>> {
        let (mut near, far) = tokio::io::duplex(4096);
        let bytes = bytes.to_vec();
        tokio::spawn(async move {
            for part in bytes.chunks(chunk) {
                near.write_all(part).await.unwrap();
            }
        });
        let mut stream = BufReader::new(far);
        let mut bodies = Vec::new();
        while let Some(body) = read(&mut stream).await? {
            bodies.push(body);
        }
        Ok(bodies)
    }

    #[tokio::test]
    async fn messages_are_found_however_the_bytes_arrive() {
        let mut bytes = frame("{\"é\":1}".as_bytes());
        bytes.extend(b"content-length:2\r\nContent-Type: x\r\n\r\n{}");
        for chunk in 1..bytes.len() {
            assert_eq!(bodies(&bytes, chunk).await.unwrap(), ["{\"é\":1}", "{}"]);
        }
    }

    #[tokio::test]
    async fn invalid_messages_are_errors() {
        let long = "x".repeat(9000);
        for bytes in [
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: x\r\n\r\n{}",
            "Content-Type: x\r\n\r\n{}",
            "Content-Len",
            long.as_str(),
        ] {
            assert!(bodies(bytes.as_bytes(), 64).await.is_err(), "{bytes}");
        }
    }
}
