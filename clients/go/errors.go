package sessiond

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrorKind names what went wrong. It is an error itself, so that errors.Is(err, KindX) works.
type ErrorKind string

// Error returns the name.
func (k ErrorKind) Error() string { return string(k) }

// Error is what the daemon answers when it cannot do what it was asked.
type Error struct {
	// Method is what was asked.
	Method string
	// Kind is one of the constants, or a name that this package does not know yet.
	Kind ErrorKind
	// Code is the number JSON-RPC wants.
	Code int64
	// Message is for people: it names the file or id and says what to do.
	Message string
	// Retryable tells whether the very same request can succeed later.
	Retryable bool
	// Data is error.data as it came; json.Unmarshal reads it into the type named after the kind,
	// such as LeafConflictData.
	Data json.RawMessage
}

// Error returns the method and the daemon's message.
func (e *Error) Error() string { return fmt.Sprintf("sessiond: %s: %s", e.Method, e.Message) }

// Is tells whether the target is the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("sessiond: the client is closed")
	// ErrInterrupted is returned where the daemon ended before it answered, and asking again could
	// do it twice. Whether it was done is unknown.
	ErrInterrupted = errors.New("sessiond: the daemon ended before it answered")
	// ErrSessionLost is returned for sessions that could not be opened again after the daemon
	// ended: those in memory, and those with entries that were not in their file yet.
	ErrSessionLost = errors.New("sessiond: the session is lost")
	// ErrGaveUp is returned after the daemon ended several times in a row without an answer.
	ErrGaveUp = errors.New("sessiond: the daemon keeps ending")
)

func readError(method string) func(*reader) *Error {
	return func(r *reader) *Error {
		e := &Error{Method: method}
		for r.open('{'); r.next('}'); {
			switch r.name() {
			case "code":
				e.Code = r.int()
			case "message":
				e.Message = r.str()
			case "data":
				e.Data = r.raw()
			default:
				r.skip()
			}
		}
		e.Kind = memberOf(e.Data, "kind", readString[ErrorKind])
		e.Retryable = memberOf(e.Data, "retryable", (*reader).bool)
		if e.Kind == "" {
			e.Kind = kindsByCode[e.Code]
		}
		return e
	}
}
