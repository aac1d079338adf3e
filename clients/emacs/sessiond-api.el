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
    ("context/estimateTokens" session repeatable)
    ("context/shouldCompact" session repeatable)
    ("context/usage" session repeatable)
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
    ("catalog/check" repeatable)
    ("catalog/repair")
    ("catalog/stats" session repeatable)
    ("catalog/export" session)
    ("gateway/resolveKey")
    ("gateway/buildKey" repeatable)
    ("gateway/evaluateFreshness" repeatable)
    ("gateway/transcriptPath" repeatable)
    ("gateway/isSilentReply" repeatable)
    ("gateway/sendPolicy" repeatable)
    ("gateway/memoryFlush"))
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

(defun sessiond-api-context-estimate-tokens (session &rest params)
  "How many tokens a context takes.
SESSION is an open session; what is sent is `context/estimateTokens'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    What else is missing or odd in one counts for nothing."
  (sessiond-request session "context/estimateTokens" params))

(defun sessiond-api-context-should-compact (session &rest params)
  "Whether the context leaves too little of the window.
SESSION is an open session; what is sent is `context/shouldCompact'.
PARAMS are keywords with values:
:contextWindow  Tokens the model takes.
:settings  optional"
  (sessiond-request session "context/shouldCompact" params))

(defun sessiond-api-context-usage (session &rest params)
  "How full the context is, as a front end shows it.
SESSION is an open session; what is sent is `context/usage'.
PARAMS are keywords with values:
:contextWindow  Tokens the model takes."
  (sessiond-request session "context/usage" params))

(defun sessiond-api-context-to-llm (session &rest params)
  "Messages as they are sent to a model.
SESSION is an open session; what is sent is `context/toLlm'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    What else is missing or odd in one counts for nothing."
  (sessiond-request session "context/toLlm" params))

(defun sessiond-api-context-serialize (session &rest params)
  "A conversation as text, for a model to read and not to go on with.
SESSION is an open session; what is sent is `context/serialize'.
PARAMS are keywords with values:
:messages  optional; Messages in order, each an object with a string `role'.
    What else is missing or odd in one counts for nothing."
  (sessiond-request session "context/serialize" params))

(defun sessiond-api-context-prepare-compaction (session &rest params)
  "What to summarise, what to keep, and what to ask a model.
SESSION is an open session; what is sent is `context/prepareCompaction'.
PARAMS are keywords with values:
:settings  optional
:includePrompts  optional; Add the finished texts for the model.
:customInstructions  optional; What the summaries shall dwell on; goes into
    the prompts."
  (sessiond-request session "context/prepareCompaction" params))

(defun sessiond-api-context-finish-compaction (session &rest params)
  "Append a compaction made from a plan and a model's summaries.
SESSION is an open session; what is sent is `context/finishCompaction'.
PARAMS are keywords with values:
:preparation  As `context/prepareCompaction' answered it.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:historySummary  optional; What the model made of `messagesToSummarize'.
    May be absent only where a turn is split and there were none: the
    previous summary then stands for it, or the words No prior history.
:prefixSummary  optional; What it made of `turnPrefixMessages', if and only
    if a turn is split.
:usage  optional; What the summaries took."
  (sessiond-request session "context/finishCompaction" params))

(defun sessiond-api-context-prepare-branch-summary (session &rest params)
  "What going to another entry leaves behind, and what to ask a model.
SESSION is an open session; what is sent is `context/prepareBranchSummary'.
PARAMS are keywords with values:
:targetId  The entry to go to.
:tokenBudget  optional; Most tokens of messages, the newest first; absent or
    0: no limit.  pi takes the window (128,000 if unknown) less 16,384.
:includePrompts  optional; Add the finished texts for the model.
:customInstructions  optional; What the summary shall dwell on; goes into
    the prompt.
:replaceInstructions  optional; Let `customInstructions' be all that the
    prompt asks for."
  (sessiond-request session "context/prepareBranchSummary" params))

(defun sessiond-api-context-finish-branch-summary (session &rest params)
  "Go to another entry with a model's summary of the branch left.
SESSION is an open session; what is sent is `context/finishBranchSummary'.
PARAMS are keywords with values:
:targetId  The entry to go to, as in `context/navigate'.
:newEntryId  optional; Id for the entry, for safe retries: if an entry with
    it is there already, that one is answered and nothing is written.
    Absent: 8 hexadecimal digits.
:expectedLeafId  optional; Write only if the handle's leaf is this (null:
    before any entry), else `LeafConflict'.
:expectedTipId  optional; Write only if the file's last entry is this (null:
    there is none), so that nobody else has written meanwhile; else
    `LeafConflict'.
:summary  optional; The model's text; pi's preamble and lists of files are
    added.  Absent: there was no message to summarise, and the entry says
    so.
:fileOps  optional; As `context/prepareBranchSummary' answered them; absent:
    those of the whole branch that is left.
:label  optional; For the summary's entry; takes an entry of its own, then
    the leaf.
:usage  optional; What the summary took."
  (sessiond-request session "context/finishBranchSummary" params))

(defun sessiond-api-context-navigate (session &rest params)
  "Go to another entry by pi's rules, without a summary.
SESSION is an open session; what is sent is `context/navigate'.
PARAMS are keywords with values:
:targetId  A user message or custom message is taken back for editing: its
    parent becomes the leaf.  Anything else becomes the leaf.  The leaf
    itself: nothing happens.
:label  optional; For the target.  Appended as an entry under the new leaf,
    which it then is; absent, null or empty: none.
:newEntryId  optional; Id for the label's entry, for safe retries."
  (sessiond-request session "context/navigate" params))

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

(defun sessiond-api-catalog-search (client &rest params)
  "Find sessions by their names, ids, working directories and messages.
CLIENT is a client; what is sent is `catalog/search'.
PARAMS are keywords with values:
:query  Words and \"quoted phrases\", all of which must be in a session, each
    in its name, id, working directory or messages; in mode `regex' one
    regular expression.  An empty one finds every session, except in mode
    `regex'.
:cwd  optional; Only sessions of this working directory; resolved, `~'
    expanded.
:sessionDir  optional; Directory to look in, in place of the profile's; with
    `cwd' as in `session/list'.
:mode  optional; `text' (default): words and phrases as they stand.
    `fuzzy': words also by their characters in order, scattered over the
    name or the working directory; a query that begins with `re:' is a
    regular expression (as pi 1.5.2). `regex': in the syntax of Python's
    package `regex', not case-sensitive; messages are joined by a space;
    white space at the ends counts.
:limit  optional; Greatest number of hits in the answer; 50 where it is
    absent.
:cursor  optional; `nextCursor' of the page before; opaque."
  (sessiond-request client "catalog/search" params))

(defun sessiond-api-catalog-rename (client &rest params)
  "Name a session under the file's current tip; no handle's leaf moves.
CLIENT is a client; what is sent is `catalog/rename'.
PARAMS are keywords with values:
:path  The session file, which must exist.
:name  Runs of line breaks become a space; trimmed; an empty one clears the
    name."
  (sessiond-request client "catalog/rename" params))

(defun sessiond-api-catalog-delete (client &rest params)
  "Move a session to the trash, or delete it permanently.
Refused while it is open.
CLIENT is a client; what is sent is `catalog/delete'.
PARAMS are keywords with values:
:path  The session file.
:permanently  optional; Do not keep it in the trash.  Nothing brings it
    back.
:force  optional; Even if it is open.  A handle that is still open brings
    the file back with its next append."
  (sessiond-request client "catalog/delete" params))

(defun sessiond-api-catalog-restore (client &rest params)
  "Take a session out of the trash, back to where it was.
CLIENT is a client; what is sent is `catalog/restore'.
PARAMS are keywords with values:
:path  Where it was.  Of several that were deleted there the latest comes
    back; a file that is there now is never replaced."
  (sessiond-request client "catalog/restore" params))

(defun sessiond-api-catalog-check (client &rest params)
  "Look for damage in session files; reads only.
CLIENT is a client; what is sent is `catalog/check'.
PARAMS are keywords with values:
:path  optional; A single file.
:cwd  optional; The session files of this working directory.
:all  optional; The session files of all working directories."
  (sessiond-request client "catalog/check" params))

(defun sessiond-api-catalog-repair (client &rest params)
  "Repair a session file, keeping a backup.
By default only say what would be done.
CLIENT is a client; what is sent is `catalog/repair'.
PARAMS are keywords with values:
:path  The session file.
:dryRun  optional; Only say what would be done.  Send false to do it."
  (sessiond-request client "catalog/repair" params))

(defun sessiond-api-catalog-stats (session &rest params)
  "Call `catalog/stats'.
Count a session's messages, tool calls, tokens and cost, by model and by
day.
SESSION is an open session; what is sent is `catalog/stats'.
PARAMS are keywords with values:
:path  optional; A session file; it is only read."
  (sessiond-request session "catalog/stats" params))

(defun sessiond-api-catalog-export (session &rest params)
  "Export a session, or a branch of it, as JSON lines, Markdown or a page.
SESSION is an open session; what is sent is `catalog/export'.
PARAMS are keywords with values:
:format  `jsonl': a session of its own as pi exports it, with a new header
    of the same id and only the branch, chained anew, labels and settings
    included; entries keep their bytes.  `markdown': the branch to read.
    `html': one page that needs nothing else, with all branches, opened at
    the branch.
:path  optional; A session file; it is only read.
:outputPath  optional; File to write, mode 0600, its directories made with
    mode 0700; absent: the content comes in the answer.  A file that is
    there is replaced (as pi) and keeps its mode, but never a session: that
    is `AlreadyExists'.
:leafId  optional; Last entry of the branch; null: before any entry, so an
    empty one; absent: the handle's leaf, of a file its last entry."
  (sessiond-request session "catalog/export" params))

(defun sessiond-api-gateway-resolve-key (client &rest params)
  "Call `gateway/resolveKey'.
Find the key a gateway keeps a session under, from a message or another
spelling.
CLIENT is a client; what is sent is `gateway/resolveKey'.
PARAMS are keywords with values:
:context  optional; The message whose session is meant.
:key  optional; A key as people and old stores write it.
:config  optional; `session', `agents' and `channels' of a CoderClaw
    configuration.
:agentId  optional; Whose a `key' without an agent is; absent: the default
    agent's."
  (sessiond-request client "gateway/resolveKey" params))

(defun sessiond-api-gateway-build-key (client &rest params)
  "Make the key of a conversation from who talks to whom, and where.
CLIENT is a client; what is sent is `gateway/buildKey'.
PARAMS are keywords with values:
:agentId  The agent; an empty one is `main'.
:mainKey  optional; Name of the main session; absent: `main'.
:channel  optional; Channel; absent or blank: `unknown'.
:accountId  optional; The agent's account there; absent: `default'.
:peerKind  optional
:peerId  optional; The other side.  Absent or blank: the main session for
    direct messages, `unknown' for others.
:dmScope  optional; What tells direct messages apart; `main': they share one
    session.
:identityLinks  optional; Name of a person → ids, with or without
    `<channel>:'.  Counts where `dmScope' is not `main'.
:threadId  optional; Thread in the conversation; blank: none.
:parentSessionKey  optional; Session the thread came from."
  (sessiond-request client "gateway/buildKey" params))

(defun sessiond-api-gateway-evaluate-freshness (client &rest params)
  "Call `gateway/evaluateFreshness'.
Decide whether a session goes on or has expired, by the day or for having
been idle.
CLIENT is a client; what is sent is `gateway/evaluateFreshness'.
PARAMS are keywords with values:
:now  Milliseconds since the epoch.
:updatedAt  optional; `updatedAt' of the entry, in milliseconds, as it was
    before the message.  Absent: the entry has none and is fresh; null
    counts as 0.
:resetType  optional; By which `config' knows the policy.
:policy  optional
:config  optional; `session', `agents' and `channels' of a CoderClaw
    configuration.
:channel  optional; For `session.resetByChannel', which goes first.
:timezone  optional; IANA name of the zone that counts as local; absent: the
    host's."
  (sessiond-request client "gateway/evaluateFreshness" params))

(defun sessiond-api-gateway-transcript-path (client &rest params)
  "Say where the transcript of a session lies.
No path leads out of the directory.
CLIENT is a client; what is sent is `gateway/transcriptPath'.
PARAMS are keywords with values:
:sessionId  optional; Counts where `sessionFile' is absent or blank.
:topicId  optional; Topic or thread, with `sessionId'.
:sessionFile  optional; Absolute, or relative to the directory.
:sessionsDir  optional; Directory of the transcripts; absent: that of
    `storePath', else the agent's own, which takes the profile of a gateway.
:storePath  optional; The store beside them; `{agentId}' in it stands for
    the agent.
:agentId  optional; The agent; absent: the connection's.  A file of its may
    lie elsewhere."
  (sessiond-request client "gateway/transcriptPath" params))

(defun sessiond-api-gateway-is-silent-reply (client &rest params)
  "Tell whether a reply says that there is nothing to say.
Such text is not shown.
CLIENT is a client; what is sent is `gateway/isSilentReply'.
PARAMS are keywords with values:
:text  All of the reply so far.
:token  optional; The word that makes a reply silent.
:streaming  optional; More of it may come."
  (sessiond-request client "gateway/isSilentReply" params))

(defun sessiond-api-gateway-send-policy (client &rest params)
  "Decide whether replies of a session may be sent.
CLIENT is a client; what is sent is `gateway/sendPolicy'.
PARAMS are keywords with values:
:sessionKey  Key of the session.
:config  `session.sendPolicy' of a CoderClaw configuration.
:entry  optional; Its entry: `sendPolicy' goes before the rules; `channel',
    `lastChannel' and `chatType' stand in for what is not given.
:channel  optional; Absent: as the entry or the key says.
:chatType  optional; Absent: as the entry or the key says."
  (sessiond-request client "gateway/sendPolicy" params))

(defun sessiond-api-gateway-memory-flush (client &rest params)
  "Call `gateway/memoryFlush'.
Decide whether the agent saves memories before its context is compacted, and
how to ask.
CLIENT is a client; what is sent is `gateway/memoryFlush'.
PARAMS are keywords with values:
:entry  Its entry, of which `totalTokens', `totalTokensFresh',
    `compactionCount' and `memoryFlushCompactionCount' count.
:contextWindow  optional; Tokens the model takes; absent:
    `agents.defaults.contextTokens', else 200,000.
:config  optional; `session', `agents' and `channels' of a CoderClaw
    configuration.
:sandboxed  optional; The turn runs in a sandbox.
:workspaceAccess  optional; Of the sandbox: `none', `ro' or `rw', which
    alone lets a flush write.
:heartbeat  optional; The turn is a heartbeat.
:cliProvider  optional; The model is one that is run as a command.
:now  optional; Milliseconds since the epoch, for the prompt; absent: the
    host's time.
:timezone  optional; IANA name, for the prompt; absent:
    `agents.defaults.userTimezone', else the host's."
  (sessiond-request client "gateway/memoryFlush" params))

(provide 'sessiond-api)

;; Summaries of the contract tell what there is, and not what to do.
;; Local Variables:
;; checkdoc-verb-check-experimental-flag: nil
;; End:
;;; sessiond-api.el ends here
