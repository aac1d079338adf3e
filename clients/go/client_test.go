package sessiond

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAMissingDaemonIsSaidClearly(t *testing.T) {
	_, err := Start(soon(t), Options{Path: "/nowhere/sessiond"})
	for _, hint := range []string{"/nowhere/sessiond", "`pip install .` in a checkout", "SESSIOND", "Options.Path"} {
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("got %v, which does not say %s", err, hint)
		}
	}
	t.Setenv("SESSIOND", "")
	t.Setenv("PATH", "")
	if _, err = Start(soon(t), Options{}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestADaemonThatEndsAtOnceIsSaidWithItsWords(t *testing.T) {
	_, err := Start(soon(t), Options{Args: []string{"--no-such-option"}})
	if !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "no-such-option") {
		t.Errorf("got %v", err)
	}
}

func TestErrorsOfTheDaemonHaveTheirKind(t *testing.T) {
	client := started(t, Options{})
	_, err := client.Open(soon(t), OpenParams{Path: filepath.Join(t.TempDir(), "none.jsonl")})
	var failure *Error
	if !errors.Is(err, KindSessionNotFound) || !errors.As(err, &failure) || failure.Code != 1002 {
		t.Errorf("got %v", err)
	}
}

func TestASessionIsOpenedByItsIDAndNeverMadeByOpening(t *testing.T) {
	client, ctx, dir := started(t, Options{}), soon(t), t.TempDir()
	session, err := client.Create(ctx, CreateParams{Cwd: dir, ID: "by-id"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.AppendMessage(ctx, said("hello")); err != nil {
		t.Fatal(err)
	}
	again, err := client.Open(ctx, OpenParams{ID: "by-id"})
	if err != nil || *again.Opened.SessionFile != *session.Opened.SessionFile {
		t.Errorf("got %v", err)
	}
	missing := filepath.Join(dir, "missing.jsonl")
	for _, params := range []OpenParams{{ID: "unknown"}, {Path: missing}} {
		if _, err := client.Open(ctx, params); !errors.Is(err, KindSessionNotFound) {
			t.Errorf("got %v", err)
		}
	}
	created, err := client.Open(ctx, OpenParams{Path: missing, MustExist: Ptr(false)})
	if err != nil || created.Opened.EntryCount != 0 {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerIsBuiltWithAllThatPiNeeds(t *testing.T) {
	client, ctx := started(t, Options{}), soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	answer := Answer("p", "m", &TextContent{Text: "hi"}, &ToolCall{ID: "c", Name: "ls", Arguments: map[string]json.RawMessage{}})
	if answer.StopReason != AssistantMessageStopReasonToolUse {
		t.Errorf("got %v", answer.StopReason)
	}
	appended, err := session.AppendMessage(ctx, AppendMessageParams{Message: answer})
	if err != nil || session.Leaf() != Some(appended.ID) || session.Tip() != Some(appended.ID) {
		t.Errorf("got %v", err)
	}
}

func TestManyGoroutinesShareAClient(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	session, err := client.Open(ctx, OpenParams{Path: stored(t)})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 10 {
				if _, err := session.AppendMessage(ctx, said("x")); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	count, err := session.EntryCount(ctx)
	if err != nil || count.Count != 82 {
		t.Errorf("got %v, %v", count, err)
	}
	branch, err := session.BranchEntries(ctx, BranchEntriesParams{})
	if err != nil || len(branch.Entries) != 82 {
		t.Errorf("the entries are no single branch: %v", err)
	}
}

func TestChangesOfOthersAreHeardInOrderAndNoneIsDropped(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	reading, err := client.Open(ctx, OpenParams{Path: path, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	writing, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	const times = newsLimit + 50
	hold := make(chan struct{})
	heard := make(chan int, 1)
	var sequence int64
	count := 0
	reading.OnChange(func(change Change) {
		<-hold
		if change.Session != reading.Handle() || change.Sequence != sequence+1 {
			t.Errorf("got %+v after %d", change, sequence)
		}
		sequence = change.Sequence
		if count += len(change.Entries); count >= times {
			heard <- count
		}
	})
	for range times {
		if _, err := writing.AppendMessage(ctx, said("x")); err != nil {
			t.Fatal(err)
		}
	}
	close(hold)
	select {
	case count := <-heard:
		if count != times {
			t.Errorf("heard of %d entries, not %d", count, times)
		}
	case <-ctx.Done():
		t.Error("not all was heard")
	}
}

func TestAHearerMayAskTheDaemon(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	reading, err := client.Open(ctx, OpenParams{Path: path, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	writing, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writing.AppendMessage(ctx, said("before the listener")); err != nil {
		t.Fatal(err)
	}
	changes := reading.Changes(ctx)
	if change := <-changes; change.EntryCount != 3 {
		t.Errorf("got %+v", change)
	}
	leaf, err := reading.LeafEntry(ctx)
	if err != nil || leaf.Entry.(*SessionMessageEntry).Message.(*UserMessage).Content != String("before the listener") {
		t.Errorf("got %v", err)
	}
}

func TestTheCatalogTellsOfNewSessions(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	heard := make(chan CatalogDidChangeParams, 10)
	client.OnCatalogDidChange(func(change CatalogDidChangeParams) { heard <- change })
	cwd := t.TempDir()
	snapshot, err := client.CatalogSubscribe(ctx, CatalogSubscribeParams{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Create(ctx, CreateParams{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.AppendMessage(ctx, said("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case change := <-heard:
		if change.Subscription != snapshot.Subscription || change.Changes[0].Kind != CatalogChangeKindAdded {
			t.Errorf("got %+v", change)
		}
	case <-ctx.Done():
		t.Error("nothing was heard")
	}
	if err := client.CatalogUnsubscribe(ctx, CatalogUnsubscribeParams{Subscription: snapshot.Subscription}); err != nil {
		t.Error(err)
	}
}

func TestAfterCloseEverythingIsRefused(t *testing.T) {
	client := started(t, Options{})
	process := client.link.process
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if code := process.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the daemon left with %d", code)
	}
	if _, err := client.DaemonStatus(soon(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestAClientThatWasNotStartedSaysSo(t *testing.T) {
	var client Client
	ctx := soon(t)
	_, statusErr := client.DaemonStatus(ctx)
	_, openErr := client.Open(ctx, OpenParams{Path: "/s.jsonl"})
	_, watchErr := client.WatchCatalog(ctx, CatalogSubscribeParams{})
	_, callErr := (*Client)(nil).Call(ctx, "daemon/status", nil)
	errs := []error{
		statusErr, openErr, watchErr, callErr, client.Shutdown(ctx), client.Close(), (*Client)(nil).Close(),
	}
	for _, err := range client.AllSessions(ctx, ListParams{}) {
		errs = append(errs, err)
	}
	for i, err := range errs {
		if !errors.Is(err, ErrNotStarted) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	client.OnNotification(func(string, json.RawMessage) {})()
}

func TestAllSessionsPassesEveryParamOn(t *testing.T) {
	params := ListParams{Cwd: "/w"}
	sent := reflect.ValueOf(&params).Elem()
	for i := range sent.NumField() {
		switch field := sent.Field(i); field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int64:
			field.SetInt(5)
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Slice:
			field.Set(reflect.ValueOf([]string{"x"}))
		default:
			field.Set(reflect.ValueOf(String("token")))
		}
	}
	all, err := ofAllDirectories(params)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sent.NumField() {
		name := sent.Type().Field(i).Name
		if name == "Cwd" || name == "ExactCwd" {
			continue
		}
		if got := reflect.ValueOf(all).FieldByName(name); !got.IsValid() || fmt.Sprint(got) != fmt.Sprint(sent.Field(i)) {
			t.Errorf("%s is not passed on", name)
		}
	}
}

func TestAnEndedContextAsksNothing(t *testing.T) {
	client := started(t, Options{})
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("on purpose"))
	if _, err := client.Create(ctx, CreateParams{Cwd: "/w"}); err == nil || !strings.Contains(err.Error(), "on purpose") || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	status, err := client.DaemonStatus(soon(t))
	if err != nil || status.OpenSessions != 0 {
		t.Errorf("got %+v, %v", status, err)
	}
}

func TestABodyBeyondTheLimitFailsItsRequestOnly(t *testing.T) {
	client := started(t, Options{Args: []string{"--max-message", "100000"}})
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	session, err := client.InMemory(ctx, InMemoryParams{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = session.AppendMessage(ctx, said(strings.Repeat("x", 200000))); !errors.Is(err, KindTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err = session.AppendMessage(ctx, said("x")); err != nil {
		t.Error(err)
	}
}

func TestTheDocumentOfTheDaemonHasEveryMethodOfThisPackage(t *testing.T) {
	client := started(t, Options{})
	document, err := client.RPCDiscover(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	var described []struct{ Name string }
	if err := json.Unmarshal(document["methods"], &described); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, each := range described {
		names[each.Name] = true
	}
	for name := range methods {
		if !names[name] {
			t.Errorf("the daemon does not know %s", name)
		}
	}
}
