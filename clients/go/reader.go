package sessiond

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// reader reads typed values from JSON text in one pass. A value that does not fit is an error, whereas
// encoding/json ignores the case of names, reads null as zero and replaces lone surrogates. Texts of
// opaque values are parts of data, not copies.
//
// data must be JSON. If it is not, reading ends with an error, or skips over the fault in a part that
// is not decoded.
type reader struct {
	data []byte
	pos  int
	err  error
}

var errNotJSON = errors.New("sessiond: not JSON")

func unmarshal[T any](data []byte, into *T) error {
	value, err := parse(bytes.Clone(data), read[T])
	if err == nil {
		*into = value
	}
	return err
}

// parse reads text, which must not change afterwards.
func parse[T any](text json.RawMessage, read func(*reader) T) (value T, err error) {
	if !json.Valid(text) {
		return value, errNotJSON
	}
	return decode(text, read)
}

// decode reads text that is known to be JSON.
func decode[T any](text json.RawMessage, read func(*reader) T) (value T, err error) {
	r := &reader{data: text}
	value = read(r)
	if r.err != nil {
		var none T
		return none, r.err
	}
	return value, nil
}

func (r *reader) fail(expected string) {
	if r.err == nil {
		actual := r.data[min(r.pos, len(r.data)):]
		actual = actual[:min(len(actual), 40)]
		r.err = fmt.Errorf("sessiond: expected %s at offset %d, got %q", expected, r.pos, actual)
	}
}

// peek returns the next byte that is not white space; 0 at the end and after an error.
func (r *reader) peek() byte {
	if r.err != nil {
		return 0
	}
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// start returns the kind of the next value by its first byte; '0' means any number.
func (r *reader) start() byte {
	switch c := r.peek(); {
	case c == '-' || '0' <= c && c <= '9':
		return '0'
	case c == 'f':
		return 't'
	default:
		return c
	}
}

// begin returns the offset of the next value, for fits and since.
func (r *reader) begin() int {
	r.peek()
	return r.pos
}

// fits reports whether the value read from start fitted. If not, it moves the reader back to start.
func (r *reader) fits(start int) bool {
	if r.err == nil {
		return true
	}
	r.pos, r.err = start, nil
	return false
}

func (r *reader) since(start int) json.RawMessage {
	return r.data[start:r.pos:r.pos]
}

// open begins an array or object, once per loop: `for r.open('{'); r.next('}'); {`.
func (r *reader) open(bracket byte) {
	if r.peek() != bracket {
		r.fail(map[byte]string{'{': "an object", '[': "a list"}[bracket])
		return
	}
	r.pos++
}

// next goes to the next element; at the end it passes the bracket and returns false.
func (r *reader) next(bracket byte) bool {
	c := r.peek()
	if c == ',' {
		r.pos++
		c = r.peek()
	}
	if c == bracket {
		r.pos++
		return false
	}
	if c == 0 {
		r.fail("the end of a value")
	}
	return r.err == nil
}

// name reads the name of a member and the colon.
func (r *reader) name() string { return string(r.nameText()) }

// nameText is name without a copy, unless the name has escapes.
func (r *reader) nameText() []byte {
	if r.peek() != '"' {
		r.fail("a string")
		return nil
	}
	name := unescaped(r.text())
	if r.peek() != ':' {
		r.fail("a member")
		return nil
	}
	r.pos++
	return name
}

func (r *reader) tag(value string) {
	if tag := r.str(); tag != value {
		r.fail(value)
	}
}

// peekTag returns a member of the next object, if it is a string.
func (r *reader) peekTag(member string) string {
	if r.peek() != '{' {
		return ""
	}
	ahead := reader{data: r.data, pos: r.pos}
	for ahead.open('{'); ahead.next('}'); {
		if ahead.name() == member {
			if ahead.peek() != '"' {
				return ""
			}
			return ahead.str()
		}
		ahead.skip()
	}
	return ""
}

func tagOf(text json.RawMessage, member string) string {
	r := &reader{data: text}
	return r.peekTag(member)
}

// memberOf reads one member of an object; it returns zero if it is missing or does not fit.
func memberOf[T any](text json.RawMessage, member string, read func(*reader) T) (value T) {
	r := &reader{data: text}
	for r.open('{'); r.next('}'); {
		if r.name() != member {
			r.skip()
			continue
		}
		value = read(r)
	}
	if r.err != nil {
		var none T
		return none
	}
	return value
}

// skip skips any value, however deep, and returns its text.
func (r *reader) skip() json.RawMessage {
	start := r.begin()
	depth := 0
	for r.err == nil {
		switch c := r.peek(); c {
		case '{', '[':
			depth++
			r.pos++
		case '}', ']':
			depth--
			r.pos++
		case ',', ':':
			r.pos++
		case '"':
			r.text()
		case 0:
			r.fail("a value")
		default:
			r.scalar()
		}
		if depth <= 0 {
			break
		}
	}
	if r.err != nil || r.pos == start {
		r.fail("a value")
		return nil
	}
	return r.since(start)
}

func (r *reader) raw() json.RawMessage { return r.skip() }

// scalar skips a number, true, false or null.
func (r *reader) scalar() []byte {
	start := r.begin()
	end := bytes.IndexAny(r.data[start:], ",]} \t\r\n")
	if end < 0 {
		end = len(r.data) - start
	}
	r.pos += end
	return r.data[start:r.pos]
}

// text skips a string and returns the text between the quotes.
func (r *reader) text() []byte {
	start := r.pos + 1
	for at := start; ; {
		quote := bytes.IndexByte(r.data[min(at, len(r.data)):], '"')
		if quote < 0 {
			r.pos = len(r.data)
			r.fail("the end of a string")
			return nil
		}
		at += quote + 1
		slashes := 0
		for r.data[at-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			r.pos = at
			return r.data[start : at-1]
		}
	}
}

func (r *reader) null() bool {
	if r.peek() != 'n' || !bytes.HasPrefix(r.data[r.pos:], []byte("null")) {
		return false
	}
	r.pos += len("null")
	return true
}

func (r *reader) bool() bool {
	start := r.begin()
	if r.err == nil {
		switch string(r.scalar()) {
		case "true":
			return true
		case "false":
			return false
		}
		r.pos = start
	}
	r.fail("true or false")
	return false
}

func (r *reader) int() int64 {
	start := r.begin()
	if r.start() == '0' {
		if value, err := strconv.ParseInt(string(r.scalar()), 10, 64); err == nil {
			return value
		}
		r.pos = start
	}
	r.fail("an integer of 64 bits")
	return 0
}

func (r *reader) float() float64 {
	start := r.begin()
	if r.start() == '0' {
		if value, err := strconv.ParseFloat(string(r.scalar()), 64); err == nil {
			return value
		}
		r.pos = start
	}
	r.fail("a number that a float64 holds")
	return 0
}

// str reads a string. A lone surrogate becomes the three bytes that UTF-8 would have for it, which
// writer.str recognises.
func (r *reader) str() string {
	if r.peek() != '"' {
		r.fail("a string")
		return ""
	}
	return string(unescaped(r.text()))
}

func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		slash := bytes.IndexByte(text, '\\')
		if slash < 0 {
			out = append(out, text...)
			break
		}
		out = append(out, text[:slash]...)
		out, text = appendUnescaped(out, text[slash:])
	}
	return out
}

func appendUnescaped(out, text []byte) (_, rest []byte) {
	if len(text) < 2 {
		return out, nil
	}
	if text[1] != 'u' {
		if plain := strings.IndexByte("bfnrt", text[1]); plain >= 0 {
			return append(out, "\b\f\n\r\t"[plain]), text[2:]
		}
		return append(out, text[1]), text[2:]
	}
	unit, text := escapedUnit(text)
	if utf16.IsSurrogate(unit) {
		if low, rest := escapedUnit(text); utf16.DecodeRune(unit, low) != utf8.RuneError {
			return utf8.AppendRune(out, utf16.DecodeRune(unit, low)), rest
		}
		return append(out, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0xbf, 0x80|byte(unit)&0xbf), text
	}
	return utf8.AppendRune(out, unit), text
}

// escapedUnit reads \uXXXX at the beginning of text, and returns U+FFFD if there is none.
func escapedUnit(text []byte) (rune, []byte) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return utf8.RuneError, text[min(len(text), 6):]
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError, text[6:]
	}
	return rune(unit), text[6:]
}
