;;; sessiond.el --- Browse, read and rename coding-agent sessions  -*- lexical-binding: t; -*-

;; Author: the sessiond authors
;; Version: 0.2.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, processes
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Browse the sessions of pi and related coding agents, which the program sessiond serves.
;;
;;   M-x sessiond-list     the sessions of this directory (C-u: of all directories)
;;   M-x sessiond-find     choose a session with completion
;;   M-x sessiond-search   search sessions
;;   M-x sessiond-rename   rename a session
;;
;; In a list RET shows the transcript of a session, and t its tree.  All buffers are kept up to date
;; while agents work, and ? shows a menu.  Programs use `sessiond-connect' and `sessiond-request'.

;;; Code:

(require 'sessiond-list)
(require 'sessiond-transcript)
(require 'sessiond-tree)
(require 'sessiond-verbs)

;;;###autoload
(defun sessiond-rename ()
  "Rename the session at point, or the one of this buffer.
Elsewhere ask for a session of this directory."
  (interactive)
  (cond ((derived-mode-p 'sessiond-list-mode) (call-interactively #'sessiond-list-rename))
        ((derived-mode-p 'sessiond-transcript-mode)
         (call-interactively #'sessiond-transcript-rename))
        ((derived-mode-p 'sessiond-tree-mode) (call-interactively #'sessiond-tree-rename))
        (t (let ((path (sessiond--read-session nil)))
             (sessiond--reporting (sessiond--rename path (read-string "Name: ")))))))

;;;###autoload
(defun sessiond-find (path)
  "Show the transcript of a session of this directory that you choose, in PATH.
With prefix argument choose among the sessions of all directories."
  (interactive (list (sessiond--read-session current-prefix-arg)))
  (sessiond-transcript path))

(provide 'sessiond)
;;; sessiond.el ends here
