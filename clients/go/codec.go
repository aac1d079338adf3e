package sessiond

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The types of the contract are read and written with encoding/json. This file has what that lacks:
// interfaces whose value is one of several types, members that are compared with case, and opaque values
// that are sent byte for byte. The tags of a struct say how it is read and written:
//
//	json:"name"            a required member
//	json:"name,omitempty"  an optional member; its zero value is absent
//	sessiond:"nullable"    null is the zero value of a required member
//	sessiond:"name=value"  a member that is no field, because it always has the same value
//
// Classes without interfaces and Optional members are left to encoding/json when they are read.

// union is an interface of the contract, and how the type of a value is chosen.
type union struct {
	tag     string         // the member that names the arm; empty: the first arm that fits is meant
	tags    []string       // of the arms
	arms    []reflect.Type // structs, whose pointers implement the interface, or other types
	unknown reflect.Type   // the arm of values that fit no other; nil: they are an error
}

// received is the text that a value was read from.
type received struct{ text json.RawMessage }

func (r *received) keep(text json.RawMessage) { r.text = text }

// JSON returns the text it was read from, unchanged; nil if the program created it.
func (r *received) JSON() json.RawMessage { return r.text }

// member is a field of a struct.
type member struct {
	name     string
	index    int
	value    string // the only value of a member that is no field
	optional bool
	nullable bool // null is read as the zero value
}

var membersByType sync.Map // []member by reflect.Type

// membersOf returns the members that the tags of a struct describe.
func membersOf(t reflect.Type) []member {
	if known, ok := membersByType.Load(t); ok {
		return known.([]member)
	}
	var members []member
	for i := range t.NumField() {
		field := t.Field(i)
		m, own := member{index: i}, field.Tag.Get("sessiond")
		if constant, value, ok := strings.Cut(own, "="); ok {
			m.name, m.value = constant, value
		} else {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			m.name, m.optional = name, options == "omitempty"
			m.nullable = own == "nullable" || m.optional && !reflect.PointerTo(field.Type).Implements(unmarshaler)
		}
		if m.name != "" {
			members = append(members, m)
		}
	}
	membersByType.Store(t, members)
	return members
}

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// decode reads a value from JSON text. The text must not change afterwards.
func decode[T any](text json.RawMessage) (value T, err error) {
	if err := readValue(text, reflect.ValueOf(&value).Elem()); err != nil {
		return *new(T), fmt.Errorf("sessiond: %w", err)
	}
	return value, nil
}

// readValue reads any value: a union, a list of unions, or what encoding/json reads.
func readValue(text json.RawMessage, v reflect.Value) error {
	if u, ok := unions[v.Type()]; ok {
		return u.read(text, v)
	}
	into := v.Addr().Interface()
	if own, ok := into.(json.Unmarshaler); ok {
		return own.UnmarshalJSON(text) // json.Unmarshal would read the text twice more
	}
	if string(text) == "null" && v.Kind() != reflect.Pointer {
		return fmt.Errorf("null is no %s", v.Type())
	}
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Interface {
		return json.Unmarshal(text, into)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := readValue(item, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// readMembers reads an object into a struct. Names are compared exactly, and required members must be
// there.
func readMembers(text []byte, into any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	v.SetZero()
	for _, m := range membersOf(v.Type()) {
		if m.value != "" {
			continue
		}
		text, ok := given[m.name]
		switch {
		case !ok && m.optional, m.nullable && string(text) == "null":
			continue
		case !ok:
			return fmt.Errorf("%s has no member %s", v.Type(), m.name)
		}
		if err := readValue(text, v.Field(m.index)); err != nil {
			return fmt.Errorf("the member %s: %w", m.name, err)
		}
	}
	return nil
}

// read chooses an arm for a value. One that fits no arm is unknown, and keeps its text.
func (u union) read(text json.RawMessage, v reflect.Value) error {
	arms := u.arms
	if u.tag != "" {
		i := slices.Index(u.tags, memberOf[string](text, u.tag))
		arms = arms[max(i, 0) : i+1]
	}
	for _, arm := range arms {
		value := reflect.New(arm)
		if readValue(text, value.Elem()) != nil {
			continue
		}
		if keeper, ok := value.Interface().(interface{ keep(json.RawMessage) }); ok {
			keeper.keep(text)
		}
		if arm.Kind() != reflect.Struct {
			value = value.Elem()
		}
		v.Set(value)
		return nil
	}
	if u.unknown == nil || !json.Valid(text) {
		return fmt.Errorf("%.40q is no %s", text, v.Type())
	}
	value := reflect.New(u.unknown)
	value.Elem().FieldByName("Raw").SetBytes(text)
	v.Set(value)
	return nil
}

// memberOf reads one member of an object; it returns zero if it is missing or does not fit.
func memberOf[T any](text json.RawMessage, name string) (value T) {
	object := json.NewDecoder(bytes.NewReader(text))
	if start, _ := object.Token(); start != json.Delim('{') {
		return value
	}
	for object.More() {
		each, _ := object.Token()
		var found json.RawMessage
		if object.Decode(&found) != nil {
			break
		}
		if each == name {
			value, _ = decode[T](found)
			break
		}
	}
	return value
}

// encode returns the JSON text of a value. It writes json.RawMessage byte for byte.
func encode(value any) ([]byte, error) {
	e := &encoder{}
	e.scalars = json.NewEncoder(&e.text)
	e.scalars.SetEscapeHTML(false)
	e.value(reflect.ValueOf(value))
	if e.err != nil {
		return nil, fmt.Errorf("sessiond: %w", e.err)
	}
	return e.text.Bytes(), nil
}

// encoder writes JSON text.
type encoder struct {
	text    bytes.Buffer
	scalars *json.Encoder // writes to text
	err     error         // the first one
}

func (e *encoder) fail(err error) { e.err = cmp.Or(e.err, err) }

func (e *encoder) value(v reflect.Value) {
	if three, ok := v.Interface().(interface{ pointer() any }); ok {
		v = reflect.ValueOf(three.pointer())
	}
	switch kind := v.Kind(); {
	case v.Type() == rawType:
		e.raw(v.Bytes())
	case (kind == reflect.Interface || kind == reflect.Pointer) && v.IsNil():
		e.text.WriteString("null")
	case kind == reflect.Interface:
		e.union(v)
	case kind == reflect.Pointer:
		e.value(v.Elem())
	case kind == reflect.Struct:
		e.members(v)
	case kind == reflect.Map:
		e.mapping(v)
	case kind == reflect.Slice:
		e.text.WriteByte('[')
		for i := range v.Len() {
			e.value(v.Index(i))
			e.text.WriteByte(',')
		}
		e.close(']')
	default:
		e.scalar(v.Interface())
	}
}

// close ends an array or object, whose last element is followed by a comma.
func (e *encoder) close(bracket byte) {
	if bytes.HasSuffix(e.text.Bytes(), []byte(",")) {
		e.text.Truncate(e.text.Len() - 1)
	}
	e.text.WriteByte(bracket)
}

func (e *encoder) scalar(value any) {
	if err := e.scalars.Encode(value); err != nil {
		e.fail(err)
		return
	}
	e.text.Truncate(e.text.Len() - 1) // the line feed that Encode adds
}

// raw writes a text unchanged; nil is null.
func (e *encoder) raw(text json.RawMessage) {
	switch {
	case text == nil:
		e.text.WriteString("null")
	case !json.Valid(text) || !utf8.Valid(text):
		e.fail(errors.New("a json.RawMessage is not JSON"))
	default:
		e.text.Write(bytes.TrimSpace(text))
	}
}

func (e *encoder) union(v reflect.Value) {
	u, value := unions[v.Type()], reflect.Indirect(v.Elem())
	switch {
	case !value.IsValid():
		e.text.WriteString("null")
	case value.Type() == u.unknown:
		e.raw(value.FieldByName("Raw").Bytes())
	case slices.Contains(u.arms, value.Type()):
		e.value(value)
	default: // a type of the program that embeds one of the arms
		e.fail(fmt.Errorf("%s is not one of the types of %s", v.Elem().Type(), v.Type().Name()))
	}
}

func (e *encoder) members(v reflect.Value) {
	e.text.WriteByte('{')
	for _, m := range membersOf(v.Type()) {
		field := v.Field(m.index)
		if m.optional && field.IsZero() {
			continue
		}
		e.scalar(m.name)
		e.text.WriteByte(':')
		switch {
		case m.value != "":
			e.scalar(m.value)
		case m.nullable && field.IsZero():
			e.text.WriteString("null")
		default:
			e.value(field)
		}
		e.text.WriteByte(',')
	}
	e.close('}')
}

func (e *encoder) mapping(v reflect.Value) {
	e.text.WriteByte('{')
	names := v.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, name := range names {
		e.scalar(name.String())
		e.text.WriteByte(':')
		e.value(v.MapIndex(name))
		e.text.WriteByte(',')
	}
	e.close('}')
}
