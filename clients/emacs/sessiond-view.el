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

(defvar-local sessiond--first nil
  "The first message of a user, or nil.")

(defvar-local sessiond--what nil
  "The word for this kind of buffer, such as \"tree\".")

(defvar-local sessiond--status nil
  "Why this buffer is not up to date, or nil.")

(defvar-local sessiond--timer nil
  "The timer that will draw this buffer.")

(defvar-local sessiond--read nil
  "The read of this buffer that waits for its answer, a list, or nil.")

(defvar-local sessiond--attaching nil
  "Whether this buffer waits for its session to be opened.")

(defvar-local sessiond--entry nil
  "Id of the entry to move to when this buffer is drawn, or nil.")

(defvar-local sessiond--reopen nil
  "Function to show again what was lost with sessiond, or nil.")

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
  "Return the client that serves the buffers, once it is ready."
  (let ((client (sessiond--started-client)))
    (sessiond--wait-until-ready client)
    client))

(defun sessiond--started-client ()
  "Return the client that serves the buffers, which may still be starting.
It is started again if the options have changed or it has ended."
  (let ((command (cons (sessiond--program sessiond-program) sessiond-options))
        (profile (if sessiond-profile (list :profile sessiond-profile) '(:allAgents t))))
    (unless (and sessiond--client
                 (memq (sessiond-client-state sessiond--client) '(starting ready))
                 (equal (sessiond-client-command sessiond--client) command)
                 (equal (plist-get (sessiond-client-initialize sessiond--client) :profile)
                        sessiond-profile))
      (when sessiond--client
        (sessiond-shutdown sessiond--client)
        (setq sessiond--client nil))
      (setq sessiond--client (sessiond-start :options sessiond-options :initialize profile
                                             :environment (sessiond--sharing)))
      (sessiond-when-ready sessiond--client #'sessiond--show-again #'ignore))
    sessiond--client))

(defun sessiond--show-again (_client)
  "Let each buffer show again what it lost with sessiond."
  (dolist (buffer (buffer-list))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (sessiond--call (prog1 sessiond--reopen (setq sessiond--reopen nil)))))))

(defun sessiond--with-client (function)
  "Call FUNCTION with the client that serves the buffers.
If it is still starting, return immediately, and call FUNCTION in this buffer
later; this buffer shows what it waits for."
  (let ((client (sessiond--started-client)))
    (if (eq (sessiond-client-state client) 'ready)
        (funcall function client)
      (setq sessiond--status "starting sessiond…")
      (sessiond-when-ready
       client
       (sessiond--then (lambda (client)
                         (setq sessiond--status nil)
                         (condition-case oops
                             (funcall function client)
                           (sessiond-error (sessiond--fail (cadr oops))))
                         (force-mode-line-update)))
       (sessiond--then (lambda (oops) (sessiond--fail (plist-get oops :message))))))))

(defun sessiond--fail (message)
  "Show MESSAGE, why this buffer has nothing to show."
  (setq sessiond--status message)
  (force-mode-line-update)
  (let ((inhibit-read-only t))
    (when (equal (get-text-property (point-min) 'face) 'shadow)
      (erase-buffer))
    (when (zerop (buffer-size))
      (insert (propertize (concat " " message) 'face 'error))))
  (message "sessiond: %s" message))

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
            (setq sessiond--entry entry)
            (sessiond--with-client (lambda (_client) (sessiond--attach-and-load)))))
      (error (when new (kill-buffer buffer))
             (signal (car oops) (cdr oops))))
    (pop-to-buffer-same-window buffer)
    (when (and entry (sessiond--attached-p))
      (funcall (sessiond--function mode "go") entry))
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
          sessiond--reopen nil
          sessiond--session
          (sessiond-open client (list :path sessiond--path :readOnly t :follow t :mustExist t)
                         :on-change
                         (lambda (change)
                           (when (buffer-live-p buffer)
                             (with-current-buffer buffer (sessiond--session-changed change))))))))

(defun sessiond--attach-and-load ()
  "Open this buffer's session and draw it, unless it is open or being opened."
  (unless (or sessiond--attaching (sessiond--attached-p))
    (setq sessiond--attaching t)
    (unwind-protect (sessiond--attach)
      (setq sessiond--attaching nil))
    (funcall (sessiond--function major-mode "load"))
    (when sessiond--entry
      (funcall (sessiond--function major-mode "go")
               (prog1 sessiond--entry (setq sessiond--entry nil))))))

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
          ((or "lost" "ended")
           (format "%s; press g to open it again"
                   (plist-get (plist-get change :error) :message)))))
  (when (and (member (plist-get change :kind) '("lost" "ended")) (not (sessiond--attached-p))
             (eq (sessiond-client-state (sessiond-session-client sessiond--session)) 'ended))
    (setq sessiond--reopen #'sessiond--attach-and-load))
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

(defun sessiond--begin-read ()
  "Begin a read of this buffer, and return it.
The answer to one that was begun before is dropped, because it may be older."
  (setq sessiond--read (list t)))

(defun sessiond--end-read (read)
  "End READ of this buffer.  Return nil if another one was begun meanwhile."
  (when (eq read sessiond--read)
    (setq sessiond--read nil)
    t))

(defun sessiond--read-now (method params draw)
  "Send METHOD with PARAMS, wait, and call DRAW with the result."
  (let* ((read (sessiond--begin-read))
         (latest nil)
         (result (unwind-protect (sessiond-request sessiond--session method params)
                   (setq latest (sessiond--end-read read)))))
    (when latest (funcall draw result))))

(defun sessiond--read-async (method params draw failed)
  "Send METHOD with PARAMS; call DRAW with the result, or FAILED with an error."
  (let* ((read (sessiond--begin-read))
         (latest (lambda (function)
                   (sessiond--then (lambda (answer)
                                     (when (sessiond--end-read read)
                                       (funcall function answer)))))))
    (sessiond-request-async sessiond--session method params
                            (funcall latest draw) (funcall latest failed))))

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

(defun sessiond--heading ()
  "Return the name of this buffer's session, or the beginning of its first message."
  (let ((state (and sessiond--session (sessiond-session-state sessiond--session))))
    (truncate-string-to-width
     (sessiond--line (or (sessiond--string (plist-get state :name)) sessiond--first (sessiond--title)))
     60 nil nil "…")))

(defun sessiond--session-header ()
  "Return the header line of a buffer that belongs to a session."
  (sessiond--unconstrued
   (concat (propertize (sessiond--heading) 'face 'bold)
           "  " sessiond--what
           "  " (sessiond--directory
                 (or (plist-get (and sessiond--session (sessiond-session-state sessiond--session))
                                :cwd)
                     ""))
           (let ((status (or sessiond--status (sessiond--damage))))
             (if status (concat "  " (propertize status 'face 'warning)) "")))))

(defun sessiond--damage ()
  "Return what is wrong with lines of this buffer's file, or nil."
  (let* ((state (and sessiond--session (sessiond-session-state sessiond--session)))
         (problems (plist-get state :diagnostics))
         (others (1- (or (plist-get state :diagnosticCount) (length problems)))))
    (unless (seq-empty-p problems)
      (let ((first (elt problems 0)))
        (concat (format "line %d: %s" (plist-get first :line)
                        (sessiond--line (plist-get first :message)))
                (if (> others 0) (format "  (and %d more)" others) ""))))))

(defun sessiond--read-state ()
  "Read the state of this buffer's session, for its header."
  (let ((session sessiond--session))
    (sessiond-request-async session "session/getState" nil
                            (sessiond--then (lambda (state)
                                              (sessiond--in-state session state)
                                              (force-mode-line-update)))
                            #'ignore)))

(defun sessiond--unconstrued (text)
  "Return TEXT with each % doubled, since mode lines give it a meaning."
  (replace-regexp-in-string "%" "%%" text t t))

(defun sessiond--directory (directory)
  "Return the name of DIRECTORY as people write it, on one line."
  (sessiond--line (abbreviate-file-name directory)))

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

(defconst sessiond--one-line 2000
  "How many characters of a text are looked at to show it on one line.")

(defun sessiond--line (text)
  "Return the beginning of TEXT as one line.
Characters that change the direction of what follows are replaced."
  (let ((beginning (substring text 0 (min (length text) sessiond--one-line))))
    (string-trim (replace-regexp-in-string
                  "[\u202a-\u202e\u2066-\u2069]" "\ufffd"
                  (replace-regexp-in-string "[[:space:]\n\r]+" " " beginning)))))

(defun sessiond--trim-right (text)
  "Return TEXT without white space at its end, in linear time."
  (let ((end (length text)))
    (while (and (> end 0) (memq (aref text (1- end)) '(?\s ?\t ?\n ?\r)))
      (setq end (1- end)))
    (substring text 0 end)))

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

;;; Renaming and deleting

(defun sessiond--buffers-of (path)
  "Return the buffers that show the session in the file PATH."
  (seq-filter (lambda (buffer) (equal (buffer-local-value 'sessiond--path buffer) path))
              (buffer-list)))

(defun sessiond--delete (path)
  "Move the session in the file PATH to the trash.
Kill the buffers that show it.
If a program has it open for writing, ask whether to do it anyway.
Return whether it was done."
  (let ((client (sessiond--current-client))
        (question "%s; move it to the trash anyway (if that program goes on, it appears again)? "))
    (when (condition-case oops
              (progn (sessiond-request client "catalog/delete"
                                       (list :path path :change (sessiond--change)))
                     t)
            (sessiond-in-use
             (when (yes-or-no-p (format question (cadr oops)))
               (sessiond-request client "catalog/delete"
                                 (list :path path :force t :change (sessiond--change)))
               t)))
      (mapc #'kill-buffer (sessiond--buffers-of path))
      t)))

(defun sessiond--restore (path)
  "Restore the deleted session of PATH from the trash."
  (sessiond-request (sessiond--current-client) "catalog/restore" (list :path path)))

(defun sessiond--rename (path name)
  "Set the name of the session in the file PATH to NAME, which may be empty."
  (sessiond-request (sessiond--current-client) "catalog/rename"
                    (list :path path :name name :change (sessiond--change))))

(defun sessiond--change ()
  "Return a name for a change, so that `sessiond-undo' can take it back."
  (md5 (format "%s %s %s" (emacs-pid) (float-time) (random))))

(provide 'sessiond-view)
;;; sessiond-view.el ends here
