package sessiond

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func entryOf(t *testing.T, text string) Entry {
	t.Helper()
	entry, err := ParseEntry(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(entry.JSON()); got != text {
		t.Errorf("the text is %s, not %s", got, text)
	}
	return entry
}

func TestAnEntryIsTheClassOfItsType(t *testing.T) {
	entry := entryOf(t, `{"type":"message","id":"u1","parentId":null,"timestamp":"t","more":[1],"message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}}`)
	message, ok := entry.(*SessionMessageEntry)
	if !ok {
		t.Fatalf("got %T", entry)
	}
	if *message.EntryID() != "u1" || message.ParentID != nil || !message.EntryParentID().IsNull() {
		t.Errorf("got %+v", message)
	}
	user := message.Message.(*UserMessage)
	if text := user.Content.(BlockList)[0].(*TextContent); text.Text != "hi" {
		t.Errorf("got %q", text.Text)
	}
}

func TestWhatDoesNotFitItsClassIsUnknownAndKeepsItsText(t *testing.T) {
	for _, text := range []string{
		`{"type":"from the future","id":"x"}`,
		`{"type":"session_info","id":3,"parentId":null,"timestamp":"t"}`,
		`{"type":"session_info","id":null,"parentId":null,"timestamp":"t"}`,
		`{"type":"session_info","parentId":null,"timestamp":"t"}`,
		`{"type":"session_info","id":"x","timestamp":"t"}`,
		`{"type":"message","id":"x","parentId":null,"timestamp":"t"}`,
		`{"Type":"message"}`,
		`{"type":"label","type":"message"}`,
		`{"type":"compaction","tokensBefore":123456789012345678901234567890}`,
		`{"type":"compaction","tokensBefore":1.0}`,
		`{"type":"usage","usage":{"cost":{"total":1e400}}}`,
		`{"type":5}`, `{}`, `42`, `null`, `"message"`, `[]`,
	} {
		if entry := entryOf(t, text); reflect.TypeOf(entry) != reflect.TypeFor[*UnknownEntry]() {
			t.Errorf("%s became %T", text, entry)
		}
	}
	entry := entryOf(t, `{"id":"x","type":"from the future","timestamp":3}`)
	if entry.Tag() != "from the future" || *entry.EntryID() != "x" || entry.EntryTimestamp() != nil {
		t.Errorf("got %q, %v, %v", entry.Tag(), entry.EntryID(), entry.EntryTimestamp())
	}
}

func TestMembersOfAnotherCaseAreOthers(t *testing.T) {
	entry := entryOf(t, `{"type":"session_info","id":"x","ID":5,"parentId":null,"timestamp":"t","Name":"y"}`)
	if info, ok := entry.(*SessionInfoEntry); !ok || info.ID != "x" || info.Name != nil {
		t.Errorf("got %+v", entry)
	}
}

func TestAMisfitAffectsOnlyItsUnion(t *testing.T) {
	entry := entryOf(t, `{"type":"message","id":"x","parentId":null,"timestamp":"t","message":{"role":"toolResult","toolCallId":"1","toolName":"read","isError":false,"timestamp":1,"content":[{"type":"text","text":1},{"type":"text","text":"ok"}]}}`)
	blocks := entry.(*SessionMessageEntry).Message.(*ToolResultMessage).Content
	if _, ok := blocks[0].(*UnknownBlock); !ok {
		t.Errorf("got %T", blocks[0])
	}
	if _, ok := blocks[1].(*TextContent); !ok {
		t.Errorf("got %T", blocks[1])
	}
}

func TestALoneSurrogateStaysInTheTextOnly(t *testing.T) {
	entry := entryOf(t, `{"type":"session_info","id":"x","parentId":null,"timestamp":"t","name":"cut \ud83d here"}`)
	if name := *entry.(*SessionInfoEntry).Name; name != "cut \ufffd here" {
		t.Errorf("got %q", name)
	}
}

func TestOpaqueValuesAreSentByteForByte(t *testing.T) {
	const data = `{ "b" :1e400,"a":"<\ud83d>&","n":123456789012345678901234567890,"z":-0,"z":1.0}`
	out, err := json.Marshal(AppendCustomEntryParams{Session: "s", CustomType: "c", Data: json.RawMessage(data)})
	if err != nil {
		t.Fatal(err)
	}
	exact, _ := encode(AppendCustomEntryParams{Session: "s", CustomType: "c", Data: json.RawMessage(data)})
	if want := `{"session":"s","customType":"c","data":` + data + `}`; string(exact) != want {
		t.Errorf("got %s (and %s)", exact, out)
	}
	for _, bad := range []string{`{`, ``, `1 2`, "\"\xff\""} {
		if _, err := encode(json.RawMessage(bad)); err == nil {
			t.Errorf("%q was sent", bad)
		}
	}
}

func TestMembersHaveThreeStates(t *testing.T) {
	for want, params := range map[string]BuildParams{
		`{"session":"s"}`:               {Session: "s"},
		`{"session":"s","leafId":null}`: {Session: "s", LeafID: Null[string]()},
		`{"session":"s","leafId":"x"}`:  {Session: "s", LeafID: Some("x")},
	} {
		out, err := json.Marshal(params)
		if err != nil || string(out) != want {
			t.Errorf("got %s, %v", out, err)
		}
		var back BuildParams
		if err := json.Unmarshal(out, &back); err != nil || back != params {
			t.Errorf("%s is read as %+v, %v", out, back, err)
		}
	}
}

func TestTextThatIsNotJSONIsAnError(t *testing.T) {
	const text = `{"type":"message","id":"a\"\\","message":{"role":"user","content":[{"type":"text","text":"\ud83d"}],"timestamp":-12}}`
	for i := range text {
		for _, cut := range []string{text[:i], text[i:], text[:i] + "]" + text[i:], text[:i] + `\` + text[i:]} {
			if json.Valid([]byte(cut)) {
				continue
			}
			if entry, err := ParseEntry(json.RawMessage(cut)); err == nil {
				t.Errorf("%s became %T", cut, entry)
			}
		}
	}
}

func TestDeepValuesArePassedOver(t *testing.T) {
	deep := strings.Repeat("[", 9990) + strings.Repeat("]", 9990)
	entry := entryOf(t, `{"type":"custom","id":"x","parentId":null,"timestamp":"t","customType":"c","data":`+deep+`}`)
	if custom, ok := entry.(*CustomEntry); !ok || string(custom.Data) != deep {
		t.Errorf("got %T", entry)
	}
}

func TestATypeThatEmbedsAnArmIsAnError(t *testing.T) {
	type mine struct {
		*UserMessage
		More string
	}
	type entry struct{ *LabelEntry }
	type block struct{ Block }
	message := mine{UserMessage: UserText("x")}
	for value, want := range map[any]string{
		&AppendMessageParams{Message: message}:                   "sessiond.mine is not one of the types of Message",
		&AppendMessageParams{Message: &message}:                  "*sessiond.mine is not one of the types of Message",
		&MessagesParams{Messages: []Message{message}}:            "sessiond.mine is not one of the types of Message",
		&TreeNode{Entry: entry{&LabelEntry{}}}:                   "sessiond.entry is not one of the types of Entry",
		&UserMessage{Content: BlockList{&block{&TextContent{}}}}: "*sessiond.block is not one of the types of Block",
	} {
		if _, err := json.Marshal(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, not %s", err, want)
		}
	}
}

func TestErrorsAreDistinguishedByKind(t *testing.T) {
	const answer = `{"code":1006,"message":"moved","data":{"kind":"LeafConflict","retryable":false,"expected":null,"leafId":"a","tipId":"b"}}`
	err := readError("session/appendMessage", json.RawMessage(answer))
	wrapped := errors.Join(errors.New("context"), err)
	if !errors.Is(wrapped, KindLeafConflict) || errors.Is(wrapped, KindBusy) {
		t.Error("the kind is not recognised")
	}
	var failure *Error
	var conflict *LeafConflictError
	if !errors.As(wrapped, &conflict) || conflict.Expected != nil || *conflict.TipID != "b" {
		t.Errorf("got %+v", conflict)
	}
	if !errors.As(conflict, &failure) || conflict.Error() != failure.Error() {
		t.Errorf("%v is not what it wraps", conflict)
	}
	err = readError("x", json.RawMessage(`{"code":1006,"message":"moved","data":{"kind":"LeafConflict","leafId":1}}`))
	if errors.As(err, &conflict) || !errors.Is(err, KindLeafConflict) {
		t.Error("data that does not fit became an error with data")
	}
	err = readError("x", json.RawMessage(`{"code":-32602,"message":"no","data":{"pointer":"/message/role"}}`))
	if !errors.As(err, &failure) || failure.Pointer() != "/message/role" {
		t.Errorf("got %v", err)
	}
	if err = readError("x", json.RawMessage(`{"code":-32601,"message":"no"}`)); !errors.Is(err, KindMethodNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestIDsForEntriesAreAddedOnlyWhereNoneIsGiven(t *testing.T) {
	for text, added := range map[string]bool{
		`{"session":"s"}`: true, `{ }`: true, `{"newEntryId" : null, "a":1}`: true,
		`{"newEntryId":"x"}`: false, `{"newEntryId":""}`: false, `[]`: false, `3`: false,
	} {
		out := withName(json.RawMessage(text), "newEntryId")
		if !json.Valid(out) || !added && string(out) != text {
			t.Errorf("%s became %s", text, out)
		}
		if id := memberOf[string](out, "newEntryId"); added && len(id) != 16 {
			t.Errorf("%s has id %q", out, id)
		}
	}
}

func TestTheZeroValueOfAParamIsAbsentUnlessItHasAMeaning(t *testing.T) {
	for want, params := range map[string]any{
		`{"cwd":"/w"}`:                                ListParams{Cwd: "/w"},
		`{"cwd":"/w","limit":5,"cursor":"c"}`:         ListParams{Cwd: "/w", Limit: 5, Cursor: "c"},
		`{"query":"q","mode":"regex"}`:                CatalogSearchParams{Query: "q", Mode: CatalogSearchModeRegex},
		`{"path":"p","dryRun":false}`:                 RepairParams{Path: "p", DryRun: false},
		`{"session":"s","targetId":"t","summary":""}`: FinishBranchSummaryParams{Session: "s", TargetID: "t", Summary: Ptr("")},
		`{"session":"s","name":""}`:                   AppendSessionInfoParams{Session: "s"},
		`{"mode":"daily","atHour":0}`:                 GivenPolicy{Mode: "daily", AtHour: Ptr[int64](0)},
		`{"session":"s","parentId":null}`:             ChildrenParams{Session: "s"},
		`{"role":"user","content":"","timestamp":0}`:  UserMessage{Content: String(""), Timestamp: Ptr(int64(0))},
	} {
		if text, err := json.Marshal(params); err != nil || string(text) != want {
			t.Errorf("got %s, not %s: %v", text, want, err)
		}
	}
}
