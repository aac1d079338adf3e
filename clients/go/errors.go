package sessiond

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrorKind is the kind of an error. It is an error itself, so that errors.Is(err, KindX) works.
type ErrorKind string

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return string(k) }

// Error is an error that the daemon answered.
type Error struct {
	// Method is the method that was called.
	Method string
	// Kind is one of the constants, or a name that this package does not know yet.
	Kind ErrorKind
	// Code is the error code of JSON-RPC or of the contract.
	Code int64
	// Message is for people. It names the file or id and says what to do.
	Message string
	// Retryable says whether the same request can succeed later.
	Retryable bool
	// Data is error.data as received; json.Unmarshal reads it into the type named after the kind,
	// such as LeafConflictData.
	Data json.RawMessage
}

// Error returns the method and the daemon's message.
func (e *Error) Error() string { return fmt.Sprintf("sessiond: %s: %s", e.Method, e.Message) }

// Is reports whether the target is the kind of the error.
func (e *Error) Is(target error) bool { return target == e.Kind }

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("sessiond: the client is closed")
	// ErrInterrupted is returned if the daemon ended before it answered, and the call is not safe to
	// repeat. The call may have been carried out.
	ErrInterrupted = errors.New("sessiond: the daemon ended before it answered")
	// ErrSessionLost is returned for sessions that could not be opened again after the daemon
	// ended: those in memory, and those with entries that were not in their file yet.
	ErrSessionLost = errors.New("sessiond: the session is lost")
	// ErrGaveUp is returned after the daemon crashed several times in a row without an answer.
	ErrGaveUp = errors.New("sessiond: the daemon crashed too often")
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
