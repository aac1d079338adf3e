;;; sessiond-preview.el --- Preview of the session at point in a list  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `sessiond-list-follow-mode' shows the beginning of the session at point in another window, in a search
;; the hit first, and nothing waits for it.

;;; Code:

(require 'tabulated-list)
(require 'sessiond-view)
(require 'sessiond-transcript)

(declare-function sessiond-list--snippet "sessiond-list" (path))

(defconst sessiond-preview--entries 20
  "How many entries of a session a preview shows.")

(defconst sessiond-preview--lines 20
  "How many lines of each text a preview shows.")

(defconst sessiond-preview--characters 20000
  "How many characters of each text are read for a preview.")

(defvar sessiond-preview-delay 0.1
  "Seconds for which point rests at a session before the preview is shown.")

(defvar-local sessiond-preview--of nil
  "In a list: what the preview shows or waits for.")

(define-derived-mode sessiond-preview-mode special-mode "Preview"
  "Beginning of a session."
  (setq-local word-wrap t
              sessiond-transcript-most-lines sessiond-preview--lines
              sessiond-transcript--positions (make-hash-table :test #'equal))
  (buffer-disable-undo)
  (add-to-invisibility-spec '(sessiond-fold . t)))

(defun sessiond-preview--buffer ()
  "Return the buffer of previews."
  (with-current-buffer (get-buffer-create "*sessiond preview*")
    (unless (derived-mode-p 'sessiond-preview-mode) (sessiond-preview-mode))
    (current-buffer)))

;;;###autoload
(define-minor-mode sessiond-list-follow-mode
  "Show the session at point in another window."
  :lighter " Follow"
  (if sessiond-list-follow-mode
      (progn (add-hook 'post-command-hook #'sessiond-preview--soon nil t)
             (add-hook 'kill-buffer-hook #'sessiond-preview--hide nil t)
             (sessiond-preview--soon))
    (remove-hook 'post-command-hook #'sessiond-preview--soon t)
    (remove-hook 'kill-buffer-hook #'sessiond-preview--hide t)
    (sessiond-preview--hide)))

(defun sessiond-preview--hide ()
  "Remove the preview."
  (setq sessiond-preview--of nil)
  (let ((buffer (get-buffer "*sessiond preview*")))
    (when buffer
      (delete-windows-on buffer)
      (kill-buffer buffer))))

(defun sessiond-preview--soon ()
  "Show the session at point, once point rests."
  (let* ((row (tabulated-list-get-id))
         (of (and row (cons row (append (tabulated-list-get-entry) nil)))))
    (when (and of (not (equal of sessiond-preview--of)))
      (setq sessiond-preview--of of)
      (run-at-time sessiond-preview-delay nil
                   (sessiond--then
                    (lambda (waited)
                      (when (eq waited sessiond-preview--of) (sessiond-preview--read (car of)))))
                   of))))

(defun sessiond-preview--read (path)
  "Read the beginning of the session of PATH, and show it."
  (let* ((client sessiond--client)
         (hit (plist-get (sessiond-list--snippet path) :entryId))
         (of sessiond-preview--of)
         (handle nil)
         (connection nil)
         (found nil)
         (show (sessiond--then (lambda (items)
                                 (when (eq of sessiond-preview--of)
                                   (sessiond-preview--show items)))))
         (failed (lambda (oops)
                   (funcall show (plist-get oops :message))
                   (when handle (sessiond-preview--close client connection handle)))))
    (when (and client (eq (sessiond-client-state client) 'ready))
      (sessiond-request-async
       client "session/open" (list :path path :readOnly t :mustExist t)
       (lambda (state)
         (setq handle (plist-get state :session)
               connection (sessiond-client-connection client))
         (when (sessiond--string hit)
           (sessiond-request-async
            client "session/getView" (list :session handle :leafId hit :last 1
                                           :maxChars sessiond-preview--characters)
            (lambda (result) (setq found (plist-get result :items)))
            #'ignore))
         (sessiond-request-async
          client "session/getView" (list :session handle :limit sessiond-preview--entries
                                         :maxChars sessiond-preview--characters)
          (lambda (result)
            (funcall show (append found (plist-get result :items) nil))
            (sessiond-preview--close client connection handle))
          failed))
       failed))))

(defun sessiond-preview--close (client connection handle)
  "Close HANDLE of CLIENT, if CONNECTION is still its connection.
After a restart it may be the handle of another session."
  (when (eq connection (sessiond-client-connection client))
    (sessiond-request-async client "session/close" (list :session handle) #'ignore #'ignore)))

(defun sessiond-preview--show (items)
  "Show ITEMS, or a message why there are none."
  (let ((buffer (sessiond-preview--buffer)))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (mapc #'delete-overlay (overlays-in (point-min) (point-max)))
        (erase-buffer)
        (if (stringp items) (insert (propertize items 'face 'error))
          (sessiond-transcript--insert-all items)))
      (goto-char (point-min))
      (dolist (window (get-buffer-window-list buffer nil t))
        (set-window-point window (point-min))
        (set-window-start window (point-min))))
    (display-buffer buffer '(nil (inhibit-same-window . t)))))

(provide 'sessiond-preview)
;;; sessiond-preview.el ends here
