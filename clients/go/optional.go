package sessiond

import "encoding/json"

// Optional is a member with three states: absent (the zero value), null, or a value.
type Optional[T any] struct {
	given bool
	some  bool
	value T
}

// Some returns a member with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{given: true, some: true, value: value} }

// Null returns a member that is null.
func Null[T any]() Optional[T] { return Optional[T]{given: true} }

// IsAbsent reports whether the member is left out.
func (o Optional[T]) IsAbsent() bool { return !o.given }

// IsNull reports whether the member is null.
func (o Optional[T]) IsNull() bool { return o.given && !o.some }

// Get returns the value, and whether the member has one.
func (o Optional[T]) Get() (T, bool) { return o.value, o.some }

// UnmarshalJSON reads null or a value; encoding/json does not call it for an absent member.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	var value *T
	err := json.Unmarshal(text, &value)
	*o = optionalOf(value)
	return err
}

// MarshalJSON writes the value, or null if there is none.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return encode(o.pointer()) }

// pointer returns a *T, which is nil if there is no value.
func (o Optional[T]) pointer() any {
	if o.some {
		return &o.value
	}
	return (*T)(nil)
}

// optionalOf returns null for nil.
func optionalOf[T any](value *T) Optional[T] {
	if value == nil {
		return Null[T]()
	}
	return Some(*value)
}

// Ptr returns a pointer to a value, for optional members whose zero value is not absent.
func Ptr[T any](value T) *T { return &value }
