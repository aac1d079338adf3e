package sessiond

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// future has the answers of a later daemon; see protocol/future/README.md.
type future struct {
	Answers []struct {
		Methods []string
		Result  json.RawMessage
	}
	Notifications []struct {
		Method string
		Params json.RawMessage
	}
	Errors []struct {
		Code int64
		Data json.RawMessage
	}
}

func readFuture(t *testing.T) (found future) {
	t.Helper()
	text, err := os.ReadFile("../../protocol/future/answers.json")
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func again[T any](text []byte) ([]byte, error) {
	value, err := decode[T](text)
	if err != nil {
		return nil, err
	}
	return encode(value)
}

// known returns a parsed value without what was added.
func known(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return withoutAdded(value)
}

func withoutAdded(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "addedLater")
		for name, each := range value {
			value[name] = withoutAdded(each)
		}
	case []any:
		for i, each := range value {
			value[i] = withoutAdded(each)
		}
	}
	return value
}

func TestWhatIsKnownOfAnAnswerOfALaterDaemonStays(t *testing.T) {
	seen := map[string]bool{}
	check := func(method string, text []byte) {
		readAgain := answers[method]
		if readAgain == nil {
			return
		}
		seen[method] = true
		got, err := readAgain(text)
		if err != nil {
			t.Errorf("%s: %v\n%s", method, err, text)
		} else if got, want := known(t, got), known(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%v\n%v", method, got, want)
		}
	}
	all := readFuture(t)
	for _, each := range all.Answers {
		for _, method := range each.Methods {
			check(method, each.Result)
		}
	}
	for _, each := range all.Notifications {
		check(each.Method, each.Params)
	}
	if len(seen) != len(answers) {
		t.Errorf("%d of %d methods were checked", len(seen), len(answers))
	}
}

func TestALaterDaemonIsADaemon(t *testing.T) {
	daemon, err := filepath.Abs("../../protocol/tests/future_daemon.py")
	if err != nil {
		t.Fatal(err)
	}
	client := started(t, Options{Path: "python3", Args: []string{daemon}})
	subscription, err := client.WatchGateway(soon(t), GatewaySubscribeParams{})
	if err != nil {
		t.Fatal(err)
	}
	event := <-subscription.Events
	if event.Kind != Changed || event.Change.Changes[1].Kind != "addedLater" {
		t.Errorf("got %+v", event)
	}
	for i, want := range readFuture(t).Errors {
		_, err := client.SessionOpen(soon(t), OpenParams{Path: fmt.Sprintf("error: %d", i)})
		var got *Error
		if !errors.As(err, &got) || got.Code != want.Code || string(got.Kind) != memberOf[string](want.Data, "kind") {
			t.Errorf("%d %s: %v", want.Code, want.Data, err)
		}
	}
	for _, want := range []WatchStatusMode{WatchStatusModeNative, "addedLater"} {
		status, err := client.DaemonStatus(soon(t))
		if err != nil || status.Watch.Mode != want {
			t.Error(status, err)
		}
	}
}
