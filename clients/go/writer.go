package sessiond

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// writer writes JSON text. Opaque values are written byte for byte, whereas encoding/json would escape
// <, >, &, U+2028 and U+2029 in them.
type writer struct {
	buf []byte
	err error
}

func marshal[T any](value T) ([]byte, error) {
	w := &writer{}
	write(w, value)
	return w.buf, w.err
}

func (w *writer) fail(message string) {
	w.err = cmp.Or(w.err, errors.New("sessiond: "+message))
}

// comma writes a comma if the next value needs one.
func (w *writer) comma() {
	if n := len(w.buf); n > 0 && bytes.IndexByte([]byte("{[:"), w.buf[n-1]) < 0 {
		w.buf = append(w.buf, ',')
	}
}

func (w *writer) open(bracket byte) {
	w.comma()
	w.buf = append(w.buf, bracket)
}

func (w *writer) close(bracket byte) { w.buf = append(w.buf, bracket) }

func (w *writer) key(name string) {
	w.str(name)
	w.buf = append(w.buf, ':')
}

func (w *writer) null() { w.literal("null") }

func (w *writer) literal(text string) {
	w.comma()
	w.buf = append(w.buf, text...)
}

func (w *writer) bool(value bool) { w.literal(strconv.FormatBool(value)) }

func (w *writer) int(value int64) { w.literal(strconv.FormatInt(value, 10)) }

func (w *writer) float(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		w.fail("JSON cannot hold " + strconv.FormatFloat(value, 'g', -1, 64))
		return
	}
	w.literal(strconv.FormatFloat(value, 'g', -1, 64))
}

// raw writes a text unchanged; nil is null.
func (w *writer) raw(text json.RawMessage) {
	if text == nil {
		w.null()
		return
	}
	if !json.Valid(text) || !utf8.Valid(text) {
		w.fail("a json.RawMessage is not JSON")
		return
	}
	w.comma()
	w.buf = append(w.buf, bytes.TrimSpace(text)...)
}

// str writes a string. Lone surrogates in the form of reader.str become escapes again; other bytes that
// are not UTF-8 become U+FFFD.
func (w *writer) str(value string) {
	w.comma()
	w.buf = append(w.buf, '"')
	for i := 0; i < len(value); {
		c := value[i]
		if c < utf8.RuneSelf {
			w.ascii(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(value[i:])
		if r == utf8.RuneError && size == 1 {
			if isSurrogate(value[i:]) {
				unit := 0xd000 | int64(value[i+1]&0x3f)<<6 | int64(value[i+2]&0x3f)
				w.buf = append(w.buf, `\u`...)
				w.buf = strconv.AppendInt(w.buf, unit, 16)
				i += 3
				continue
			}
			w.buf = utf8.AppendRune(w.buf, r)
		} else {
			w.buf = append(w.buf, value[i:i+size]...)
		}
		i += size
	}
	w.buf = append(w.buf, '"')
}

func (w *writer) ascii(c byte) {
	switch {
	case c == '"' || c == '\\':
		w.buf = append(w.buf, '\\', c)
	case c == '\n':
		w.buf = append(w.buf, `\n`...)
	case c < ' ':
		const hex = "0123456789abcdef"
		w.buf = append(w.buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	default:
		w.buf = append(w.buf, c)
	}
}

func isSurrogate(text string) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1]&0xe0 == 0xa0 && text[2]&0xc0 == 0x80
}
