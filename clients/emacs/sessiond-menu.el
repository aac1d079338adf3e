;;; sessiond-menu.el --- A menu of the commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A transient menu, which shows the commands that the current buffer has.

;;; Code:

(require 'transient)
(require 'sessiond-view)

(declare-function sessiond-branch "sessiond-verbs" (path entry label))
(declare-function sessiond-check "sessiond-verbs" (path))
(declare-function sessiond-delete "sessiond-verbs" (path))
(declare-function sessiond-diff "sessiond-verbs" (path first &optional second))
(declare-function sessiond-export "sessiond-verbs" (path file &optional mask))
(declare-function sessiond-fork "sessiond-verbs" (path entry))
(declare-function sessiond-label "sessiond-verbs" (path entry label))
(declare-function sessiond-repair "sessiond-verbs" (path))
(declare-function sessiond-reply "sessiond-verbs" (path text))
(declare-function sessiond-restore "sessiond-verbs" (path))
(declare-function sessiond-resume "sessiond-verbs" (path))
(declare-function sessiond-undo "sessiond-verbs" ())
(declare-function sessiond-usage "sessiond-verbs" (&optional by))
(declare-function sessiond-find "sessiond" (path))
(declare-function sessiond-list "sessiond-list" (&optional all))
(declare-function sessiond-list-delete "sessiond-list" ())
(declare-function sessiond-list-follow-mode "sessiond-preview" (&optional arg))
(declare-function sessiond-list-open "sessiond-list" ())
(declare-function sessiond-list-open-other-window "sessiond-list" ())
(declare-function sessiond-list-refresh "sessiond-list" ())
(declare-function sessiond-list-restore "sessiond-list" (path))
(declare-function sessiond-list-tree "sessiond-list" ())
(declare-function sessiond-rename "sessiond" ())
(declare-function sessiond-search "sessiond-list" (query &optional all))
(declare-function sessiond-transcript-next "sessiond-transcript" ())
(declare-function sessiond-transcript-previous "sessiond-transcript" ())
(declare-function sessiond-transcript-refresh "sessiond-transcript" ())
(declare-function sessiond-transcript-show-all "sessiond-transcript" ())
(declare-function sessiond-transcript-toggle "sessiond-transcript" ())
(declare-function sessiond-transcript-toggle-all "sessiond-transcript" ())
(declare-function sessiond-transcript-tree "sessiond-transcript" ())
(declare-function sessiond-tree-jump "sessiond-tree" ())
(declare-function sessiond-tree-refresh "sessiond-tree" ())

(defun sessiond-menu--list-p ()
  "Return non-nil in a list of sessions."
  (derived-mode-p 'sessiond-list-mode))

(defun sessiond-menu--transcript-p ()
  "Return non-nil in a transcript."
  (derived-mode-p 'sessiond-transcript-mode))

(defun sessiond-menu--tree-p ()
  "Return non-nil in a tree."
  (derived-mode-p 'sessiond-tree-mode))

(defun sessiond-menu-list-all ()
  "List the sessions of all directories."
  (interactive)
  (sessiond-list t))

;;;###autoload (autoload 'sessiond-menu "sessiond-menu" nil t)
(transient-define-prefix sessiond-menu ()
  "Commands for the sessions of coding agents."
  [["Session"
    :if sessiond-menu--list-p
    ("RET" "open" sessiond-list-open)
    ("o" "open in another window" sessiond-list-open-other-window)
    ("f" "preview at point" sessiond-list-follow-mode :transient t)
    ("t" "tree" sessiond-list-tree)
    ("r" "rename" sessiond-rename)
    ("m" "pin, hide or tag" sessiond-list-mark)
    ("H" "hidden ones, too" sessiond-list-show-hidden :transient t)
    ("D" "delete" sessiond-list-delete)
    ("U" "restore" sessiond-list-restore)
    ("F" "fork" sessiond-fork)
    ("E" "export" sessiond-export)
    ("C" "check" sessiond-check)
    ("R" "resume" sessiond-resume)
    ("g" "list again" sessiond-list-refresh)]
   ["Transcript"
    :if sessiond-menu--transcript-p
    ("n" "next message" sessiond-transcript-next :transient t)
    ("p" "previous message" sessiond-transcript-previous :transient t)
    ("TAB" "fold" sessiond-transcript-toggle)
    ("<backtab>" "fold all" sessiond-transcript-toggle-all)
    ("i" "go to a message" imenu)
    ("x" "show long texts" sessiond-transcript-show-all)
    ("t" "tree" sessiond-transcript-tree)
    ("r" "rename" sessiond-rename)
    ("c" "reply" sessiond-reply)
    ("b" "branch from here" sessiond-branch)
    ("F" "fork here" sessiond-fork)
    ("L" "label this entry" sessiond-label)
    ("d" "compare branches" sessiond-diff)
    ("E" "export" sessiond-export)
    ("C" "check" sessiond-check)
    ("R" "resume" sessiond-resume)
    ("g" "read again" sessiond-transcript-refresh)]
   ["Tree"
    :if sessiond-menu--tree-p
    ("RET" "show the entry" sessiond-tree-jump)
    ("i" "go to an entry" imenu)
    ("r" "rename" sessiond-rename)
    ("b" "branch from here" sessiond-branch)
    ("F" "fork here" sessiond-fork)
    ("L" "label this entry" sessiond-label)
    ("d" "compare branches" sessiond-diff)
    ("g" "read again" sessiond-tree-refresh)]
   ["Sessions"
    ("l" "list this directory" sessiond-list)
    ("a" "list all directories" sessiond-menu-list-all)
    ("/" "find with completion" sessiond-find)
    ("s" "search" sessiond-search)
    ("u" "undo" sessiond-undo)
    ("$" "usage" sessiond-usage)
    ("!" "repair a session" sessiond-repair)
    ("X" "delete a session" sessiond-delete)
    ("P" "restore a session" sessiond-restore)
    ("Q" "stop sessiond" sessiond-stop)]])

(provide 'sessiond-menu)
;;; sessiond-menu.el ends here
