;;; sessiond-verbs.el --- What can be done with a session  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for the session at point in a list, the one that a transcript or a tree shows, or one that
;; is chosen.  Those that write open the session for that moment only.  What is more than a question to
;; the daemon, such as starting an agent, is a command of the program.

;;; Code:

(require 'ansi-color)
(require 'sessiond-list)
(require 'sessiond-transcript)
(require 'sessiond-tree)

(declare-function term-char-mode "term" ())
(declare-function term-mode "term" ())
(declare-function make-term "term" (name program &optional startfile &rest switches))

;;; The subject

(defun sessiond--subject ()
  "Return the path of the session that a command is about."
  (cond ((derived-mode-p 'sessiond-list-mode) (sessiond-list--path))
        ((derived-mode-p 'sessiond-transcript-mode 'sessiond-tree-mode) sessiond--path)
        (t (sessiond--read-session current-prefix-arg))))

(defun sessiond--entry-here ()
  "Return the id of the entry at point, or nil where no entry is shown."
  (and (derived-mode-p 'sessiond-transcript-mode 'sessiond-tree-mode)
       (get-text-property (min (point) (max (point-min) (1- (point-max)))) 'sessiond-entry)))

(defun sessiond--entry ()
  "Return the id of the entry at point; without one it is an error."
  (or (sessiond--entry-here) (user-error "No entry here: use a transcript or a tree")))

(defun sessiond--tip-here (path)
  "Return what is known of the last entry of the session in the file PATH.
It is a list for a request; nil if no buffer shows the session."
  (let ((buffer (seq-find (lambda (each) (buffer-local-value 'sessiond--session each))
                          (sessiond--buffers-of path))))
    (and buffer
         (list :expectedTipId (or (sessiond-session-tip
                                   (buffer-local-value 'sessiond--session buffer))
                                  :null)))))

(defun sessiond--writing (path function)
  "Open the session in the file PATH, call FUNCTION with it, and close it."
  (let ((session (sessiond-open (sessiond--current-client) (list :path path :mustExist t))))
    (unwind-protect (funcall function session)
      (sessiond-close session))))

(defun sessiond--append (session method params path)
  "Append to SESSION with METHOD and PARAMS.
If others wrote to its file PATH since it was shown, do nothing but say so."
  (condition-case nil
      (sessiond-request session method (append params (sessiond--tip-here path)))
    (sessiond-leaf-conflict
     (user-error "Nothing was written: the session has new entries, read them first"))))

;;; Commands that write

;;;###autoload
(defun sessiond-reply (path text)
  "Append TEXT as a message of yours to the session in the file PATH.
The agent reads it when it goes on with the session."
  (interactive (list (sessiond--subject) (read-string "Message: ")))
  (when (string-blank-p text) (user-error "The message is empty"))
  (sessiond--reporting
    (sessiond--writing
     path
     (lambda (session)
       (sessiond--append session "session/appendMessage"
                         (list :message (sessiond-user-text text)) path)))
    (message "The message was appended")))

;;;###autoload
(defun sessiond-branch (path entry label)
  "Let agents go on with the session in the file PATH from ENTRY.
LABEL names ENTRY, and is what is stored in the new branch."
  (interactive (list (sessiond--subject) (sessiond--entry)
                     (read-string "Label of the branch: " nil nil "branch")))
  (sessiond--reporting
    (sessiond--writing
     path
     (lambda (session)
       (sessiond-request session "session/branch" (list :entryId entry))
       (sessiond--append session "session/appendLabelChange"
                         (list :targetId entry :label label) path)))))

;;;###autoload
(defun sessiond-fork (path entry)
  "Copy the session in the file PATH into a new one, and show that.
At an entry the copy ends with ENTRY and the results of its calls."
  (interactive (list (sessiond--subject) (sessiond--entry-here)))
  (sessiond--reporting
    (let* ((client (sessiond--current-client))
           (cwd (sessiond--cwd path))
           (copy (sessiond-open client
                                (append (list :sourcePath path :targetCwd cwd :withResults t)
                                        (and entry (list :leafId entry)))
                                :method "session/forkFrom"))
           (file (plist-get (sessiond-session-state copy) :sessionFile)))
      (sessiond-close copy)
      (sessiond-transcript file))))

(defun sessiond--cwd (path)
  "Return the working directory of the session in the file PATH."
  (let ((session (sessiond-open (sessiond--current-client)
                                (list :path path :mustExist t :readOnly t))))
    (unwind-protect (plist-get (sessiond-session-state session) :cwd)
      (sessiond-close session))))

;;;###autoload
(defun sessiond-label (path entry label)
  "Label ENTRY of the session in the file PATH with LABEL, or remove an empty one."
  (interactive (list (sessiond--subject) (sessiond--entry)
                     (read-string "Label (empty: none): ")))
  (sessiond--reporting
    (sessiond-request (sessiond--current-client) "catalog/label"
                      (list :path path :entryId entry :label label :change (sessiond--change)))))

;;;###autoload
(defun sessiond-delete (path)
  "Move the session in the file PATH to the trash."
  (interactive (list (sessiond--subject)))
  (when (yes-or-no-p (format "Delete session %s? " (file-name-base path)))
    (sessiond--reporting (sessiond--delete path))))

;;;###autoload
(defun sessiond-restore (path)
  "Restore the deleted session of PATH from the trash."
  (interactive (list (sessiond-list--read-trashed)))
  (sessiond--reporting (sessiond--restore path)))

;;;###autoload
(defun sessiond-undo ()
  "Take back the last deletion, name or label, whichever program made it."
  (interactive)
  (sessiond--reporting
    (let* ((answer (sessiond-request (sessiond--current-client) "catalog/undo"))
           (done (seq-map #'sessiond--undone (plist-get answer :changes)))
           (not-done (seq-map (lambda (each) (plist-get each :message))
                              (plist-get answer :problems))))
      (message "%s" (string-join (or (append done not-done) '("Nothing is left to undo")) "; "))
      (when (derived-mode-p 'sessiond-list-mode)
        (unless sessiond-list--subscription (sessiond-list-refresh))))))

(defun sessiond--undone (change)
  "Return a text about CHANGE, which was taken back."
  (let ((path (sessiond--line (plist-get change :path))))
    (pcase (plist-get change :kind)
      ("delete" (format "restored: %s" path))
      ("rename" (format "named %S again: %s" (sessiond--line (plist-get change :name)) path))
      (_ (format "labelled %S again: %s" (sessiond--line (plist-get change :label)) path)))))

;;; Commands that read

(defconst sessiond--formats '(("html" . "html") ("md" . "markdown") ("jsonl" . "jsonl"))
  "The formats of an export by the extension of its file.")

;;;###autoload
(defun sessiond-export (path file &optional mask)
  "Export the session in the file PATH to FILE: .html, .md or .jsonl.
With prefix argument MASK, mask keys and passwords of known forms."
  (interactive
   (list (sessiond--subject) (read-file-name "Export to (.html, .md, .jsonl): ")
         current-prefix-arg))
  (let ((format (or (cdr (assoc (file-name-extension file) sessiond--formats))
                    (user-error "The name must end in .html, .md or .jsonl")))
        (file (expand-file-name file)))
    (sessiond--reporting
      (let* ((answer (sessiond-request (sessiond--current-client) "catalog/export"
                                       (list :path path :format format :outputPath file
                                             :mask (if mask t :json-false))))
             (secrets (or (plist-get answer :secrets) 0)))
        (message "Exported to %s%s" file
                 (if (or mask (eq secrets 0)) ""
                   (format "; %s entries seem to have keys or passwords (C-u masks them)"
                           secrets)))))))

;;;###autoload
(defun sessiond-check (path)
  "Show what is damaged in the session in the file PATH."
  (interactive (list (sessiond--subject)))
  (sessiond--reporting
    (let* ((answer (sessiond-request (sessiond--current-client) "catalog/check"
                                     (list :path path)))
           (problems (plist-get (elt (plist-get answer :files) 0) :problems)))
      (if (seq-empty-p problems)
          (message "No damage")
        (sessiond--show-text "*sessiond check*" (sessiond--problems path problems))))))

(defun sessiond--problems (path problems)
  "Return PROBLEMS of the file PATH as text."
  (mapconcat (lambda (each)
               (format "%s:%s: %s\n" path (or (plist-get each :line) 1)
                       (sessiond--line (plist-get each :message))))
             problems ""))

;;;###autoload
(defun sessiond-repair (path)
  "Show what is damaged in the session in the file PATH, and repair it.
Ask before."
  (interactive (list (sessiond--subject)))
  (sessiond--reporting
    (let* ((client (sessiond--current-client))
           (plan (sessiond-request client "catalog/repair" (list :path path :dryRun t)))
           (problems (plist-get plan :problems)))
      (if (seq-empty-p problems)
          (message "No damage")
        (sessiond--show-text "*sessiond repair*" (sessiond--problems path problems))
        (when (yes-or-no-p "Repair this, with a backup? ")
          (let ((done (sessiond-request client "catalog/repair"
                                        (list :path path :dryRun :json-false))))
            (message "Repaired; the file as it was is %s" (plist-get done :backup))))))))

;;;###autoload
(defun sessiond-resume (path)
  "Start the agent of the session in the file PATH, in a terminal in Emacs."
  (interactive (list (sessiond--subject)))
  (require 'term)
  (let* ((command (append (sessiond--command) (list "resume" path)))
         (buffer (apply #'make-term "sessiond resume" (car command) nil (cdr command))))
    (with-current-buffer buffer
      (term-mode)
      (term-char-mode))
    (pop-to-buffer buffer)))

;;;###autoload
(defun sessiond-usage (&optional by)
  "Show what all sessions used.
BY says what a row is: a day, a week, a model and so on."
  (interactive (list (completing-read "By: " '("day" "week" "month" "block" "model" "project"
                                               "agent" "session")
                                      nil t nil nil "day")))
  (sessiond--run "*sessiond usage*" (list "usage" "--by" (or by "day"))))

;;;###autoload
(defun sessiond-diff (path first &optional second)
  "Compare the branches that end with FIRST and SECOND.
They are of the session in the file PATH; without SECOND the current branch is
compared."
  (interactive (list (sessiond--subject)
                     (or (sessiond--entry-here) (read-string "Entry, label or turn: "))))
  (sessiond--run "*sessiond diff*" (append (list "diff" path first) (and second (list second)))
                 (lambda () (diff-mode) (read-only-mode))))

;;; Texts and programs

(defun sessiond--show-text (name text)
  "Show TEXT in the buffer NAME."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min)))
    (special-mode)
    (display-buffer (current-buffer))))

(defun sessiond--command ()
  "Return the program with the options that the daemon has, too."
  (append (list (sessiond--program sessiond-program)) sessiond-options
          (and sessiond-profile (list "--profile" sessiond-profile))))

(defun sessiond--run (name arguments &optional finish)
  "Show in the buffer NAME what the program prints with ARGUMENTS.
FINISH is called in the buffer at the end."
  (let* ((width (max 60 (1- (window-width))))
         (process-environment
          (append (list (format "COLUMNS=%d" width) "FORCE_COLOR=1" "PAGER=cat")
                  process-environment))
         (buffer (get-buffer-create name)))
    (with-current-buffer buffer
      (let ((inhibit-read-only t)) (erase-buffer))
      (special-mode))
    (make-process
     :name "sessiond command" :buffer buffer :noquery t :connection-type 'pipe
     :command (append (sessiond--command) arguments)
     :filter #'ignore
     :sentinel #'ignore)
    (let ((process (get-buffer-process buffer)))
      (set-process-filter process #'sessiond--insert-output)
      (set-process-sentinel process (lambda (process _event)
                                      (when (buffer-live-p (process-buffer process))
                                        (with-current-buffer (process-buffer process)
                                          (goto-char (point-min))
                                          (when finish (funcall finish)))))))
    (display-buffer buffer)))

(defun sessiond--insert-output (process text)
  "Insert TEXT, the output of PROCESS, with its colours."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (let ((inhibit-read-only t))
        (goto-char (point-max))
        (insert (ansi-color-apply text))))))

(provide 'sessiond-verbs)
;;; sessiond-verbs.el ends here
