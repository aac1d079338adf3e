;;; sessiond-view.el --- Common parts of the buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One client serves all buffers.  A buffer that shows a session opens it, read-only and following the
;; last entry, and closes it when the buffer is killed.  Changes are collected for
;; `sessiond-refresh-delay' before a buffer is drawn, because Emacs is single-threaded.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'sessiond-client)

(defcustom sessiond-refresh-delay 0.1
  "Seconds for which changes are collected before a buffer is drawn."
  :type 'number
  :group 'sessiond)

(defvar sessiond--client nil
  "The client that serves the buffers.")

(defvar-local sessiond--session nil
  "The session this buffer shows.")

(defvar-local sessiond--path nil
  "The file of the session this buffer shows.")

(defvar-local sessiond--what nil
  "The word for this kind of buffer, such as \"tree\".")

(defvar-local sessiond--status nil
  "Why this buffer is not up to date, or nil.")

(defvar-local sessiond--timer nil
  "The timer that will draw this buffer.")

(defmacro sessiond--reporting (&rest body)
  "Do BODY; show errors of sessiond as plain messages."
  (declare (indent 0) (debug t))
  (let ((oops (make-symbol "oops")))
    `(condition-case ,oops (progn ,@body)
       (sessiond-error (user-error "sessiond: %s" (cadr ,oops))))))

(defun sessiond--sharing ()
  "Return the environment for a daemon that is shared, or is not."
  (pcase sessiond-shared
    ('nil '("SESSIOND_SHARED=0"))
    ((guard (and (eq sessiond-shared 'default) (getenv "SESSIOND_SHARED"))) nil)
    (_ '("SESSIOND_SHARED=1"))))

(defun sessiond--current-client ()
  "Return the client that serves the buffers, started with the current options."
  (let ((command (cons (sessiond--program sessiond-program) sessiond-options))
        (profile (and sessiond-profile (list :profile sessiond-profile))))
    (unless (and sessiond--client
                 (eq (sessiond-client-state sessiond--client) 'ready)
                 (equal (sessiond-client-command sessiond--client) command)
                 (equal (plist-get (sessiond-client-initialize sessiond--client) :profile)
                        sessiond-profile))
      (when (and sessiond--client (not (eq (sessiond-client-state sessiond--client) 'starting)))
        (sessiond-shutdown sessiond--client)
        (setq sessiond--client nil))
      (if sessiond--client
          (while (eq (sessiond-client-state sessiond--client) 'starting)
            (accept-process-output nil 0.1))
        (setq sessiond--client (sessiond-connect :options sessiond-options :initialize profile
                                                  :environment (sessiond--sharing)))))
    sessiond--client))

;;;###autoload
(defun sessiond-stop ()
  "Stop sessiond, which the next command will start again."
  (interactive)
  (when sessiond--client
    (sessiond-shutdown sessiond--client)
    (setq sessiond--client nil)))

;;; Buffers that show a session

(defun sessiond--show (path mode entry)
  "Show the session in the file PATH in a buffer of MODE, at ENTRY if given.
For the mode NAME-mode, NAME--load draws the buffer, and NAME--go moves to an
entry."
  (let* ((path (expand-file-name path))
         (buffer (or (seq-find (lambda (each)
                                 (and (eq (buffer-local-value 'major-mode each) mode)
                                      (equal (buffer-local-value 'sessiond--path each) path)))
                               (buffer-list))
                     (generate-new-buffer " *sessiond*")))
         (new (null (buffer-local-value 'sessiond--path buffer))))
    (condition-case oops
        (with-current-buffer buffer
          (when new
            (funcall mode)
            (setq sessiond--path path)
            (add-hook 'kill-buffer-hook #'sessiond--close-session nil t))
          (unless (sessiond--attached-p)
            (sessiond--attach)
            (funcall (sessiond--function mode "load"))))
      (error (when new (kill-buffer buffer))
             (signal (car oops) (cdr oops))))
    (pop-to-buffer-same-window buffer)
    (when entry (funcall (sessiond--function mode "go") entry))
    buffer))

(defun sessiond--function (mode name)
  "Return the function NAME of MODE."
  (intern (concat (string-remove-suffix "-mode" (symbol-name mode)) "--" name)))

(defun sessiond--attached-p ()
  "Return non-nil if this buffer's session is open."
  (and sessiond--session
       (not (sessiond-session-lost sessiond--session))
       (memq (sessiond-client-state (sessiond-session-client sessiond--session))
             '(starting ready))))

(defun sessiond--attach ()
  "Open this buffer's session."
  (let ((buffer (current-buffer))
        (client (sessiond--current-client)))
    (setq sessiond--status nil
          sessiond--session
          (sessiond-open client (list :path sessiond--path :readOnly t :follow t :mustExist t)
                         (lambda (change)
                           (when (buffer-live-p buffer)
                             (with-current-buffer buffer (sessiond--session-changed change))))))))

(defun sessiond--close-session ()
  "Close this buffer's session."
  (when sessiond--timer (cancel-timer sessiond--timer))
  (when sessiond--session
    (sessiond-close (prog1 sessiond--session (setq sessiond--session nil)))))

(defun sessiond--session-changed (change)
  "Schedule drawing this buffer after CHANGE, params of `session/didChange'."
  (setq sessiond--status
        (pcase (plist-get change :kind)
          ("deleted" "the file was deleted")
          ("invalid" "the file is not a valid session at the moment")
          ("ended" "sessiond has ended; press g to restart it")))
  (sessiond--name-buffer)
  (force-mode-line-update)
  (funcall (sessiond--function major-mode "changed") (plist-get change :kind)))

(defun sessiond--schedule (function)
  "Call FUNCTION in this buffer after a delay, once for everything until then."
  (unless sessiond--timer
    (let ((buffer (current-buffer)))
      (setq sessiond--timer
            (run-at-time sessiond-refresh-delay nil
                         (lambda ()
                           (when (buffer-live-p buffer)
                             (with-current-buffer buffer
                               (setq sessiond--timer nil)
                               (funcall function)))))))))

(defun sessiond--then (function)
  "Return a function to call FUNCTION in this buffer, if it still exists."
  (let ((buffer (current-buffer)))
    (lambda (answer)
      (when (buffer-live-p buffer)
        (with-current-buffer buffer (funcall function answer))))))

(defun sessiond--title ()
  "Return the title of this buffer's session."
  (let ((state (and sessiond--session (sessiond-session-state sessiond--session))))
    (or (sessiond--string (plist-get state :name))
        (sessiond--string (plist-get state :sessionId))
        (file-name-base sessiond--path))))

(defun sessiond--session-header ()
  "Return the header line of a buffer that belongs to a session."
  (concat (propertize (sessiond--title) 'face 'bold)
          "  " sessiond--what
          "  " (abbreviate-file-name
                (or (plist-get (and sessiond--session (sessiond-session-state sessiond--session))
                               :cwd)
                    ""))
          (if sessiond--status (concat "  " (propertize sessiond--status 'face 'warning)) "")))

(defun sessiond--name-buffer ()
  "Name this buffer after its session."
  (let ((name (format "*sessiond %s: %s*" sessiond--what
                      (truncate-string-to-width (sessiond--line (sessiond--title)) 40))))
    (unless (string-match-p (concat "\\`" (regexp-quote name) "\\(?:<[0-9]+>\\)?\\'") (buffer-name))
      (rename-buffer name t))))

;;; Values and text

(defun sessiond--string (value)
  "Return VALUE if it is a string that is not empty."
  (and (stringp value) (not (string-empty-p value)) value))

(defun sessiond--object (value)
  "Return VALUE if it is an object."
  (and (consp value) value))

(defun sessiond--line (text)
  "Return TEXT as one line."
  (string-trim (replace-regexp-in-string "[[:space:]\n\r]+" " " text)))

(defun sessiond--time (time)
  "Return the Lisp time of TIME, an ISO 8601 string, or nil."
  ;; Fast path: `date-to-time' is slow, and nearly all times have this format.
  (cond ((not (stringp time)) nil)
        ((string-match (concat "\\`\\([0-9]\\{4\\}\\)-\\([01][0-9]\\)-\\([0-3][0-9]\\)"
                               "T\\([0-2][0-9]\\):\\([0-5][0-9]\\):\\([0-5][0-9]\\)"
                               "\\(?:\\.[0-9]*\\)?Z\\'")
                       time)
         (encode-time (append (mapcar (lambda (n) (string-to-number (match-string n time)))
                                      '(6 5 4 3 2 1))
                              '(nil nil t))))
        (t (ignore-errors (date-to-time time)))))

(defun sessiond--age (time)
  "Return the age of TIME, an ISO 8601 string, in few characters."
  (let* ((then (and (sessiond--time time) (float-time (sessiond--time time))))
         (seconds (if then (max 0 (- (float-time) then)) 0)))
    (cond ((null then) "?")
          ((< seconds 60) "now")
          ((< seconds 3600) (format "%dm" (floor seconds 60)))
          ((< seconds 86400) (format "%dh" (floor seconds 3600)))
          ((< seconds (* 100 86400)) (format "%dd" (floor seconds 86400)))
          (t (format "%dmo" (floor seconds (* 30.44 86400)))))))

;;; Renaming

(defun sessiond--rename (path name)
  "Set the name of the session in the file PATH to NAME, which may be empty."
  (let ((client (sessiond--current-client)))
    (if (sessiond-offers-p client "catalog/rename")
        (sessiond-request client "catalog/rename" (list :path path :name name))
      ;; Append after the last entry of the file; elsewhere the name would start another branch.
      (let ((session (sessiond-open client (list :path path :follow t :mustExist t))))
        (unwind-protect
            (sessiond-request session "session/appendSessionInfo" (list :name name))
          (sessiond-close session))))))

(provide 'sessiond-view)
;;; sessiond-view.el ends here
