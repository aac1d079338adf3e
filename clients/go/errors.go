package sessiond

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrorKind is the kind of an error. It is an error itself, so that errors.Is(err, KindX) works.
type ErrorKind string

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return string(k) }

// Error is an error that the daemon answered. Errors whose kind has data are also errors of a type
// named after the kind:
//
//	var conflict *LeafConflictError
//	if errors.As(err, &conflict) { ... conflict.TipID ... }
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
	// Data is error.data as received.
	Data json.RawMessage
}

// Error returns the method and the daemon's message.
func (e *Error) Error() string { return fmt.Sprintf("sessiond: %s: %s", e.Method, e.Message) }

// Is reports whether the target is the kind of the error.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Pointer returns the JSON pointer of the wrong param, such as /message/role; it is empty for other kinds
// than KindInvalidParams.
func (e *Error) Pointer() string { return memberOf[string](e.Data, "pointer") }

// failure is the part that all errors with data have.
type failure struct{ cause *Error }

// Error returns the method and the daemon's message.
func (f *failure) Error() string { return f.cause.Error() }

// Unwrap returns the *Error, which has the message and the kind.
func (f *failure) Unwrap() error { return f.cause }

func (f *failure) because(cause *Error) { f.cause = cause }

// typed returns the error as the type T, or unchanged if its data does not fit.
func typed[T any, P interface {
	*T
	error
	because(*Error)
}](e *Error) error {
	data, err := decode[T](e.Data)
	if err != nil {
		return e
	}
	P(&data).because(e)
	return P(&data)
}

// unsupported returns the error for a daemon that answers with another version of the protocol.
func unsupported(version string) error {
	e := &UnsupportedVersionError{Supported: []string{version}}
	e.because(&Error{
		Method: "initialize",
		Kind:   KindUnsupportedVersion,
		Code:   1021,
		Message: fmt.Sprintf("the daemon speaks protocol version %s, and this client version %s",
			version, ProtocolVersion),
	})
	return e
}

var (
	// ErrClosed is returned after Close, of the client or of the session.
	ErrClosed = errors.New("sessiond: the client or the session is closed")
	// ErrNotStarted is returned by a Client that is not from Start.
	ErrNotStarted = errors.New("sessiond: the client was not started with Start")
	// ErrInterrupted is returned if the daemon ended before it answered, and the call is not safe to
	// repeat. The call may have been carried out.
	ErrInterrupted = errors.New("sessiond: the daemon ended before it answered")
	// ErrSessionLost is returned for sessions that could not be opened again after the daemon
	// ended: those in memory, and those with entries that were not in their file yet.
	ErrSessionLost = errors.New("sessiond: the session is lost")
	// ErrGaveUp is returned after the daemon crashed several times in a row without an answer.
	ErrGaveUp = errors.New("sessiond: the daemon crashed too often")
)

// readError returns the error that a daemon answered to a method, as the type of its kind.
func readError(method string, text json.RawMessage) error {
	var answer struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		answer.Message = fmt.Sprintf("an error that cannot be read: %s", text)
	}
	e := &Error{
		Method:    method,
		Kind:      cmp.Or(memberOf[ErrorKind](answer.Data, "kind"), kindsByCode[answer.Code]),
		Code:      answer.Code,
		Message:   answer.Message,
		Retryable: memberOf[bool](answer.Data, "retryable"),
		Data:      answer.Data,
	}
	if typed := typedErrors[e.Kind]; typed != nil {
		return typed(e)
	}
	return e
}
