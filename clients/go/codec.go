package sessiond

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A codec reads and writes the values of one Go type, as the tags of its structs say:
//
//	json:"name"            a required member
//	json:"name,omitempty"  an optional member; its zero value is absent
//	sessiond:"nullable"    null fits, and is read as the zero value
//
// It differs from encoding/json in what it promises: a missing required member is an error, names are
// compared exactly, json.RawMessage keeps every byte, and interfaces are read by the table unions.
type codec struct {
	read  func(*reader, reflect.Value)
	write func(*writer, reflect.Value)
}

// union is an interface of the contract: how the type of a value is chosen.
type union struct {
	tag     string         // the member that names the arm; empty: the arms are tried by their JSON
	tags    []string       // of the arms
	arms    []reflect.Type // structs, whose pointers implement the interface, or other types
	unknown reflect.Type   // the arm of values that fit no other; nil: they are an error
}

var (
	codecs   sync.Map // *codec by reflect.Type
	building sync.Mutex
)

var rawType = reflect.TypeFor[json.RawMessage]()

// received is the text that a value was read from.
type received struct{ text json.RawMessage }

func (r *received) keep(text json.RawMessage) { r.text = text }

// JSON returns the text it was read from, unchanged; nil if the program created it.
func (r *received) JSON() json.RawMessage { return r.text }

// threeStates is implemented by pointers to Optional.
type threeStates interface {
	read(*reader)
	write(*writer)
}

// codecOf returns the codec of a type.
func codecOf(t reflect.Type) *codec {
	if known, ok := codecs.Load(t); ok {
		return known.(*codec)
	}
	building.Lock()
	defer building.Unlock()
	fresh := map[reflect.Type]*codec{}
	found := build(t, fresh)
	for each, c := range fresh {
		codecs.Store(each, c)
	}
	return found
}

func read[T any](r *reader) (value T) {
	codecOf(reflect.TypeFor[T]()).read(r, reflect.ValueOf(&value).Elem())
	return value
}

func write[T any](w *writer, value T) {
	codecOf(reflect.TypeFor[T]()).write(w, reflect.ValueOf(&value).Elem())
}

// build makes the codec of a type, and of the types in it. A type can contain itself, so its codec is
// in fresh before it is complete.
func build(t reflect.Type, fresh map[reflect.Type]*codec) *codec {
	if known, ok := codecs.Load(t); ok {
		return known.(*codec)
	}
	if known := fresh[t]; known != nil {
		return known
	}
	c := &codec{}
	fresh[t] = c
	switch {
	case t == rawType:
		c.read = func(r *reader, v reflect.Value) { v.SetBytes(r.raw()) }
		c.write = func(w *writer, v reflect.Value) { w.raw(v.Bytes()) }
	case reflect.PointerTo(t).Implements(reflect.TypeFor[threeStates]()):
		c.read = func(r *reader, v reflect.Value) { v.Addr().Interface().(threeStates).read(r) }
		c.write = func(w *writer, v reflect.Value) { v.Addr().Interface().(threeStates).write(w) }
	case t.Kind() == reflect.Interface:
		*c = unionCodec(t, fresh)
	case t.Kind() == reflect.Struct:
		*c = structCodec(t, fresh)
	case t.Kind() == reflect.Slice:
		*c = sliceCodec(t, build(t.Elem(), fresh))
	case t.Kind() == reflect.Map:
		*c = mapCodec(t, build(t.Elem(), fresh))
	case t.Kind() == reflect.Pointer:
		inner := build(t.Elem(), fresh)
		c.read = func(r *reader, v reflect.Value) {
			v.Set(reflect.New(t.Elem()))
			inner.read(r, v.Elem())
		}
		c.write = func(w *writer, v reflect.Value) {
			if v.IsNil() {
				w.null()
			} else {
				inner.write(w, v.Elem())
			}
		}
	default:
		*c = scalarCodec(t)
	}
	return c
}

func scalarCodec(t reflect.Type) codec {
	switch t.Kind() {
	case reflect.String:
		return codec{
			func(r *reader, v reflect.Value) { v.SetString(r.str()) },
			func(w *writer, v reflect.Value) { w.str(v.String()) },
		}
	case reflect.Bool:
		return codec{
			func(r *reader, v reflect.Value) { v.SetBool(r.bool()) },
			func(w *writer, v reflect.Value) { w.bool(v.Bool()) },
		}
	case reflect.Int64:
		return codec{
			func(r *reader, v reflect.Value) { v.SetInt(r.int()) },
			func(w *writer, v reflect.Value) { w.int(v.Int()) },
		}
	case reflect.Float64:
		return codec{
			func(r *reader, v reflect.Value) { v.SetFloat(r.float()) },
			func(w *writer, v reflect.Value) { w.float(v.Float()) },
		}
	}
	panic("sessiond: the contract has no values of type " + t.String())
}

func sliceCodec(t reflect.Type, item *codec) codec {
	return codec{
		func(r *reader, v reflect.Value) {
			v.Set(reflect.MakeSlice(t, 0, 0))
			for r.open('['); r.next(']'); {
				count := v.Len()
				if count == v.Cap() {
					v.Grow(1)
				}
				v.SetLen(count + 1)
				each := v.Index(count)
				each.SetZero()
				item.read(r, each)
			}
		},
		func(w *writer, v reflect.Value) {
			w.open('[')
			for i := range v.Len() {
				item.write(w, v.Index(i))
			}
			w.close(']')
		},
	}
}

func mapCodec(t reflect.Type, value *codec) codec {
	return codec{
		func(r *reader, v reflect.Value) {
			v.Set(reflect.MakeMap(t))
			for r.open('{'); r.next('}'); {
				name := reflect.ValueOf(r.name()).Convert(t.Key())
				each := reflect.New(t.Elem()).Elem()
				value.read(r, each)
				v.SetMapIndex(name, each)
			}
		},
		func(w *writer, v reflect.Value) {
			w.open('{')
			names := v.MapKeys()
			slices.SortFunc(names, func(a, b reflect.Value) int {
				return strings.Compare(a.String(), b.String())
			})
			for _, name := range names {
				w.key(name.String())
				each := reflect.New(t.Elem()).Elem()
				each.Set(v.MapIndex(name))
				value.write(w, each)
			}
			w.close('}')
		},
	}
}

// classMember is a field of a struct, or a tag.
type classMember struct {
	*codec
	name     string
	index    int
	tag      string // the only value; the member is no field
	optional bool
	nullable bool
	required uint64 // its bit, or zero
}

func structCodec(t reflect.Type, fresh map[reflect.Type]*codec) codec {
	var members []classMember
	required := 0
	add := func(each classMember) {
		if !each.optional {
			each.required = 1 << required
			required++
		}
		members = append(members, each)
	}
	for name, tag := range tagsOf(t) {
		add(classMember{name: name, tag: tag})
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		add(classMember{
			codec: build(field.Type, fresh), name: name, index: i, optional: options == "omitempty",
			nullable: field.Tag.Get("sessiond") == "nullable",
		})
	}
	if required > 64 {
		panic("sessiond: too many required members in " + t.String())
	}
	byName := map[string]*classMember{}
	for i := range members {
		byName[members[i].name] = &members[i]
	}
	return codec{
		func(r *reader, v reflect.Value) { readMembers(r, v, members, byName) },
		func(w *writer, v reflect.Value) { writeMembers(w, v, members) },
	}
}

func readMembers(r *reader, v reflect.Value, members []classMember, byName map[string]*classMember) {
	v.SetZero()
	var seen uint64
	for r.open('{'); r.next('}'); {
		m := byName[string(r.nameText())]
		switch {
		case m == nil:
			r.skip()
			continue
		case m.tag != "":
			r.tag(m.tag)
		case m.nullable && r.null():
			v.Field(m.index).SetZero()
		default:
			m.read(r, v.Field(m.index))
		}
		seen |= m.required
	}
	for i := range members {
		if m := &members[i]; seen&m.required != m.required {
			r.fail("the member " + m.name)
		}
	}
}

func writeMembers(w *writer, v reflect.Value, members []classMember) {
	w.open('{')
	for i := range members {
		m := &members[i]
		if m.tag != "" {
			w.key(m.name)
			w.str(m.tag)
			continue
		}
		value := v.Field(m.index)
		zero := (m.optional || m.nullable) && value.IsZero()
		if zero && m.optional {
			continue
		}
		w.key(m.name)
		if zero {
			w.null()
		} else {
			m.write(w, value)
		}
	}
	w.close('}')
}

func unionCodec(t reflect.Type, fresh map[reflect.Type]*codec) codec {
	u, ok := unions[t]
	if !ok {
		panic("sessiond: the contract has no union " + t.String())
	}
	arms := make([]*codec, len(u.arms))
	byType := map[reflect.Type]*codec{}
	byTag := map[string]int{}
	for i, arm := range u.arms {
		arms[i] = build(arm, fresh)
		if arm.Kind() == reflect.Struct {
			byType[reflect.PointerTo(arm)] = build(reflect.PointerTo(arm), fresh)
		} else {
			byType[arm] = arms[i]
		}
		if u.tag != "" {
			byTag[u.tags[i]] = i
		}
	}
	fits := func(r *reader, v reflect.Value, i, start int) bool {
		value := reflect.New(u.arms[i])
		arms[i].read(r, value.Elem())
		if !r.fits(start) {
			return false
		}
		if keeper, ok := value.Interface().(interface{ keep(json.RawMessage) }); ok {
			keeper.keep(r.since(start))
		}
		if u.arms[i].Kind() != reflect.Struct {
			value = value.Elem()
		}
		v.Set(value)
		return true
	}
	return codec{
		func(r *reader, v reflect.Value) {
			start := r.begin()
			if u.tag != "" {
				if i, ok := byTag[r.peekTag(u.tag)]; ok && fits(r, v, i, start) {
					return
				}
			} else {
				first := r.start()
				for i, arm := range u.arms {
					if startOf(arm) == first && fits(r, v, i, start) {
						return
					}
				}
			}
			if u.unknown == nil {
				r.fail("one of the types of " + t.Name())
				return
			}
			value := reflect.New(u.unknown)
			value.Elem().FieldByName("Raw").SetBytes(r.skip())
			v.Set(value)
		},
		func(w *writer, v reflect.Value) {
			if v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
				w.fail("missing " + t.Name())
				return
			}
			if v = v.Elem(); u.unknown != nil && v.Type() == reflect.PointerTo(u.unknown) {
				w.raw(v.Elem().FieldByName("Raw").Bytes())
				return
			}
			arm := byType[v.Type()]
			if arm == nil { // a type of the program that embeds one of the arms
				w.fail(v.Type().String() + " is not one of the types of " + t.Name())
				return
			}
			arm.write(w, v)
		},
	}
}

// tagsOf returns the members of a struct that are no fields, because they always have the same value.
func tagsOf(t reflect.Type) map[string]string {
	tags := map[string]string{}
	for _, u := range unions {
		if i := slices.Index(u.arms, t); i >= 0 && u.tag != "" {
			tags[u.tag] = u.tags[i]
		}
	}
	return tags
}

// startOf returns how the JSON of a type starts, as reader.start does.
func startOf(t reflect.Type) byte {
	switch t.Kind() {
	case reflect.String:
		return '"'
	case reflect.Bool:
		return 't'
	case reflect.Slice:
		return '['
	case reflect.Struct:
		return '{'
	}
	return '0'
}
