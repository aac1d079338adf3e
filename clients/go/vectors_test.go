package sessiond

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const vectorsDir = "../../protocol/vectors"

// Every vector is replayed through Client.Call, to the byte where the vector has bytes.
func TestVectors(t *testing.T) {
	names, err := filepath.Glob(vectorsDir + "/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no vectors in %s: %v", vectorsDir, err)
	}
	var passed atomic.Int64
	t.Cleanup(func() {
		fmt.Printf("vectors: %d passed, %d failed\n", passed.Load(), int64(len(names))-passed.Load())
	})
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			t.Parallel()
			replayVector(t, name)
			if !t.Failed() {
				passed.Add(1)
			}
		})
	}
}

type replay struct {
	t      *testing.T
	client *Client
	values map[string]any
	mu     sync.Mutex
	heard  []member
	came   chan struct{}
}

func replayVector(t *testing.T, name string) {
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parse(content, readValue)
	if err != nil {
		t.Fatal(err)
	}
	vector := parsed.(object)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{t: t, values: map[string]any{"dir": dir}, came: make(chan struct{}, 1)}
	if generate, ok := vector.get("generate"); ok {
		for _, each := range generate.(object) {
			rule := each.value.([]any)
			times, _ := strconv.Atoi(string(rule[1].(number)))
			r.values[each.name] = strings.Repeat(rule[0].(string), times)
		}
	}
	if files, ok := vector.get("files"); ok {
		for _, each := range files.([]any) {
			r.lay(each.(object))
		}
	}
	r.start(vector)
	steps, _ := vector.get("steps")
	for i, step := range steps.([]any) {
		r.step(step.(object))
		if t.Failed() {
			t.Fatalf("in step %d: %.200s", i, text(step))
		}
	}
}

func (r *replay) start(vector object) {
	options := Options{Args: []string{"--agent-dir", r.fill("${dir}/agent").(string)}}
	if more, ok := vector.get("options"); ok {
		for _, each := range more.([]any) {
			options.Args = append(options.Args, r.fill(each).(string))
		}
	}
	opening, _ := vector.get("initialize")
	begin, _ := opening.(object)
	if params, ok := begin.get("params"); ok {
		if err := json.Unmarshal([]byte(text(r.fill(params))), &options.Initialize); err != nil {
			r.t.Fatal(err)
		}
	}
	if fidelity, _ := vector.get("fidelity"); fidelity == "plain" {
		options.Initialize.Capabilities = &ClientCapabilities{PlainJSON: true}
	}
	client, err := Start(context.Background(), options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.client = client
	r.t.Cleanup(func() { _ = client.Close() })
	client.OnNotification(func(method string, params json.RawMessage) {
		value, _ := parse(params, readValue)
		r.mu.Lock()
		r.heard = append(r.heard, member{method, value})
		r.mu.Unlock()
		select {
		case r.came <- struct{}{}:
		default:
		}
	})
	server, err := json.Marshal(client.Server())
	if err != nil {
		r.t.Fatal(err)
	}
	r.compare(begin, server)
}

func (r *replay) step(step object) {
	switch step[0].name {
	case "request":
		r.request(step)
	case "notify":
		r.notify(step)
	case "notification":
		r.notification(step)
	case "edit":
		r.edit(step)
	case "check":
		r.check(step)
	default:
		r.t.Errorf("no step is known that begins with %s", step[0].name)
	}
}

func (r *replay) params(step object) json.RawMessage {
	if exact, ok := step.get("paramsText"); ok {
		return json.RawMessage(r.filled(exact.(string)))
	}
	if params, ok := step.get("params"); ok {
		return json.RawMessage(text(r.fill(params)))
	}
	return nil
}

func (r *replay) request(step object) {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	result, err := r.client.Call(ctx, step[0].value.(string), r.params(step))
	expected, fails := step.get("error")
	if !fails {
		if err != nil {
			r.t.Error(err)
			return
		}
		r.compare(step, result)
		return
	}
	var failure *Error
	if !errors.As(err, &failure) {
		r.t.Errorf("expected error %s, got %v with %.300s", text(expected), err, result)
		return
	}
	actual := object{{"code", number(strconv.FormatInt(failure.Code, 10))}, {"message", failure.Message}}
	if failure.Data != nil {
		data, _ := parse(failure.Data, readValue)
		actual = append(actual, member{"data", data})
	}
	if message := differs(object{{"$subset", r.fill(expected)}}, actual, "error"); message != "" {
		r.t.Error(message)
	}
}

func (r *replay) compare(step object, result json.RawMessage) {
	value, err := parse(result, readValue)
	if err != nil {
		r.t.Fatal(err)
	}
	if exact, ok := step.get("resultText"); ok {
		if expected := r.filled(exact.(string)); expected != string(result) {
			r.t.Errorf("expected result\n%.2000s\ngot\n%.2000s", expected, result)
		}
	}
	if expected, ok := step.get("result"); ok {
		if message := differs(r.fill(expected), value, "result"); message != "" {
			r.t.Error(message)
		}
	}
	r.capture(step, value)
}

func (r *replay) capture(step object, value any) {
	captures, _ := step.get("capture")
	wanted, _ := captures.(object)
	for _, each := range wanted {
		found := value
		for _, key := range strings.Split(each.value.(string), ".") {
			switch v := found.(type) {
			case object:
				found, _ = v.get(key)
			case []any:
				i, _ := strconv.Atoi(key)
				found = v[i]
			}
		}
		r.values[each.name] = found
	}
}

func (r *replay) notify(step object) {
	link := r.client.link
	if err := r.client.Notify(step[0].value.(string), r.params(step)); err != nil {
		r.t.Error(err)
	}
	code, ends := step.get("exitCode")
	if !ends {
		return
	}
	select {
	case <-link.done:
		if got := link.process.ProcessState.ExitCode(); strconv.Itoa(got) != string(code.(number)) {
			r.t.Errorf("exit code %d, expected %s", got, code)
		}
	case <-time.After(30 * time.Second):
		r.t.Error("the daemon did not end")
	}
}

func (r *replay) notification(step object) {
	params, _ := step.get("params")
	late := time.After(30 * time.Second)
	for {
		r.mu.Lock()
		for i, each := range r.heard {
			if each.name == step[0].value {
				r.heard = append(r.heard[:i], r.heard[i+1:]...)
				r.mu.Unlock()
				if message := differs(r.fill(params), each.value, "params"); message != "" {
					r.t.Error(message)
				}
				r.capture(step, each.value)
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-r.came:
		case <-late:
			r.t.Errorf("no %s came", step[0].value)
			return
		}
	}
}

func (r *replay) lay(file object) {
	name, _ := file.get("path")
	path := r.filled(name.(string))
	r.must(os.MkdirAll(filepath.Dir(path), 0o700))
	r.must(os.WriteFile(path, r.contents(file), 0o600))
	if modified, ok := file.get("modified"); ok {
		seconds, _ := rational(modified.(number)).Float64()
		at := time.UnixMilli(int64(seconds * 1000))
		r.must(os.Chtimes(path, at, at))
	}
}

func (r *replay) contents(file object) []byte {
	if coded, ok := file.get("base64"); ok {
		content, err := base64.StdEncoding.DecodeString(coded.(string))
		r.must(err)
		return content
	}
	content, _ := file.get("text")
	lines, ok := content.([]any)
	if !ok {
		return []byte(r.filled(content.(string)))
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(r.filled(line.(string)) + "\n")
	}
	return []byte(out.String())
}

func (r *replay) edit(step object) {
	path := r.filled(step[0].value.(string))
	content := func() []byte { return r.contents(object{{"text", step[1].value}}) }
	if coded, ok := step[1].value.(object); ok {
		content = func() []byte { return r.contents(coded) }
	}
	switch step[1].name {
	case "append", "write":
		flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
		if step[1].name == "write" {
			flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		}
		file, err := os.OpenFile(path, flags, 0o600)
		r.must(err)
		_, err = file.Write(content())
		r.must(err)
		r.must(file.Close())
	case "replace":
		r.must(os.WriteFile(path+".new", content(), 0o600))
		r.must(os.Rename(path+".new", path))
	case "truncate":
		size, _ := strconv.ParseInt(string(step[1].value.(number)), 10, 64)
		r.must(os.Truncate(path, size))
	case "delete":
		r.must(os.Remove(path))
	default:
		r.t.Errorf("no edit is known as %s", step[1].name)
	}
}

func (r *replay) check(step object) {
	path := r.filled(step[0].value.(string))
	actual, err := os.ReadFile(path)
	if content, ok := step.get("text"); ok && content == nil {
		if !errors.Is(err, os.ErrNotExist) {
			r.t.Errorf("%s should not be there: %v", path, err)
		}
		return
	}
	r.must(err)
	if expected := r.contents(step); string(actual) != string(expected) {
		r.t.Errorf("%s: expected\n%.3000s\ngot\n%.3000s", path, expected, actual)
	}
}

func (r *replay) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (r *replay) filled(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		switch value := r.values[found[2:len(found)-1]].(type) {
		case string:
			return value
		case number:
			return string(value)
		default:
			r.t.Fatalf("nothing to put in for %s", found)
			return ""
		}
	})
}

func (r *replay) fill(value any) any {
	switch v := value.(type) {
	case string:
		if found := placeholder.FindString(v); found != "" && found == v {
			return r.values[v[2:len(v)-1]]
		}
		return r.filled(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = r.fill(v[i])
		}
		return list
	case object:
		filled := make(object, len(v))
		for i, each := range v {
			filled[i] = member{each.name, r.fill(each.value)}
		}
		return filled
	}
	return value
}
