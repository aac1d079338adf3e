;;; sessiond-api.el --- Methods of sessiond  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
;; Do not edit; run `make generate'.

;; Every method of the contract as a function that waits for the answer, a table of facts about the
;; methods for the client, and a condition for every kind of error.

;;; Code:

(declare-function sessiond-request "sessiond-client" (target method &optional params))

(defconst sessiond-api-methods
  '(("initialize")
    ("shutdown")
    ("rpc.discover" repeatable)
    ("daemon/status" repeatable)
    ("session/create" opens)
    ("session/open" opens repeatable)
    ("session/continueRecent" opens)
    ("session/inMemory" opens)
    ("session/forkFrom" opens)
    ("session/close" session repeatable)
    ("session/getState" session repeatable)
    ("session/newSession" session)
    ("session/setSessionFile" session)
    ("session/createBranchedSession" session)
    ("session/findById" repeatable)
    ("session/list" repeatable)
    ("session/listAll" repeatable)
    ("session/appendMessage" session appends repeatable)
    ("session/appendThinkingLevelChange" session appends repeatable)
    ("session/appendModelChange" session appends repeatable)
    ("session/appendCompaction" session appends repeatable)
    ("session/appendCustomEntry" session appends repeatable)
    ("session/appendSessionInfo" session appends repeatable)
    ("session/appendCustomMessageEntry" session appends repeatable)
    ("session/appendLabelChange" session appends repeatable)
    ("session/appendUsage" session appends repeatable)
    ("session/appendContextEdit" session appends repeatable)
    ("session/branchWithSummary" session appends repeatable)
    ("session/getLeafId" session repeatable)
    ("session/getLeafEntry" session repeatable)
    ("session/getEntry" session repeatable)
    ("session/getSource" session repeatable)
    ("session/getEntries" session repeatable)
    ("session/getEntryCount" session repeatable)
    ("session/getBranch" session repeatable)
    ("session/getChildren" session repeatable)
    ("session/getTree" session repeatable)
    ("session/getLabel" session repeatable)
    ("session/branch" session repeatable)
    ("session/resetLeaf" session repeatable)
    ("session/getView" session repeatable)
    ("session/buildSessionContext" session repeatable)
    ("session/buildContextEntries" session repeatable)
    ("session/buildSessionProjection" session repeatable)
    ("session/getHeader" session repeatable)
    ("session/getSessionName" session repeatable)
    ("session/getCwd" session repeatable)
    ("session/getSessionDir" session repeatable)
    ("session/getSessionId" session repeatable)
    ("session/getSessionFile" session repeatable)
    ("session/isPersisted" session repeatable)
    ("session/usesDefaultSessionDir" session repeatable)
    ("context/estimateTokens" session repeatable)
    ("context/shouldCompact" session repeatable)
    ("context/windowUsage" session repeatable)
    ("context/toLlm" session repeatable)
    ("context/serialize" session repeatable)
    ("context/prepareCompaction" session repeatable)
    ("context/finishCompaction" session appends repeatable)
    ("context/prepareBranchSummary" session repeatable)
    ("context/finishBranchSummary" session appends repeatable)
    ("context/navigate" session appends repeatable)
    ("catalog/subscribe" repeatable)
    ("catalog/unsubscribe" repeatable)
    ("catalog/search" repeatable)
    ("catalog/rename")
    ("catalog/delete")
    ("catalog/restore")
    ("catalog/listTrash" repeatable)
    ("catalog/check" repeatable)
    ("catalog/repair")
    ("catalog/stats" session repeatable)
    ("catalog/usage" repeatable)
    ("catalog/export" session)
    ("gateway/resolveKey" repeatable)
    ("gateway/evaluateFreshness" repeatable)
    ("gateway/isSilentReply" repeatable)
    ("gateway/planMemoryFlush" repeatable)
    ("gateway/get" repeatable)
    ("gateway/patch" repeatable)
    ("gateway/reset")
    ("gateway/delete")
    ("gateway/list" repeatable)
    ("gateway/recordUsage")
    ("gateway/recordCompaction")
    ("gateway/recordMemoryFlush")
    ("gateway/begin")
    ("gateway/maintain")
    ("gateway/subscribe" repeatable)
    ("gateway/unsubscribe" repeatable))
  "Facts about each method: (NAME . FACTS).
Members of FACTS: `session', it takes a session handle; `appends', an id
chosen by the client makes a retry safe; `opens', it answers a new handle;
`repeatable', it may be sent again if the daemon ended before it answered.")

(defconst sessiond-api-notifications
  '("$/progress"
    "session/didChange"
    "catalog/didChange"
    "gateway/didChange")
  "Notifications that the daemon may send.")

(define-error 'sessiond-error "Sessiond")
(define-error 'sessiond-unknown-session "UnknownSession" 'sessiond-error)
(define-error 'sessiond-session-not-found "SessionNotFound" 'sessiond-error)
(define-error 'sessiond-invalid-session-file "InvalidSessionFile" 'sessiond-error)
(define-error 'sessiond-entry-not-found "EntryNotFound" 'sessiond-error)
(define-error 'sessiond-not-editable "NotEditable" 'sessiond-error)
(define-error 'sessiond-leaf-conflict "LeafConflict" 'sessiond-error)
(define-error 'sessiond-write-failed "WriteFailed" 'sessiond-error)
(define-error 'sessiond-path-not-allowed "PathNotAllowed" 'sessiond-error)
(define-error 'sessiond-read-only "ReadOnly" 'sessiond-error)
(define-error 'sessiond-invalid-session-id "InvalidSessionId" 'sessiond-error)
(define-error 'sessiond-too-large "TooLarge" 'sessiond-error)
(define-error 'sessiond-already-exists "AlreadyExists" 'sessiond-error)
(define-error 'sessiond-busy "Busy" 'sessiond-error)
(define-error 'sessiond-invalid-query "InvalidQuery" 'sessiond-error)
(define-error 'sessiond-unsupported "Unsupported" 'sessiond-error)
(define-error 'sessiond-gateway-rejected "GatewayRejected" 'sessiond-error)
(define-error 'sessiond-read-failed "ReadFailed" 'sessiond-error)
(define-error 'sessiond-in-use "InUse" 'sessiond-error)
(define-error 'sessiond-out-of-resources "OutOfResources" 'sessiond-error)
(define-error 'sessiond-invalid-cursor "InvalidCursor" 'sessiond-error)
(define-error 'sessiond-unsupported-version "UnsupportedVersion" 'sessiond-error)
(define-error 'sessiond-timed-out "TimedOut" 'sessiond-error)
(define-error 'sessiond-parse-error "ParseError" 'sessiond-error)
(define-error 'sessiond-invalid-request "InvalidRequest" 'sessiond-error)
(define-error 'sessiond-method-not-found "MethodNotFound" 'sessiond-error)
(define-error 'sessiond-invalid-params "InvalidParams" 'sessiond-error)
(define-error 'sessiond-internal-error "InternalError" 'sessiond-error)
(define-error 'sessiond-request-cancelled "RequestCancelled" 'sessiond-error)

(defconst sessiond-api-conditions
  '(("UnknownSession" . sessiond-unknown-session)
    ("SessionNotFound" . sessiond-session-not-found)
    ("InvalidSessionFile" . sessiond-invalid-session-file)
    ("EntryNotFound" . sessiond-entry-not-found)
    ("NotEditable" . sessiond-not-editable)
    ("LeafConflict" . sessiond-leaf-conflict)
    ("WriteFailed" . sessiond-write-failed)
    ("PathNotAllowed" . sessiond-path-not-allowed)
    ("ReadOnly" . sessiond-read-only)
    ("InvalidSessionId" . sessiond-invalid-session-id)
    ("TooLarge" . sessiond-too-large)
    ("AlreadyExists" . sessiond-already-exists)
    ("Busy" . sessiond-busy)
    ("InvalidQuery" . sessiond-invalid-query)
    ("Unsupported" . sessiond-unsupported)
    ("GatewayRejected" . sessiond-gateway-rejected)
    ("ReadFailed" . sessiond-read-failed)
    ("InUse" . sessiond-in-use)
    ("OutOfResources" . sessiond-out-of-resources)
    ("InvalidCursor" . sessiond-invalid-cursor)
    ("UnsupportedVersion" . sessiond-unsupported-version)
    ("TimedOut" . sessiond-timed-out))
  "Conditions by kind of error; each is a `sessiond-error'.")

(defconst sessiond-api-codes
  '((-32700 . sessiond-parse-error)
    (-32600 . sessiond-invalid-request)
    (-32601 . sessiond-method-not-found)
    (-32602 . sessiond-invalid-params)
    (-32603 . sessiond-internal-error)
    (-32800 . sessiond-request-cancelled))
  "Conditions by code, for errors of JSON-RPC, which have no kind.")

(defun sessiond-api-rpc-discover (client)
  "Read the OpenRPC document of this daemon.
CLIENT is a client; what is sent is `rpc.discover'."
  (sessiond-request client "rpc.discover"))

(defun sessiond-api-daemon-status (client)
  "Read the counters of the daemon.
CLIENT is a client; what is sent is `daemon/status'."
  (sessiond-request client "daemon/status"))

(defun sessiond-api-session-create (client &rest params)
  "Create a session.
CLIENT is a client; what is sent is `session/create'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:sessionDir  optional; Directory for the file, instead of the profile's.
:id  optional; Id of the new session: letters, digits, `-', `_' and `.',
    with a letter or digit at both ends.  Absent: a UUID version 7.
:parentSession  optional; Path of the parent session; stored in the header."
  (sessiond-request client "session/create" params))

(defun sessiond-api-session-open (client &rest params)
  "Open a session file.
Versions 1 and 2 are migrated on disk unless `readOnly'.
CLIENT is a client; what is sent is `session/open'.
PARAMS are keywords with values:
:path  The session file.
:sessionDir  optional; Directory for sessions branched off this one; absent:
    the directory of the file.
:cwd  optional; Working directory to use instead of the one in the header.
:readOnly  optional; Refuse writes; a file of an older version is migrated
    in memory only.
:follow  optional; Move the handle's leaf whenever the leaf of the file
    moves.
:mustExist  optional; Refuse a missing file (`SessionNotFound')."
  (sessiond-request client "session/open" params))

(defun sessiond-api-session-continue-recent (client &rest params)
  "Open the most recent session of a working directory, or create one.
CLIENT is a client; what is sent is `session/continueRecent'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:sessionDir  optional; Directory to search instead of the profile's."
  (sessiond-request client "session/continueRecent" params))

(defun sessiond-api-session-in-memory (client &rest params)
  "Create a session that has no file.
CLIENT is a client; what is sent is `session/inMemory'.
PARAMS are keywords with values:
:cwd  optional; Working directory; absent: that of the daemon.
:id  optional; Id of the session, as in `session/create'.
:entries  optional; Initial entries, in file order; a header may come first."
  (sessiond-request client "session/inMemory" params))

(defun sessiond-api-session-fork-from (client &rest params)
  "Call `session/forkFrom'.
Copy a session into a new file for another working directory and open the
copy.
CLIENT is a client; what is sent is `session/forkFrom'.
PARAMS are keywords with values:
:sourcePath  The session file to copy.
:targetCwd  Working directory of the new session.
:sessionDir  optional; Directory for the new file, instead of the profile's.
:id  optional; Id of the new session, as in `session/create'.
:leafId  optional; Copy only the branch that ends with this entry, as
    `session/createBranchedSession' does; absent: the whole session."
  (sessiond-request client "session/forkFrom" params))

(defun sessiond-api-session-close (session)
  "Close a handle; one that is not open stays closed.
SESSION is an open session; what is sent is `session/close'."
  (sessiond-request session "session/close"))

(defun sessiond-api-session-get-state (session)
  "Read the present state of a session.
SESSION is an open session; what is sent is `session/getState'."
  (sessiond-request session "session/getState"))

(defun sessiond-api-session-new-session (session &rest params)
  "Create a session under the same handle.
SESSION is an open session; what is sent is `session/newSession'.
PARAMS are keywords with values:
:id  optional; Id of the new session, as in `session/create'.
:parentSession  optional; Path of the parent session; stored in the header."
  (sessiond-request session "session/newSession" params))

(defun sessiond-api-session-set-session-file (session &rest params)
  "Switch the handle to another session file.
SESSION is an open session; what is sent is `session/setSessionFile'.
PARAMS are keywords with values:
:path  The session file."
  (sessiond-request session "session/setSessionFile" params))

(defun sessiond-api-session-create-branched-session (session &rest params)
  "Copy one branch into a new session file and switch the handle to it.
SESSION is an open session; what is sent is `session/createBranchedSession'.
PARAMS are keywords with values:
:leafId  Last entry of the branch to copy."
  (sessiond-request session "session/createBranchedSession" params))

(defun sessiond-api-session-find-by-id (client &rest params)
  "Find the file of the session with this id.
CLIENT is a client; what is sent is `session/findById'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:id  The whole id, or with `prefix' how it begins.
:sessionDir  optional; Directory to search instead of the profile's.
:prefix  optional; The id may be the beginning of one: the session whose id
    is the same, else the only one whose id begins so.  All directories are
    searched; of several sessions those of `cwd' count, then those of the
    connection's own agent."
  (sessiond-request client "session/findById" params))

(defun sessiond-api-session-list (client &rest params)
  "List the sessions of a working directory.
CLIENT is a client; what is sent is `session/list'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:limit  optional; Maximum number of sessions in the answer.
:cursor  optional; `nextCursor' of the page before; opaque.
:includeText  optional; Add `allMessagesText' to every session.
:named  optional; Only sessions that have a name.
:subagents  optional; Also sessions that agents began, for their subagents.
:workDoneToken  optional; Token under which progress is reported; absent: no
    reports.
:partialResultToken  optional; Token under which `$/progress' reports
    `PartialSessions' while the list is made; the answer still contains the
    whole page.
:sessionDir  optional; Directory to search instead of the profile's.  If it
    is not the default one of `cwd', only sessions of that `cwd' are listed."
  (sessiond-request client "session/list" params))

(defun sessiond-api-session-list-all (client &rest params)
  "List the sessions of all working directories.
CLIENT is a client; what is sent is `session/listAll'.
PARAMS are keywords with values:
:limit  optional; Maximum number of sessions in the answer.
:cursor  optional; `nextCursor' of the page before; opaque.
:includeText  optional; Add `allMessagesText' to every session.
:named  optional; Only sessions that have a name.
:subagents  optional; Also sessions that agents began, for their subagents.
:workDoneToken  optional; Token under which progress is reported; absent: no
    reports.
:partialResultToken  optional; Token under which `$/progress' reports
    `PartialSessions' while the list is made; the answer still contains the
    whole page.
:sessionDir  optional; A single directory to search, instead of all of the
    profile's."
  (sessiond-request client "session/listAll" params))

(defun sessiond-api-session-append-message (session &rest params)
  "Append a message.
SESSION is an open session; what is sent is `session/appendMessage'.
PARAMS are keywords with values:
:message  An object with a string `role', except `compactionSummary' and
    `branchSummary', which have entries of their own.  In a message of a
    role that pi knows, what pi needs to read it is checked, unless
    `unchecked'; a `timestamp' is not needed.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'."
  (sessiond-request session "session/appendMessage" params))

(defun sessiond-api-session-append-thinking-level-change (session &rest params)
  "Record a change of the thinking level.
SESSION is an open session; what is sent is
`session/appendThinkingLevelChange'.
PARAMS are keywords with values:
:thinkingLevel  As the agent names it, such as `high'.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'."
  (sessiond-request session "session/appendThinkingLevelChange" params))

(defun sessiond-api-session-append-model-change (session &rest params)
  "Record a change of the model.
SESSION is an open session; what is sent is `session/appendModelChange'.
PARAMS are keywords with values:
:provider  Provider of the model, such as `anthropic'.
:modelId  Id of the model.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'."
  (sessiond-request session "session/appendModelChange" params))

(defun sessiond-api-session-append-compaction (session &rest params)
  "Record a summary that replaces the earlier context.
SESSION is an open session; what is sent is `session/appendCompaction'.
PARAMS are keywords with values:
:summary  Text of the summary.
:tokensBefore  Tokens of the context before compaction.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'.
:firstKeptEntryId  optional; First entry that stays in the context.  If it
    is absent, null or not on the branch, no earlier entry stays (as in pi).
:details  optional; Any JSON value; never sent to a model.
:fromHook  optional; Whether an extension made the summary.
:usage  optional; Tokens and cost of making the summary."
  (sessiond-request session "session/appendCompaction" params))

(defun sessiond-api-session-append-custom-entry (session &rest params)
  "Store state of an extension.
SESSION is an open session; what is sent is `session/appendCustomEntry'.
PARAMS are keywords with values:
:customType  Name of the extension.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:data  optional; Anything."
  (sessiond-request session "session/appendCustomEntry" params))

(defun sessiond-api-session-append-session-info (session &rest params)
  "Set or clear the name of the session.
SESSION is an open session; what is sent is `session/appendSessionInfo'.
PARAMS are keywords with values:
:name  Line breaks become a space, ends are trimmed; empty: no name.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'."
  (sessiond-request session "session/appendSessionInfo" params))

(defun sessiond-api-session-append-custom-message-entry (session &rest params)
  "Append a message of an extension.
SESSION is an open session; what is sent is
`session/appendCustomMessageEntry'.
PARAMS are keywords with values:
:customType  Name of the extension.
:content  Text, or text and image blocks.
:display  Whether user interfaces show it.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'.
:details  optional; Any JSON value; never sent to a model."
  (sessiond-request session "session/appendCustomMessageEntry" params))

(defun sessiond-api-session-append-label-change (session &rest params)
  "Set or clear the label of an entry.
SESSION is an open session; what is sent is `session/appendLabelChange'.
PARAMS are keywords with values:
:targetId  The entry to label.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:label  optional; The label; absent, null or empty: the label is removed."
  (sessiond-request session "session/appendLabelChange" params))

(defun sessiond-api-session-append-usage (session &rest params)
  "Record usage outside the conversation.
SESSION is an open session; what is sent is `session/appendUsage'.
PARAMS are keywords with values:
:kind  Purpose of the usage, such as `cache_warm'.
:provider  Provider of the model, such as `anthropic'.
:model  Id of the model.
:usage  Tokens and cost.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'.
:note  optional; Text for people; an empty note is left out."
  (sessiond-request session "session/appendUsage" params))

(defun sessiond-api-session-append-context-edit (session &rest params)
  "Replace or omit the content of an earlier entry in the context.
SESSION is an open session; what is sent is `session/appendContextEdit'.
PARAMS are keywords with values:
:targetId  A user, assistant or toolResult message or a custom message on
    the active branch; otherwise `NotEditable'.
:replacement  The new content; null removes the target from the context.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'."
  (sessiond-request session "session/appendContextEdit" params))

(defun sessiond-api-session-branch-with-summary (session &rest params)
  "Continue from an earlier entry, with a summary of the branch that is left.
SESSION is an open session; what is sent is `session/branchWithSummary'.
PARAMS are keywords with values:
:entryId  Entry to continue from; null: before the first entry.
:summary  Text of the summary.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:unchecked  optional; true: also append what pi cannot read, for readers
    that can.  Otherwise it is `InvalidParams'.
:details  optional; Any JSON value; never sent to a model.
:fromHook  optional; Whether an extension made the summary.
:usage  optional; Tokens and cost of making the summary."
  (sessiond-request session "session/branchWithSummary" params))

(defun sessiond-api-session-get-leaf-id (session)
  "Read the handle's leaf.
SESSION is an open session; what is sent is `session/getLeafId'."
  (sessiond-request session "session/getLeafId"))

(defun sessiond-api-session-get-leaf-entry (session)
  "Read the entry at the leaf.
SESSION is an open session; what is sent is `session/getLeafEntry'."
  (sessiond-request session "session/getLeafEntry"))

(defun sessiond-api-session-get-entry (session &rest params)
  "Read the entry with this id.
SESSION is an open session; what is sent is `session/getEntry'.
PARAMS are keywords with values:
:id  Id of the entry."
  (sessiond-request session "session/getEntry" params))

(defun sessiond-api-session-get-source (session &rest params)
  "Read the lines or rows that an entry was made of, as its agent wrote them.
SESSION is an open session; what is sent is `session/getSource'.
PARAMS are keywords with values:
:entryId  Id of the entry.
:maxBytes  optional; Maximum number of bytes of each record; absent: 65536."
  (sessiond-request session "session/getSource" params))

(defun sessiond-api-session-get-entries (session &rest params)
  "Read the entries of the file, all or page by page.
SESSION is an open session; what is sent is `session/getEntries'.
PARAMS are keywords with values:
:cursor  optional; Start after this position: the `nextCursor' of the page
    before, or the id of an entry, of which the last occurrence counts.
:limit  optional; Maximum number of entries in the answer.
:last  optional; Start at most this number of entries before the end of the
    file, if that is after the `cursor'.
:views  optional; Whether to answer `views' also."
  (sessiond-request session "session/getEntries" params))

(defun sessiond-api-session-get-entry-count (session)
  "Count the entries.
SESSION is an open session; what is sent is `session/getEntryCount'."
  (sessiond-request session "session/getEntryCount"))

(defun sessiond-api-session-get-branch (session &rest params)
  "Read the entries from the root to the leaf, root first.
SESSION is an open session; what is sent is `session/getBranch'.
PARAMS are keywords with values:
:fromId  optional; Last entry of the branch; absent: the leaf."
  (sessiond-request session "session/getBranch" params))

(defun sessiond-api-session-get-children (session &rest params)
  "Read the children of an entry, in file order.
SESSION is an open session; what is sent is `session/getChildren'.
PARAMS are keywords with values:
:parentId  The parent; null: read the entries without a parent."
  (sessiond-request session "session/getChildren" params))

(defun sessiond-api-session-get-tree (session &rest params)
  "Read the whole tree as a flat list.
SESSION is an open session; what is sent is `session/getTree'.
PARAMS are keywords with values:
:detail  optional; `full' (default): `TreeNode's; `outline': `OutlineNode's."
  (sessiond-request session "session/getTree" params))

(defun sessiond-api-session-get-label (session &rest params)
  "Read the label of an entry.
SESSION is an open session; what is sent is `session/getLabel'.
PARAMS are keywords with values:
:id  Id of the entry."
  (sessiond-request session "session/getLabel" params))

(defun sessiond-api-session-branch (session &rest params)
  "Move the leaf to an entry.
SESSION is an open session; what is sent is `session/branch'.
PARAMS are keywords with values:
:entryId  The new leaf."
  (sessiond-request session "session/branch" params))

(defun sessiond-api-session-reset-leaf (session)
  "Move the leaf before the first entry.
SESSION is an open session; what is sent is `session/resetLeaf'."
  (sessiond-request session "session/resetLeaf"))

(defun sessiond-api-session-get-view (session &rest params)
  "Call `session/getView'.
Read the entries from the root to the leaf as a person sees them, page by
page.  A result knows its call; what a call changed is shown once, by its
result if that has a diff.  After new results read the entries with their
calls again.
SESSION is an open session; what is sent is `session/getView'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the leaf.
:cursor  optional; Start after this position: the `nextCursor' of the page
    before, or the id of an entry of the branch.
:last  optional; Start at most this number of entries before the end of the
    branch, if that is after the `cursor'.
:limit  optional; Maximum number of entries in the answer.
:maxChars  optional; Maximum number of characters of each text;
    `omittedChars' tells how many are missing.  Absent: all of them."
  (sessiond-request session "session/getView" params))

(defun sessiond-api-session-build-session-context (session &rest params)
  "The messages, thinking level and model of a branch.
SESSION is an open session; what is sent is `session/buildSessionContext'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before the first entry, which gives an empty context."
  (sessiond-request session "session/buildSessionContext" params))

(defun sessiond-api-session-build-context-entries (session &rest params)
  "The entries of a branch that remain in the context after compaction.
SESSION is an open session; what is sent is `session/buildContextEntries'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before the first entry, which gives an empty context."
  (sessiond-request session "session/buildContextEntries" params))

(defun sessiond-api-session-build-session-projection (session &rest params)
  "The context of a branch, entry by entry.
SESSION is an open session; what is sent is
`session/buildSessionProjection'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before the first entry, which gives an empty context."
  (sessiond-request session "session/buildSessionProjection" params))

(defun sessiond-api-session-get-header (session)
  "The session's header.
SESSION is an open session; what is sent is `session/getHeader'."
  (sessiond-request session "session/getHeader"))

(defun sessiond-api-session-get-session-name (session)
  "The session's name.
SESSION is an open session; what is sent is `session/getSessionName'."
  (sessiond-request session "session/getSessionName"))

(defun sessiond-api-session-get-cwd (session)
  "The session's working directory.
SESSION is an open session; what is sent is `session/getCwd'."
  (sessiond-request session "session/getCwd"))

(defun sessiond-api-session-get-session-dir (session)
  "The directory for sessions branched off this one.
SESSION is an open session; what is sent is `session/getSessionDir'."
  (sessiond-request session "session/getSessionDir"))

(defun sessiond-api-session-get-session-id (session)
  "The id in the session's header.
SESSION is an open session; what is sent is `session/getSessionId'."
  (sessiond-request session "session/getSessionId"))

(defun sessiond-api-session-get-session-file (session)
  "The path of the session's file, also before it is written.
SESSION is an open session; what is sent is `session/getSessionFile'."
  (sessiond-request session "session/getSessionFile"))

(defun sessiond-api-session-is-persisted (session)
  "Whether the session belongs to a file.
SESSION is an open session; what is sent is `session/isPersisted'."
  (sessiond-request session "session/isPersisted"))

(defun sessiond-api-session-uses-default-session-dir (session)
  "Whether its directory is the default one of its working directory.
SESSION is an open session; what is sent is `session/usesDefaultSessionDir'."
  (sessiond-request session "session/usesDefaultSessionDir"))

(defun sessiond-api-context-estimate-tokens (session &rest params)
  "Estimate the tokens of a context.
SESSION is an open session; what is sent is `context/estimateTokens'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    Other members that are missing or have an unexpected type count as 0."
  (sessiond-request session "context/estimateTokens" params))

(defun sessiond-api-context-should-compact (session &rest params)
  "Decide whether the context should be compacted.
SESSION is an open session; what is sent is `context/shouldCompact'.
PARAMS are keywords with values:
:contextWindow  Size of the model's context window, in tokens.
:settings  optional; The settings of compaction."
  (sessiond-request session "context/shouldCompact" params))

(defun sessiond-api-context-window-usage (session &rest params)
  "Measure how much of the context window is used.
SESSION is an open session; what is sent is `context/windowUsage'.
PARAMS are keywords with values:
:contextWindow  Size of the model's context window, in tokens."
  (sessiond-request session "context/windowUsage" params))

(defun sessiond-api-context-to-llm (session &rest params)
  "Convert messages to the form in which a model is sent them.
SESSION is an open session; what is sent is `context/toLlm'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    Other members that are missing or have an unexpected type count as 0."
  (sessiond-request session "context/toLlm" params))

(defun sessiond-api-context-serialize (session &rest params)
  "Convert a conversation to text, for a model to read but not to continue.
SESSION is an open session; what is sent is `context/serialize'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    Other members that are missing or have an unexpected type count as 0."
  (sessiond-request session "context/serialize" params))

(defun sessiond-api-context-prepare-compaction (session &rest params)
  "Plan a compaction and prepare the prompts for its summaries.
SESSION is an open session; what is sent is `context/prepareCompaction'.
PARAMS are keywords with values:
:settings  optional; The settings of compaction.
:includePrompts  optional; Add the complete prompts for the model.
:customInstructions  optional; Instructions for the summaries, added to the
    prompts."
  (sessiond-request session "context/prepareCompaction" params))

(defun sessiond-api-context-finish-compaction (session &rest params)
  "Append a compaction from a plan and a model's summaries.
SESSION is an open session; what is sent is `context/finishCompaction'.
PARAMS are keywords with values:
:preparation  The answer of `context/prepareCompaction'.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:historySummary  optional; Summary of `messagesToSummarize'.  It may be
    absent only if a turn is split and there were no such messages: then the
    previous summary is used, or No prior history.
:prefixSummary  optional; Summary of `turnPrefixMessages'; required if a
    turn is split, otherwise not allowed.
:usage  optional; Tokens and cost of making the summaries."
  (sessiond-request session "context/finishCompaction" params))

(defun sessiond-api-context-prepare-branch-summary (session &rest params)
  "Call `context/prepareBranchSummary'.
Find what a move to another entry leaves, and prepare the prompts for its
summary.
SESSION is an open session; what is sent is `context/prepareBranchSummary'.
PARAMS are keywords with values:
:targetId  The entry to continue from.
:tokenBudget  optional; Maximum number of tokens of messages; the newest are
    kept.  Absent or 0: no limit.  pi uses the context window (128,000 if
    unknown) minus 16,384.
:includePrompts  optional; Add the complete prompts for the model.
:customInstructions  optional; Instructions for the summary, added to the
    prompt.
:replaceInstructions  optional; Use `customInstructions' instead of the
    standard instructions."
  (sessiond-request session "context/prepareBranchSummary" params))

(defun sessiond-api-context-finish-branch-summary (session &rest params)
  "Move to another entry, with a model's summary of the branch that is left.
SESSION is an open session; what is sent is `context/finishBranchSummary'.
PARAMS are keywords with values:
:targetId  The entry to continue from, as in `context/navigate'.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:summary  optional; The model's text; pi's preamble and the lists of files
    are added to it.  Absent: there was no message to summarise, and the
    entry says so.
:fileOps  optional; `fileOps' of `context/prepareBranchSummary'; absent:
    computed from the whole branch that is left.
:label  optional; Label for the summary's entry; it is stored in another
    entry, which becomes the leaf.
:usage  optional; Tokens and cost of making the summary."
  (sessiond-request session "context/finishBranchSummary" params))

(defun sessiond-api-context-navigate (session &rest params)
  "Move to another entry by pi's rules, without a summary.
SESSION is an open session; what is sent is `context/navigate'.
PARAMS are keywords with values:
:targetId  If it is a user message or custom message, its parent becomes the
    leaf, and its text is answered for editing.  Any other entry becomes the
    leaf itself.  If it is the leaf already, nothing happens.
:newEntryId  optional; Id of the new entry, for safe retries: if an entry
    with this id exists already, it is the answer and nothing is written.
    Absent: the daemon chooses 8 hexadecimal digits.
:expectedLeafId  optional; Write only if this is the handle's leaf (null:
    before the first entry); otherwise `LeafConflict'.
:expectedTipId  optional; Write only if this is the last entry of the file
    (null: there is none), which means that no other program has written in
    between; otherwise `LeafConflict'.
:label  optional; Label for the target.  It is stored in an entry under the
    new leaf, and that entry becomes the leaf.  Absent, null or empty: no
    label."
  (sessiond-request session "context/navigate" params))

(defun sessiond-api-catalog-subscribe (client &rest params)
  "Read a snapshot of the sessions and subscribe to every later change.
CLIENT is a client; what is sent is `catalog/subscribe'.
PARAMS are keywords with values:
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory of sessions instead of the profile's; with
    `cwd' as in `session/list'.
:subagents  optional; Also sessions that agents began, for their subagents."
  (sessiond-request client "catalog/subscribe" params))

(defun sessiond-api-catalog-unsubscribe (client &rest params)
  "End the subscription.
CLIENT is a client; what is sent is `catalog/unsubscribe'.
PARAMS are keywords with values:
:subscription  Handle of the subscription."
  (sessiond-request client "catalog/unsubscribe" params))

(defun sessiond-api-catalog-search (client &rest params)
  "Find sessions by names, directories, and what was said and done.
Fails after 30 s.
CLIENT is a client; what is sent is `catalog/search'.
PARAMS are keywords with values:
:query  Words and \"quoted phrases\"; each of them must occur in the name, id,
    working directory or one message of a session.  In mode `regex', one
    regular expression.  An empty query finds every session, except in mode
    `regex'.  At most 4096 characters and 128 words; a regular expression
    has at most 1000 characters and repetitions of at most 1000.
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory of sessions instead of the profile's; with
    `cwd' as in `session/list'.
:mode  optional; `text' (default): words and phrases literally.  `fuzzy':
    words also match by their characters in order, scattered over the name
    or the working directory; a query that begins with `re:' is a regular
    expression (as in pi 1.5.2).  `regex': a regular expression in the
    syntax of RE2, without references, lookahead and lookbehind, not
    case-sensitive, matched in each message by itself; white space at the
    ends is significant.
:fields  optional; What is searched, by default `said'; with `roles',
    `tools', `files' or `model' all.  Of what nobody said, the first 24 kB
    and the last 8 kB.  With one of these filters names, ids and directories
    do not count, and an empty query finds each session with such a text.
:roles  optional; Only texts of these roles.
:tools  optional; Only calls and results of these tools.
:files  optional; Only calls that name one of these files, or a path that
    ends with it.
:model  optional; Only what was said or done by models whose id contains
    this.
:currentBranch  optional; Only texts of the branch that a session is opened
    at.  Reads the files of the sessions with such texts.
:agent  optional; Only sessions of this agent, one of those of `initialize'.
:since  optional; Only texts since this day, `YYYY-MM-DD' in `timezone'.
:until  optional; Only texts until this day, included.
:timezone  optional; IANA name; by default the zone of the daemon's machine.
:limit  optional; Maximum number of hits in the answer; 50 by default.
:cursor  optional; `nextCursor' of the page before; opaque."
  (sessiond-request client "catalog/search" params))

(defun sessiond-api-catalog-rename (client &rest params)
  "Name a session under the leaf of its file; no handle's leaf moves.
CLIENT is a client; what is sent is `catalog/rename'.
PARAMS are keywords with values:
:path  The session file, which must exist.
:name  Line breaks become a space and white space at the ends is removed; an
    empty name clears it."
  (sessiond-request client "catalog/rename" params))

(defun sessiond-api-catalog-delete (client &rest params)
  "Move a session to the trash, or delete it permanently.
By default not while it is open for writing.
CLIENT is a client; what is sent is `catalog/delete'.
PARAMS are keywords with values:
:path  The session file.
:permanently  optional; Delete permanently, without the trash.
:force  optional; Delete it even if a program has it open for writing.  A
    handle that is still open creates the file again with its next append."
  (sessiond-request client "catalog/delete" params))

(defun sessiond-api-catalog-restore (client &rest params)
  "Restore a session from the trash to its former path.
CLIENT is a client; what is sent is `catalog/restore'.
PARAMS are keywords with values:
:path  Path of the file before it was deleted.  If several files with this
    path were deleted, the latest is restored.  An existing file is never
    replaced."
  (sessiond-request client "catalog/restore" params))

(defun sessiond-api-catalog-list-trash (client &rest params)
  "List the sessions in the trash.
CLIENT is a client; what is sent is `catalog/listTrash'.
PARAMS are keywords with values:
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory of sessions instead of the profile's; with
    `cwd' as in `session/list'."
  (sessiond-request client "catalog/listTrash" params))

(defun sessiond-api-catalog-check (client &rest params)
  "Check session files for damage; nothing is written.
CLIENT is a client; what is sent is `catalog/check'.
PARAMS are keywords with values:
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory of sessions instead of the profile's; with
    `cwd' as in `session/list'.
:path  optional; A single file, without members of a scope."
  (sessiond-request client "catalog/check" params))

(defun sessiond-api-catalog-repair (client &rest params)
  "Repair a session file and keep a backup, or only report what would be done.
CLIENT is a client; what is sent is `catalog/repair'.
PARAMS are keywords with values:
:path  The session file.
:dryRun  true: only report what would be done.  false: repair the file."
  (sessiond-request client "catalog/repair" params))

(defun sessiond-api-catalog-stats (session &rest params)
  "Call `catalog/stats'.
Count a session's messages, tool calls, tokens and cost, by model and by
day.
SESSION is an open session; what is sent is `catalog/stats'.
PARAMS are keywords with values:
:path  optional; A session file; it is not changed.
:timezone  optional; IANA name of the time zone for days; by default that of
    the daemon's machine.
:since  optional; First day to count, as `YYYY-MM-DD' in `timezone'.  With
    it or `until' entries without a date do not count; `branches' and
    `sizeBytes' are always those of the whole file.
:until  optional; Last day to count, as `YYYY-MM-DD' in `timezone'."
  (sessiond-request session "catalog/stats" params))

(defun sessiond-api-catalog-usage (client &rest params)
  "Call `catalog/usage'.
Add up tokens and cost of sessions by day, week, month, model, project or
session.
CLIENT is a client; what is sent is `catalog/usage'.
PARAMS are keywords with values:
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory of sessions instead of the profile's; with
    `cwd' as in `session/list'.
:by  optional; The unit of a row; `day' by default; a project is a `cwd'.
:thenBy  optional; The unit of the rows into which each row is divided;
    absent: none.
:timezone  optional; IANA name of the time zone for days; by default that of
    the daemon's machine.  Exact in zones that differ from UTC by whole
    quarters of an hour, as all zones do since 1972.
:since  optional; First day to count, as `YYYY-MM-DD' in `timezone'.
:until  optional; Last day to count, as `YYYY-MM-DD' in `timezone'.
:model  optional; Only usage whose `provider/model' contains this text, in
    any case.
:copies  optional; Whether an entry that is in several sessions counts in
    each of them.  By default it counts once, for the session that was
    created first, because the entries that a fork copies cost nothing.
    Entries with the same id, time and tokens are treated as copies."
  (sessiond-request client "catalog/usage" params))

(defun sessiond-api-catalog-export (session &rest params)
  "Export a session, or a branch of it, as JSON lines, Markdown or a page.
SESSION is an open session; what is sent is `catalog/export'.
PARAMS are keywords with values:
:format  `jsonl': a session file with a new header, the same id and only the
    branch, as pi exports it; labels and settings are included, and entries
    keep their bytes except for `parentId' and `appendMode'.  `markdown':
    the branch as text.  `html': one self-contained page with all branches,
    which first shows the branch; only the branch if `leafId' is sent.
:path  optional; A session file; it is not changed.
:outputPath  optional; File to write, with mode 0600; missing directories
    are created with mode 0700.  Absent: the answer contains the export.  An
    existing file is replaced and keeps its mode (as in pi), but a session
    file never is: that is `AlreadyExists'.
:leafId  optional; Last entry of the branch; null: before the first entry,
    which gives an empty branch; absent: the handle's leaf, or the last
    entry of a file.  If it is sent, the export has nothing that is not on
    this branch: no other branch, and no name or label that was given later.
:mask  optional; true: keys and passwords of known forms are masked in
    everything that is exported, also in the data of a page.  false: they
    stay.  With either the answer has `secrets'.
:conversation  optional; Export only what was said: messages of the user and
    texts of the agent, names, and labels of these; no thinking, tools,
    commands, settings and summaries.
:ownId  optional; `jsonl': give the export an id of its own and the exported
    file as `parentSession', so that it can lie beside the session.  By
    default it has the session's id and no parent, as pi exports it."
  (sessiond-request session "catalog/export" params))

(defun sessiond-api-gateway-resolve-key (client &rest params)
  "Find the canonical key of a session, from a message or another spelling.
CLIENT is a client; what is sent is `gateway/resolveKey'.
PARAMS are keywords with values:
:context  optional; A message of the session.
:key  optional; A key as people and old stores write it.
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration.
:agentId  optional; The agent of a `key' that names none; absent: the
    default agent."
  (sessiond-request client "gateway/resolveKey" params))

(defun sessiond-api-gateway-evaluate-freshness (client &rest params)
  "Decide whether a session continues or has expired, daily or by idleness.
CLIENT is a client; what is sent is `gateway/evaluateFreshness'.
PARAMS are keywords with values:
:now  Milliseconds since the epoch.
:updatedAt  optional; `updatedAt' of the entry before the message, in
    milliseconds.  Absent: the entry has none and is fresh; null counts as
    0.
:resetType  optional; Type by which `config' has the policy.
:policy  optional; When the session expires.
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration.
:channel  optional; For `session.resetByChannel', which comes first.
:timezone  optional; IANA name of the local time zone; absent: the host's."
  (sessiond-request client "gateway/evaluateFreshness" params))

(defun sessiond-api-gateway-is-silent-reply (client &rest params)
  "Decide whether a reply is silent; the text of a silent reply is not shown.
CLIENT is a client; what is sent is `gateway/isSilentReply'.
PARAMS are keywords with values:
:text  The text received so far.
:token  optional; The token that marks a silent reply.
:streaming  optional; Whether more text may follow."
  (sessiond-request client "gateway/isSilentReply" params))

(defun sessiond-api-gateway-plan-memory-flush (client &rest params)
  "Call `gateway/planMemoryFlush'.
Decide whether the agent should save memories before a compaction, and build
the prompt.
CLIENT is a client; what is sent is `gateway/planMemoryFlush'.
PARAMS are keywords with values:
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:sessionKey  optional; Key, in any spelling that a gateway accepts; the
    store is read.
:entry  optional; Entry of the session; the rule reads `totalTokens',
    `totalTokensFresh', `compactionCount' and `memoryFlushCompactionCount'.
:contextWindow  optional; Context window; absent:
    `agents.defaults.contextTokens', else 200,000.
:sandboxed  optional; Whether the turn is sandboxed.
:workspaceAccess  optional; Access of the sandbox: `none', `ro' or `rw'; a
    flush needs `rw'.
:heartbeat  optional; Whether the turn is a heartbeat.
:cliProvider  optional; Whether the model is run as a command.
:now  optional; Time in the prompt, in milliseconds since the epoch; absent:
    the host's time.
:timezone  optional; IANA name of the time zone in the prompt; absent:
    `agents.defaults.userTimezone', else the host's."
  (sessiond-request client "gateway/planMemoryFlush" params))

(defun sessiond-api-gateway-get (client &rest params)
  "Read the entry of a session.
CLIENT is a client; what is sent is `gateway/get'.
PARAMS are keywords with values:
:sessionKey  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file."
  (sessiond-request client "gateway/get" params))

(defun sessiond-api-gateway-patch (client &rest params)
  "Change settings of a session: all of them, or none if one is refused.
CLIENT is a client; what is sent is `gateway/patch'.
PARAMS are keywords with values:
:key  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:label  optional; Up to 64 characters (UTF-16 code units); unique in the
    store.
:thinkingLevel  optional; `off', `minimal', `low', `medium', `high' or
    `xhigh'.
:verboseLevel  optional; `off', `on' or `full'.
:reasoningLevel  optional; `on' or `stream'; `off' is the same as null.
:responseUsage  optional; `tokens' or `full'; `off' is the same as null.
:elevatedLevel  optional; `off', `on', `ask' or `full'; `off' is kept.
:execHost  optional; `sandbox', `gateway' or `node'.
:execSecurity  optional; `deny', `allowlist' or `full'.
:execAsk  optional; `off', `on-miss' or `always'.
:execNode  optional; Name of a node; not blank.
:model  optional; `provider/model', or a model of the default's provider.
    It is not checked, because the daemon has no list of models.  null: no
    override.  The recorded model and account of the last run are removed in
    any case.
:sendPolicy  optional; `allow' or `deny'.
:groupActivation  optional; `mention' or `always'."
  (sessiond-request client "gateway/patch" params))

(defun sessiond-api-gateway-reset (client &rest params)
  "Start a new session under a key, and archive the old transcript.
CLIENT is a client; what is sent is `gateway/reset'.
PARAMS are keywords with values:
:key  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:reason  optional; Reason, for people; it has no effect.
:force  optional; Do it even if the transcript is open for writing, here or
    in another process, or a gateway runs a turn on it; otherwise the
    request then fails with `InUse'.  A handle that is still open creates
    the file again with its next append."
  (sessiond-request client "gateway/reset" params))

(defun sessiond-api-gateway-delete (client &rest params)
  "Remove a session from its store, and archive its transcript.
CLIENT is a client; what is sent is `gateway/delete'.
PARAMS are keywords with values:
:key  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:deleteTranscript  optional; Archive the session's transcript by renaming
    it.
:force  optional; Do it even if the transcript is open for writing, here or
    in another process, or a gateway runs a turn on it; otherwise the
    request then fails with `InUse'.  A handle that is still open creates
    the file again with its next append."
  (sessiond-request client "gateway/delete" params))

(defun sessiond-api-gateway-list (client &rest params)
  "List the sessions of all agents.
CLIENT is a client; what is sent is `gateway/list'.
PARAMS are keywords with values:
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:agentId  optional; Only sessions of this agent.
:limit  optional; Maximum number of sessions; the latest are listed.
:activeMinutes  optional; Only sessions used within this number of minutes.
:includeGlobal  optional; Include the session `global'.
:includeUnknown  optional; Include the session `unknown'.
:includeDerivedTitles  optional; Add `derivedTitle'; this reads the
    transcripts.
:includeLastMessage  optional; Add `lastMessagePreview'; this reads the
    transcripts.
:label  optional; The whole label.
:spawnedBy  optional; Key of the session that spawned it.
:archived  optional; Only archived sessions (`archivedAt'), or only the
    others.
:search  optional; Text that occurs in name, label, subject, session id or
    key; not case-sensitive."
  (sessiond-request client "gateway/list" params))

(defun sessiond-api-gateway-record-usage (client &rest params)
  "Record the usage of a run: tokens, model and context window.
CLIENT is a client; what is sent is `gateway/recordUsage'.
PARAMS are keywords with values:
:sessionKey  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:usage  optional; Sum over all calls of the run.
:lastCallUsage  optional; Usage of the last call.
:promptTokens  optional; Size of the last prompt, if it is known exactly; 0:
    unknown.
:model  optional; The model that answered; absent: unchanged.
:provider  optional; Provider of the model; absent: unchanged.
:contextWindow  optional; The model's context window.  Absent or 0:
    `agents.defaults.contextTokens', else the previous value, else 200,000.
:systemPromptReport  optional; The parts of the system prompt; absent:
    unchanged."
  (sessiond-request client "gateway/recordUsage" params))

(defun sessiond-api-gateway-record-compaction (client &rest params)
  "Count a compaction, and record the tokens that it left.
CLIENT is a client; what is sent is `gateway/recordCompaction'.
PARAMS are keywords with values:
:sessionKey  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:tokensAfter  optional; Estimated tokens of the context now, if not above
    the number before; it also removes `inputTokens' and `outputTokens'.
    Absent or 0: unknown."
  (sessiond-request client "gateway/recordCompaction" params))

(defun sessiond-api-gateway-record-memory-flush (client &rest params)
  "Record that memories were saved, so that they are not saved again too early.
CLIENT is a client; what is sent is `gateway/recordMemoryFlush'.
PARAMS are keywords with values:
:sessionKey  Key of the session, in any spelling that a gateway accepts.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:compactions  optional; Number of compactions that ended during the turn;
    more than one count as one.  The next flush is due only after another
    compaction."
  (sessiond-request client "gateway/recordMemoryFlush" params))

(defun sessiond-api-gateway-begin (client &rest params)
  "Find or start the session of an inbound message, and record it.
CLIENT is a client; what is sent is `gateway/begin'.
PARAMS are keywords with values:
:context  The message.
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:authorized  optional; Whether the sender may reset a session; the client
    decides that.
:dryRun  optional; Only report what would happen; nothing is written.
:now  optional; Milliseconds since the epoch, only with `dryRun'; absent:
    the clock.
:timezone  optional; IANA name of the local time zone; absent: the host's.
:cwd  optional; Working directory of a new transcript; absent: the agent's
    `workspace' in the configuration, else that of the daemon.  A thread
    uses that of its parent."
  (sessiond-request client "gateway/begin" params))

(defun sessiond-api-gateway-maintain (client &rest params)
  "Remove old or excess sessions from a store.
CLIENT is a client; what is sent is `gateway/maintain'.
PARAMS are keywords with values:
:agentId  optional; The agent of a key that names none; absent: that of the
    connection, else the default agent of the configuration.
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:mode  optional; `warn': only report what `enforce' would do.  Absent: that
    of the configuration, else `warn'.
:dryRun  optional; Only report what would be done."
  (sessiond-request client "gateway/maintain" params))

(defun sessiond-api-gateway-subscribe (client &rest params)
  "Read a snapshot of the stores and subscribe to every later change.
CLIENT is a client; what is sent is `gateway/subscribe'.
PARAMS are keywords with values:
:storePath  optional; Path of the store; `{agentId}' is replaced by the
    agent.  Absent: `session.store', else that of the agent (only with the
    profile of a gateway).
:config  optional; `session', `agents', `channels' and `cron' of a CoderClaw
    configuration; absent: the agent's configuration file.
:agentId  optional; Only the store of this agent.  Absent: the stores of all
    agents, including later ones, or the store that they share."
  (sessiond-request client "gateway/subscribe" params))

(defun sessiond-api-gateway-unsubscribe (client &rest params)
  "End the subscription.
CLIENT is a client; what is sent is `gateway/unsubscribe'.
PARAMS are keywords with values:
:subscription  Handle of the subscription."
  (sessiond-request client "gateway/unsubscribe" params))

(provide 'sessiond-api)

;; Some summaries of the contract are no imperatives.
;; Local Variables:
;; checkdoc-verb-check-experimental-flag: nil
;; End:
;;; sessiond-api.el ends here
