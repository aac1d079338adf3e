package sessiond

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// withoutTimestamp has a message of each role that pi reads, although it has no timestamp.
var withoutTimestamp = map[string]string{
	"user":              `{"role":"user","content":"hello"}`,
	"assistant":         `{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"}`,
	"toolResult":        `{"role":"toolResult","toolCallId":"1","toolName":"read","content":[],"isError":false}`,
	"bashExecution":     `{"role":"bashExecution","command":"ls","output":"","cancelled":false,"truncated":false}`,
	"custom":            `{"role":"custom","customType":"c","content":"x","display":true}`,
	"branchSummary":     `{"role":"branchSummary","summary":"s","fromId":null}`,
	"compactionSummary": `{"role":"compactionSummary","summary":"s","tokensBefore":1}`,
	"system":            `{"role":"system","content":"x"}`,
}

func TestAMessageNeedsNoTimestamp(t *testing.T) {
	u := unions[reflect.TypeFor[Message]()]
	for i, role := range u.tags {
		text := withoutTimestamp[role]
		for _, each := range []string{text, strings.TrimSuffix(text, "}") + `,"timestamp":null}`} {
			message, err := decode[Message](json.RawMessage(each))
			if err != nil || reflect.TypeOf(message) != reflect.PointerTo(u.arms[i]) {
				t.Errorf("%s became %T, %v", each, message, err)
			} else if message.MessageTimestamp() != nil {
				t.Errorf("%s has a timestamp", each)
			}
		}
	}
}

// roles returns the roles of all messages in a value; an unknown message has none.
func roles(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if message, ok := v.Interface().(Message); ok && !v.IsNil() && v.Kind() == reflect.Interface {
			if _, unknown := message.(*UnknownMessage); unknown {
				return []string{""}
			}
			return []string{message.Tag()}
		}
		if !v.IsNil() {
			return roles(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, roles(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = append(all, roles(v.Field(i))...)
			}
		}
	}
	return all
}

func TestWhatWasAppendedIsReadAsTheSameType(t *testing.T) {
	client := started(t, Options{})
	ctx := soon(t)
	path := stored(t)
	reading, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	changes := reading.Changes(ctx)
	session, err := client.Open(ctx, OpenParams{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ResetLeaf(ctx); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, role := range []string{"system", "user", "assistant", "toolResult", "bashExecution", "custom"} {
		raw := &UnknownMessage{Raw: json.RawMessage(withoutTimestamp[role])}
		added, err := session.AppendMessage(ctx, AppendMessageParams{Message: raw})
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, role)
		entry, err := session.Entry(ctx, EntryParams{ID: added.ID})
		if got := roles(reflect.ValueOf(entry)); err != nil || !reflect.DeepEqual(got, []string{role}) {
			t.Errorf("entry: got %q, %v for %s", got, err, role)
		}
		leaf, err := session.LeafEntry(ctx)
		if got := roles(reflect.ValueOf(leaf)); err != nil || !reflect.DeepEqual(got, []string{role}) {
			t.Errorf("leaf: got %q, %v for %s", got, err, role)
		}
		if change := <-changes; len(change.Entries) != 1 || change.Entries[0].ID != added.ID {
			t.Errorf("changes: got %+v for %s", change, role)
		}
	}
	expect := func(what string, value any, err error, wanted ...string) {
		t.Helper()
		if got := roles(reflect.ValueOf(value)); err != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: got %q, %v", what, got, err)
		}
	}
	branch, err := session.BranchEntries(ctx, BranchEntriesParams{})
	expect("branch", branch, err, sent...)
	page, err := session.Entries(ctx, EntriesParams{})
	if err == nil {
		page.Entries = page.Entries[2:]
	}
	expect("entries", page, err, sent...)
	tree, err := session.Tree(ctx, TreeParams{}) // also has the two entries that were stored
	if got := roles(reflect.ValueOf(tree)); err != nil || len(got) != len(sent)+2 || strings.Join(got[2:], " ") != strings.Join(sent, " ") {
		t.Errorf("tree: got %q, %v", got, err)
	}
	entries, err := session.BuildContextEntries(ctx, BuildParams{})
	expect("entries of the context", entries, err, sent...)
	context, err := session.BuildSessionContext(ctx, BuildParams{})
	expect("context", context, err, sent...)
	projection, err := session.BuildSessionProjection(ctx, BuildParams{})
	var twice []string // the entry, and the message that it becomes
	for _, role := range sent {
		twice = append(twice, role, role)
	}
	expect("projection", projection, err, twice...)
	messages, err := client.ContextToLLM(ctx, ToLLMParams{Messages: context.Messages})
	expect("messages for a model", messages, err, "system", "user", "assistant", "toolResult", "user", "user")
	view, err := session.View(ctx, ViewParams{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, item := range view.Items {
		seen = append(seen, item.Role)
	}
	if !reflect.DeepEqual(seen, sent) {
		t.Errorf("view: got %q", seen)
	}
	if _, err := session.AppendCompaction(ctx, AppendCompactionParams{Summary: "s", TokensBefore: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.BranchWithSummary(ctx, BranchWithSummaryParams{EntryID: Ptr("u1"), Summary: "s"}); err != nil {
		t.Fatal(err)
	}
	context, err = session.BuildSessionContext(ctx, BuildParams{})
	expect("context with a summary", context, err, "user", "branchSummary")
}
