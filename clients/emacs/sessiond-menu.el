;;; sessiond-menu.el --- A menu of the commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A transient menu, which shows the commands that the current buffer has.

;;; Code:

(require 'transient)
(require 'sessiond-view)

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
    ("D" "delete" sessiond-list-delete)
    ("U" "restore" sessiond-list-restore)
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
    ("g" "read again" sessiond-transcript-refresh)]
   ["Tree"
    :if sessiond-menu--tree-p
    ("RET" "show the entry" sessiond-tree-jump)
    ("i" "go to an entry" imenu)
    ("r" "rename" sessiond-rename)
    ("g" "read again" sessiond-tree-refresh)]
   ["Sessions"
    ("l" "list this directory" sessiond-list)
    ("a" "list all directories" sessiond-menu-list-all)
    ("F" "find with completion" sessiond-find)
    ("s" "search" sessiond-search)
    ("Q" "stop sessiond" sessiond-stop)]])

(provide 'sessiond-menu)
;;; sessiond-menu.el ends here
