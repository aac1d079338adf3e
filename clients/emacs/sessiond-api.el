;;; sessiond-api.el --- Methods of sessiond  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
;; Do not edit; run `make generate'.

;; Every method of the contract as a function that waits for the answer, a table of what the client
;; has to know of them, and a condition for every kind of error.

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
    ("session/getEntries" session repeatable)
    ("session/getEntryCount" session repeatable)
    ("session/getBranch" session repeatable)
    ("session/getChildren" session repeatable)
    ("session/getTree" session repeatable)
    ("session/getLabel" session repeatable)
    ("session/branch" session repeatable)
    ("session/resetLeaf" session repeatable)
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
    ("catalog/subscribe" repeatable)
    ("catalog/unsubscribe" repeatable))
  "What is known of each method: (NAME . FACTS).
Members of FACTS are `session', whether a session handle goes with it;
`appends', whether an id chosen by the client makes sending it again safe;
`opens', whether a new handle is the answer; `repeatable', whether it may be
sent again when nobody knows if it was done.")

(defconst sessiond-api-notifications
  '("$/progress"
    "session/didChange"
    "catalog/didChange")
  "What the daemon may tell unasked.")

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
(define-error 'sessiond-invalid-cursor "InvalidCursor" 'sessiond-error)
(define-error 'sessiond-unsupported "Unsupported" 'sessiond-error)
(define-error 'sessiond-gateway-rejected "GatewayRejected" 'sessiond-error)
(define-error 'sessiond-read-failed "ReadFailed" 'sessiond-error)
(define-error 'sessiond-in-use "InUse" 'sessiond-error)

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
    ("InvalidCursor" . sessiond-invalid-cursor)
    ("Unsupported" . sessiond-unsupported)
    ("GatewayRejected" . sessiond-gateway-rejected)
    ("ReadFailed" . sessiond-read-failed)
    ("InUse" . sessiond-in-use))
  "Conditions by kind of error; each is a `sessiond-error'.")

(defun sessiond-api-rpc-discover (client)
  "The OpenRPC document of exactly this daemon.
CLIENT is a client; what is sent is `rpc.discover'."
  (sessiond-request client "rpc.discover"))

(defun sessiond-api-daemon-status (client)
  "Counters of the daemon.
CLIENT is a client; what is sent is `daemon/status'."
  (sessiond-request client "daemon/status"))

(defun sessiond-api-session-create (client &rest params)
  "Begin a new session.
CLIENT is a client; what is sent is `session/create'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:sessionDir  optional; Directory for the file, in place of the profile's.
:id  optional; Id of the new session: letters, digits, `-', `_', `.', a
    letter or digit at both ends.  Absent: a UUID version 7.
:parentSession  optional; Path of the session this one goes back to; kept in
    the header."
  (sessiond-request client "session/create" params))

(defun sessiond-api-session-open (client &rest params)
  "Open a session file.
Versions 1 and 2 are migrated on disk unless `readOnly'.
CLIENT is a client; what is sent is `session/open'.
PARAMS are keywords with values:
:path  The session file.
:sessionDir  optional; Directory for sessions branched off; absent: that of
    the file.
:cwd  optional; Working directory in place of the one in the header.
:readOnly  optional; Refuse writes; an old file is migrated in memory only.
:follow  optional; Let the leaf move with the file's last entry.
:mustExist  optional; Refuse a missing file (`SessionNotFound')."
  (sessiond-request client "session/open" params))

(defun sessiond-api-session-continue-recent (client &rest params)
  "Open the most recent session of a working directory, or begin one.
CLIENT is a client; what is sent is `session/continueRecent'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:sessionDir  optional; Directory to look in, in place of the profile's."
  (sessiond-request client "session/continueRecent" params))

(defun sessiond-api-session-in-memory (client &rest params)
  "Begin a session that has no file.
CLIENT is a client; what is sent is `session/inMemory'.
PARAMS are keywords with values:
:cwd  optional; Working directory; absent: that of the daemon.
:id  optional; Id of the session, as in `session/create'.
:entries  optional; Entries to begin with, in file order; a header may come
    first."
  (sessiond-request client "session/inMemory" params))

(defun sessiond-api-session-fork-from (client &rest params)
  "Copy a session into a new file for another working directory and open that.
CLIENT is a client; what is sent is `session/forkFrom'.
PARAMS are keywords with values:
:sourcePath  The session file to copy.
:targetCwd  Working directory of the new session.
:sessionDir  optional; Directory for the new file, in place of the
    profile's.
:id  optional; Id of the new session, as in `session/create'."
  (sessiond-request client "session/forkFrom" params))

(defun sessiond-api-session-close (session)
  "Let go of a handle.
SESSION is an open session; what is sent is `session/close'."
  (sessiond-request session "session/close"))

(defun sessiond-api-session-get-state (session)
  "The session as it is now.
SESSION is an open session; what is sent is `session/getState'."
  (sessiond-request session "session/getState"))

(defun sessiond-api-session-new-session (session &rest params)
  "Begin a new session under the same handle.
SESSION is an open session; what is sent is `session/newSession'.
PARAMS are keywords with values:
:id  optional; Id of the new session, as in `session/create'.
:parentSession  optional; Path of the session this one goes back to; kept in
    the header."
  (sessiond-request session "session/newSession" params))

(defun sessiond-api-session-set-session-file (session &rest params)
  "Turn the handle to another session file.
SESSION is an open session; what is sent is `session/setSessionFile'.
PARAMS are keywords with values:
:path  The session file."
  (sessiond-request session "session/setSessionFile" params))

(defun sessiond-api-session-create-branched-session (session &rest params)
  "Take one branch into a new session file and turn the handle to it.
SESSION is an open session; what is sent is `session/createBranchedSession'.
PARAMS are keywords with values:
:leafId  Last entry of the branch to take."
  (sessiond-request session "session/createBranchedSession" params))

(defun sessiond-api-session-find-by-id (client &rest params)
  "The file of the session with this id.
CLIENT is a client; what is sent is `session/findById'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:id  The whole id.
:sessionDir  optional; Directory to look in, in place of the profile's."
  (sessiond-request client "session/findById" params))

(defun sessiond-api-session-list (client &rest params)
  "The sessions of a working directory.
CLIENT is a client; what is sent is `session/list'.
PARAMS are keywords with values:
:cwd  Working directory; resolved, `~' expanded.
:limit  optional; Greatest number of sessions in the answer.
:cursor  optional; `nextCursor' of the page before; opaque.
:includeText  optional; Add `allMessagesText' to every session.
:named  optional; Only sessions that have a name.
:workDoneToken  optional; Asks for progress under this token.
:partialResultToken  optional; Asks for `$/progress' with `PartialSessions'
    under this token while the listing goes on; the answer still carries the
    full page.
:sessionDir  optional; Directory to look in, in place of the profile's; of a
    directory that is not the default one of `cwd', only sessions of that
    `cwd' are listed."
  (sessiond-request client "session/list" params))

(defun sessiond-api-session-list-all (client &rest params)
  "The sessions of all working directories.
CLIENT is a client; what is sent is `session/listAll'.
PARAMS are keywords with values:
:limit  optional; Greatest number of sessions in the answer.
:cursor  optional; `nextCursor' of the page before; opaque.
:includeText  optional; Add `allMessagesText' to every session.
:named  optional; Only sessions that have a name.
:workDoneToken  optional; Asks for progress under this token.
:partialResultToken  optional; Asks for `$/progress' with `PartialSessions'
    under this token while the listing goes on; the answer still carries the
    full page.
:sessionDir  optional; A single directory to look in, in place of all of the
    profile's."
  (sessiond-request client "session/listAll" params))

(defun sessiond-api-session-append-message (session &rest params)
  "Append a message.
SESSION is an open session; what is sent is `session/appendMessage'.
PARAMS are keywords with values:
:message  An object with a string `role' other than `compactionSummary' and
    `branchSummary', which have entries of their own.  Nothing else in it is
    checked.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'."
  (sessiond-request session "session/appendMessage" params))

(defun sessiond-api-session-append-thinking-level-change (session &rest params)
  "Record another thinking level.
SESSION is an open session; what is sent is
`session/appendThinkingLevelChange'.
PARAMS are keywords with values:
:thinkingLevel  As the agent names it, such as `high'.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'."
  (sessiond-request session "session/appendThinkingLevelChange" params))

(defun sessiond-api-session-append-model-change (session &rest params)
  "Record another model.
SESSION is an open session; what is sent is `session/appendModelChange'.
PARAMS are keywords with values:
:provider
:modelId
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'."
  (sessiond-request session "session/appendModelChange" params))

(defun sessiond-api-session-append-compaction (session &rest params)
  "Put a summary in place of earlier context.
SESSION is an open session; what is sent is `session/appendCompaction'.
PARAMS are keywords with values:
:summary
:tokensBefore  Tokens of the context before compaction.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:firstKeptEntryId  optional; First entry to stay in the context; absent or
    null keeps nothing, and so does, as in pi, an id that is not on the
    branch.
:details  optional; Anything; never sent to a model.
:fromHook  optional; Whether an extension made the summary.
:usage  optional; What making the summary took."
  (sessiond-request session "session/appendCompaction" params))

(defun sessiond-api-session-append-custom-entry (session &rest params)
  "Keep state of an extension.
SESSION is an open session; what is sent is `session/appendCustomEntry'.
PARAMS are keywords with values:
:customType  Names the extension.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:data  optional; Anything."
  (sessiond-request session "session/appendCustomEntry" params))

(defun sessiond-api-session-append-session-info (session &rest params)
  "Name the session, or clear its name.
SESSION is an open session; what is sent is `session/appendSessionInfo'.
PARAMS are keywords with values:
:name  Line breaks become a space, ends are trimmed; empty: no name.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'."
  (sessiond-request session "session/appendSessionInfo" params))

(defun sessiond-api-session-append-custom-message-entry (session &rest params)
  "Append a message of an extension.
SESSION is an open session; what is sent is
`session/appendCustomMessageEntry'.
PARAMS are keywords with values:
:customType  Names the extension.
:content  Text, or text and image blocks.
:display  Whether front ends show it.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:details  optional; Anything; never sent to a model."
  (sessiond-request session "session/appendCustomMessageEntry" params))

(defun sessiond-api-session-append-label-change (session &rest params)
  "Label an entry, or clear its label.
SESSION is an open session; what is sent is `session/appendLabelChange'.
PARAMS are keywords with values:
:targetId  The entry to label.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:label  optional; Absent, null or empty clears the label."
  (sessiond-request session "session/appendLabelChange" params))

(defun sessiond-api-session-append-usage (session &rest params)
  "Record usage beside the conversation.
SESSION is an open session; what is sent is `session/appendUsage'.
PARAMS are keywords with values:
:kind  What it was for, such as `cache_warm'.
:provider
:model
:usage
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:note  optional; For people; an empty one is left out."
  (sessiond-request session "session/appendUsage" params))

(defun sessiond-api-session-append-context-edit (session &rest params)
  "Replace or omit an earlier entry's content in the context.
SESSION is an open session; what is sent is `session/appendContextEdit'.
PARAMS are keywords with values:
:targetId  A user, assistant or toolResult message or a custom message on
    the active branch, else `NotEditable'.
:replacement  null takes the target out of the context.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'."
  (sessiond-request session "session/appendContextEdit" params))

(defun sessiond-api-session-branch-with-summary (session &rest params)
  "Go on from an earlier entry, with a summary of the branch left.
SESSION is an open session; what is sent is `session/branchWithSummary'.
PARAMS are keywords with values:
:entryId  Entry to go on from; null: before any entry.
:summary
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:details  optional; Anything; never sent to a model.
:fromHook  optional; Whether an extension made the summary.
:usage  optional; What making the summary took."
  (sessiond-request session "session/branchWithSummary" params))

(defun sessiond-api-session-get-leaf-id (session)
  "The handle's leaf.
SESSION is an open session; what is sent is `session/getLeafId'."
  (sessiond-request session "session/getLeafId"))

(defun sessiond-api-session-get-leaf-entry (session)
  "The entry at the leaf.
SESSION is an open session; what is sent is `session/getLeafEntry'."
  (sessiond-request session "session/getLeafEntry"))

(defun sessiond-api-session-get-entry (session &rest params)
  "The entry with this id.
SESSION is an open session; what is sent is `session/getEntry'.
PARAMS are keywords with values:
:id  Id of the entry."
  (sessiond-request session "session/getEntry" params))

(defun sessiond-api-session-get-entries (session &rest params)
  "All entries, or those after one.
SESSION is an open session; what is sent is `session/getEntries'.
PARAMS are keywords with values:
:after  optional; Begin behind this: an entry's id, meaning its last
    occurrence, or a `nextAfter'.
:limit  optional; Greatest number of entries in the answer."
  (sessiond-request session "session/getEntries" params))

(defun sessiond-api-session-get-entry-count (session)
  "The number of entries.
SESSION is an open session; what is sent is `session/getEntryCount'."
  (sessiond-request session "session/getEntryCount"))

(defun sessiond-api-session-get-branch (session &rest params)
  "The entries from the root to the leaf, root first.
SESSION is an open session; what is sent is `session/getBranch'.
PARAMS are keywords with values:
:fromId  optional; Last entry of the branch; absent: the leaf."
  (sessiond-request session "session/getBranch" params))

(defun sessiond-api-session-get-children (session &rest params)
  "The entries under one, in file order.
SESSION is an open session; what is sent is `session/getChildren'.
PARAMS are keywords with values:
:parentId  The parent; null: entries that have none."
  (sessiond-request session "session/getChildren" params))

(defun sessiond-api-session-get-tree (session &rest params)
  "The whole tree, flat.
SESSION is an open session; what is sent is `session/getTree'.
PARAMS are keywords with values:
:detail  optional; `full' (default): `TreeNode's; `outline': `OutlineNode's."
  (sessiond-request session "session/getTree" params))

(defun sessiond-api-session-get-label (session &rest params)
  "The label of an entry.
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
  "Move the leaf before any entry.
SESSION is an open session; what is sent is `session/resetLeaf'."
  (sessiond-request session "session/resetLeaf"))

(defun sessiond-api-session-build-session-context (session &rest params)
  "The messages, thinking level and model of a branch.
SESSION is an open session; what is sent is `session/buildSessionContext'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before any entry, so that the context is empty."
  (sessiond-request session "session/buildSessionContext" params))

(defun sessiond-api-session-build-context-entries (session &rest params)
  "The entries of a branch that are left after compaction.
SESSION is an open session; what is sent is `session/buildContextEntries'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before any entry, so that the context is empty."
  (sessiond-request session "session/buildContextEntries" params))

(defun sessiond-api-session-build-session-projection (session &rest params)
  "The context of a branch, entry by entry.
SESSION is an open session; what is sent is
`session/buildSessionProjection'.
PARAMS are keywords with values:
:leafId  optional; Last entry of the branch; absent: the handle's leaf;
    null: before any entry, so that the context is empty."
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
  "The directory for sessions branched off.
SESSION is an open session; what is sent is `session/getSessionDir'."
  (sessiond-request session "session/getSessionDir"))

(defun sessiond-api-session-get-session-id (session)
  "The id in the session's header.
SESSION is an open session; what is sent is `session/getSessionId'."
  (sessiond-request session "session/getSessionId"))

(defun sessiond-api-session-get-session-file (session)
  "The session's file, written or not yet.
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

(defun sessiond-api-catalog-subscribe (client &rest params)
  "Take a snapshot of the sessions and hear of every change after it.
CLIENT is a client; what is sent is `catalog/subscribe'.
PARAMS are keywords with values:
:cwd  optional; Those of this working directory.
:sessionDir  optional; Those in this directory.
:all  optional; Those of all working directories."
  (sessiond-request client "catalog/subscribe" params))

(defun sessiond-api-catalog-unsubscribe (client &rest params)
  "Hear no more.
CLIENT is a client; what is sent is `catalog/unsubscribe'.
PARAMS are keywords with values:
:subscription"
  (sessiond-request client "catalog/unsubscribe" params))

(provide 'sessiond-api)

;; Summaries of the contract tell what there is, and not what to do.
;; Local Variables:
;; checkdoc-verb-check-experimental-flag: nil
;; End:
;;; sessiond-api.el ends here
