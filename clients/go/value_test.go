package sessiond

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// A parsed JSON value is nil, a bool, a string with lone surrogates kept, a number as it is spelled,
// a []any or an object.
type (
	number string
	member struct {
		name  string
		value any
	}
	object []member
)

func (o object) get(name string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value, true
		}
	}
	return nil, false
}

func readValue(r *reader) any {
	switch r.start() {
	case '{':
		o := object{}
		for r.open('{'); r.next('}'); {
			name := r.name()
			o = append(o, member{name, readValue(r)})
		}
		return o
	case '[':
		list := []any{}
		for r.open('['); r.next(']'); {
			list = append(list, readValue(r))
		}
		return list
	case '"':
		return r.str()
	case 't':
		return r.bool()
	case 'n':
		if !r.null() {
			r.fail("null")
		}
		return nil
	case '0':
		return number(r.scalar())
	}
	r.fail("a value")
	return nil
}

func writeValue(w *writer, value any) {
	switch v := value.(type) {
	case nil:
		w.null()
	case bool:
		w.bool(v)
	case string:
		w.str(v)
	case number:
		w.literal(string(v))
	case []any:
		w.open('[')
		for _, each := range v {
			writeValue(w, each)
		}
		w.close(']')
	case object:
		w.open('{')
		for _, each := range v {
			w.key(each.name)
			writeValue(w, each.value)
		}
		w.close('}')
	}
}

func text(value any) string {
	w := &writer{}
	writeValue(w, value)
	return string(w.buf)
}

var patterns = map[string]*regexp.Regexp{
	"time": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
	"id":   regexp.MustCompile(`^([0-9a-f]{8}){1,2}$`),
	"uuid": regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
}

// differs describes where a value differs from the expected one; it returns "" if it does not.
func differs(expected, actual any, at string) string {
	wrong := fmt.Sprintf("%s: expected %.300s, got %.300s", at, text(expected), text(actual))
	switch e := expected.(type) {
	case object:
		if len(e) == 1 && strings.HasPrefix(e[0].name, "$") {
			if message, known := matches(e[0].name, e[0].value, actual, at); known {
				if message == "" {
					return ""
				}
				return message
			}
		}
		a, ok := actual.(object)
		if !ok || len(a) != len(e) {
			return wrong
		}
		return subset(e, a, at)
	case []any:
		a, ok := actual.([]any)
		if !ok || len(a) != len(e) {
			return wrong
		}
		for i := range e {
			if message := differs(e[i], a[i], fmt.Sprintf("%s[%d]", at, i)); message != "" {
				return message
			}
		}
		return ""
	case number:
		if a, ok := actual.(number); ok && rational(e).Cmp(rational(a)) == 0 {
			return ""
		}
		return wrong
	}
	if expected == actual {
		return ""
	}
	return wrong
}

func subset(e, a object, at string) string {
	for _, each := range e {
		value, ok := a.get(each.name)
		if !ok {
			return fmt.Sprintf("%s: %s is missing in %.300s", at, each.name, text(a))
		}
		if message := differs(each.value, value, at+"."+each.name); message != "" {
			return message
		}
	}
	return ""
}

func matches(matcher string, expected, actual any, at string) (message string, known bool) {
	wrong := fmt.Sprintf("%s: expected %s %.300s, got %.300s", at, matcher, text(expected), text(actual))
	good := false
	switch matcher {
	case "$any":
		good = is(expected.(string), actual)
	case "$oneOf":
		for _, each := range expected.([]any) {
			good = good || differs(each, actual, at) == ""
		}
	case "$between":
		begin, end := expected.([]any)[0].(string), expected.([]any)[1].(string)
		a, ok := actual.(string)
		good = ok && len(a) >= len(begin)+len(end) && strings.HasPrefix(a, begin) && strings.HasSuffix(a, end)
	case "$subset":
		a, ok := actual.(object)
		if ok {
			return subset(expected.(object), a, at), true
		}
	case "$unordered":
		good = unordered(expected.([]any), actual, at)
	default:
		return "", false
	}
	if good {
		return "", true
	}
	return wrong, true
}

func unordered(expected []any, actual any, at string) bool {
	list, ok := actual.([]any)
	if !ok || len(list) != len(expected) {
		return false
	}
	left := append([]any{}, list...)
next:
	for _, e := range expected {
		for i, a := range left {
			if differs(e, a, at) == "" {
				left = append(left[:i], left[i+1:]...)
				continue next
			}
		}
		return false
	}
	return true
}

func is(kind string, actual any) bool {
	switch a := actual.(type) {
	case string:
		pattern := patterns[kind]
		return kind == "string" || kind == "value" || pattern != nil && pattern.MatchString(a)
	case number:
		return kind == "value" || kind == "integer" && rational(a).IsInt()
	case []any:
		return kind == "value" || kind == "array"
	case object:
		return kind == "value" || kind == "object"
	}
	return kind == "value"
}

func rational(n number) *big.Rat {
	value, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("no number: " + string(n))
	}
	return value
}
