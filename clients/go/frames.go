package sessiond

import (
	"bytes"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// writeFrame writes a message behind its length, as language servers do.
func writeFrame(to io.Writer, body []byte) error {
	_, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// readFrame reads a message that is written behind its length.
func readFrame(from *textproto.Reader) ([]byte, error) {
	header, err := from.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("sessiond: a message without its length: %w", err)
	}
	var body bytes.Buffer
	_, err = io.CopyN(&body, from.R, length)
	return body.Bytes(), err
}
