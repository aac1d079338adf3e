;;; tasks.el --- Twelve things that programs do with sessions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; FOLDER=… emacs -Q --batch -L clients/emacs -l clients/emacs/examples/tasks.el

;;; Code:

(require 'sessiond)

(let* ((folder (getenv "FOLDER"))
       (client (sessiond-connect))
       (listed 0) (found 0) done change)
  (cl-flet ((say (task value) (princ (format "%s: %s\n" task value)))
            (wait (until) (while (not (funcall until)) (accept-process-output nil 0.1))))
    ;; List the sessions of a folder.
    (sessiond-each-session client (list :cwd folder) (lambda (_) (cl-incf listed))
                           (lambda (_) (setq done t)))
    (wait (lambda () done))
    (say "list" listed)

    ;; Search in them.
    (setq done nil)
    (sessiond-each-match client "hello" (lambda (_) (cl-incf found))
                         (lambda (_) (setq done t)) (list :cwd folder))
    (wait (lambda () done))
    (say "search" found)

    ;; Open the latest, and follow what others append.
    (let* ((session (sessiond-open client (list :cwd folder) :method "session/continueRecent"
                                   :on-change (lambda (it) (setq change (or change it)))))
           (opened (sessiond-session-state session))
           (read-to (sessiond-session-tip session))
           (path (plist-get opened :sessionFile))
           (other (sessiond-open client (list :path path))))
      (say "open" (plist-get opened :entryCount))
      (sessiond-request other "session/appendMessage"
                        (list :message (sessiond-user-text "from elsewhere")))
      (wait (lambda () change))
      (say "follow" (plist-get change :kind))

      ;; Append, unless somebody else has appended meanwhile.
      (condition-case conflict
          (sessiond-request session "session/appendMessage"
                            (list :message (sessiond-user-text "mine")
                                  :expectedTipId read-to))
        (sessiond-leaf-conflict
         (say "append" (plist-get (plist-get (nth 2 conflict) :data) :kind))
         ;; Read what is new, and try again: the tip is current.
         (let ((again (sessiond-request session "session/appendMessage"
                                        (list :message (sessiond-user-text "mine")
                                              :expectedTipId (sessiond-session-tip session)))))
           (say "again" (if (equal (plist-get again :id) (sessiond-session-tip session))
                            "true" "false")))))

      ;; Go on from an earlier entry: the next append begins a branch.
      (let* ((page (sessiond-request session "session/getEntries" '(:limit 1)))
             (first (plist-get (aref (plist-get page :entries) 0) :id))
             (leaf (plist-get (sessiond-request session "session/branch" (list :entryId first))
                              :leafId)))
        (say "branch" (if (equal leaf first) "true" "false"))

        ;; Copy a branch into a session of its own.
        (let ((fork (sessiond-open client (list :sourcePath path :targetCwd folder :leafId leaf)
                                   :method "session/forkFrom")))
          (say "fork" (plist-get (sessiond-session-state fork) :entryCount)))

        ;; Label an entry.
        (sessiond-request session "session/appendLabelChange"
                          (list :targetId first :label "start"))
        (say "label" (plist-get (sessiond-request session "session/getLabel" (list :id first))
                                :label)))

      ;; Name the session.
      (sessiond-request session "session/appendSessionInfo" '(:name "Greetings"))
      (say "rename" (plist-get (sessiond-request session "session/getSessionName") :name))

      ;; Export it as Markdown, or as one HTML page.
      (let ((exported (sessiond-request session "catalog/export" '(:format "markdown"))))
        (say "export" (if (string-search "hello" (plist-get exported :content)) "true" "false")))

      ;; Add up tokens and costs.
      (let ((usage (sessiond-request client "catalog/usage" (list :cwd folder :by "model"))))
        (say "usage" (plist-get usage :sessionCount)))

      ;; Nothing is to be done when the daemon ends: it is started again, with all that was open.
      (let ((before (sessiond-request session "session/getLeafId"))
            (pid (plist-get (sessiond-request client "daemon/status") :pid)))
        (signal-process pid 'SIGKILL)
        (say "recover" (if (equal (sessiond-request session "session/getLeafId") before)
                           "true" "false")))
      (sessiond-shutdown client))))

;;; tasks.el ends here
