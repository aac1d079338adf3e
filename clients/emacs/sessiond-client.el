;;; sessiond-client.el --- Requests, sessions and restarts  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A client starts sessiond, sends requests and receives notifications.  When the process ends
;; unexpectedly, the client starts another one, opens the sessions and subscriptions again, and sends
;; unanswered requests again where that is safe; appends carry an id, so that none is carried out twice.
;; See `sessiond-connect', `sessiond-request', `sessiond-open' and `sessiond-subscribe'.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'sessiond-api)
(require 'sessiond-wire)

(defgroup sessiond nil
  "Sessions of coding agents."
  :group 'tools
  :prefix "sessiond-")

(defcustom sessiond-program nil
  "The program sessiond: a name to look up in PATH, or an absolute path.
When nil, use the environment variable SESSIOND, or else the name sessiond."
  :type '(choice (const :tag "$SESSIOND, else sessiond" nil) string))

(defcustom sessiond-options nil
  "Command line options, such as (\"--root\" \"/home/me/work\")."
  :type '(repeat string))

(defcustom sessiond-shared 'default
  "Whether to share one daemon with other editors and agents.
By default the environment variable SESSIOND_SHARED decides; without it: yes."
  :type '(choice (const :tag "$SESSIOND_SHARED, else yes" default)
                 (const :tag "Share" t) (const :tag "Do not share" nil)))

(defcustom sessiond-profile nil
  "The agent whose sessions to serve, such as \"pi\"; nil: all on this machine."
  :type '(choice (const :tag "All agents" nil) string))

(defcustom sessiond-log-messages nil
  "Whether to log all messages in an events buffer, which is slow."
  :type 'boolean)

(defvar sessiond-reconnected-functions nil
  "Functions called after sessiond ended and a client opened everything in another.
Each is called with the client and a list of the sessions that are lost.")

(defvar sessiond-lost-functions nil
  "Functions called when sessiond has ended and a client starts no other.
Each is called with the client and the error object, a plist.")

(define-error 'sessiond-lost "Sessiond has ended" 'sessiond-error)

(defconst sessiond--give-up 3
  "How many times in a row sessiond may crash without an answer.")

(defconst sessiond--protocol-version "1"
  "The version of the protocol that this package speaks.")

(cl-defstruct (sessiond-client (:constructor sessiond--make-client) (:copier nil))
  "A sessiond process, or the one that replaced it after a crash."
  command initialize environment connection
  (state 'starting :documentation "One of `starting', `ready', `closing' and `ended'.")
  (server nil :documentation "The answer to initialize.")
  (requests nil :documentation "The unanswered requests, in order.")
  (sessions nil :documentation "The open sessions.")
  (subscriptions nil)
  (crashes 0 :documentation "How many times in a row it crashed without an answer.")
  (opening 0 :documentation "How many answers a restart still waits for.")
  (waiting nil :documentation "Functions to call when it is ready or ended: (READY . FAILURE).")
  (lost nil :documentation "The sessions that the present restart could not open.")
  (reports nil :documentation "Functions to call after the present restart, the last one first.")
  (exit-code nil)
  (why nil :documentation "Why it ended.")
  (listener nil :documentation "Called with the method and params of every notification."))

(cl-defstruct (sessiond-session (:constructor sessiond--make-session) (:copier nil))
  "An open session, which outlives the process that opened it."
  client handle state follow read-only
  (connection nil :documentation "The connection for which the handle holds.")
  (leaf nil :documentation "Id of the leaf, or `:null'; current.")
  (tip nil :documentation "Id of the last entry, or `:null'; current.")
  (lost nil :documentation "The error object for which it could not be opened again.")
  (listener nil :documentation "Called with each change, a plist with a :kind."))

(cl-defstruct (sessiond-subscription (:constructor sessiond--make-subscription) (:copier nil))
  "A subscription, with its current id and the latest snapshot."
  client family params id snapshot listener
  (connection nil :documentation "The connection for which the id holds."))

(cl-defstruct (sessiond--request (:constructor sessiond--make-request) (:copier nil))
  "An unanswered request; ID is nil until it is sent."
  method params success failure id)

;;; Starting and ending

(defun sessiond-connect (&rest options)
  "Start sessiond, and return a client once it is ready.
OPTIONS are as in `sessiond-start'.  Signal `sessiond-error' if sessiond does
not start."
  (let ((client (apply #'sessiond-start options)))
    (unwind-protect (sessiond--wait-until-ready client)
      ;; The caller quit, and has no client to shut down.
      (when (eq (sessiond-client-state client) 'starting) (sessiond-shutdown client)))
    client))

(defun sessiond--wait-until-ready (client)
  "Wait until CLIENT is ready; signal an error if it does not start."
  (while (eq (sessiond-client-state client) 'starting)
    (accept-process-output (sessiond--process client) 0.1))
  (when (eq (sessiond-client-state client) 'ended)
    (sessiond--signal (sessiond--lost (sessiond-client-why client)))))

(cl-defun sessiond-start (&key program options initialize environment listener)
  "Start sessiond, and return a client immediately.
Requests wait until it is ready; see also `sessiond-when-ready'.
PROGRAM and OPTIONS are as `sessiond-program' and `sessiond-options'.
INITIALIZE are further params of initialize, ENVIRONMENT strings to add in
front of `process-environment'.  LISTENER is called with the method and params
of each notification.  Signal `sessiond-error' if there is no such program."
  (let ((client (sessiond--make-client
                 :command (cons (sessiond--program (or program sessiond-program)) options)
                 :environment environment
                 :initialize (sessiond--initialize-params initialize)
                 :listener listener)))
    (sessiond--start client)
    client))

(defun sessiond-when-ready (client ready failure)
  "Call READY with CLIENT when it is ready, or FAILURE with an error object."
  (pcase (sessiond-client-state client)
    ('ready (funcall ready client))
    ((or 'starting 'closing) (push (cons ready failure) (sessiond-client-waiting client)))
    (_ (funcall failure (sessiond--lost (sessiond-client-why client))))))

(defun sessiond--tell-waiting (client)
  "Call the functions that wait until CLIENT is ready or ended."
  (dolist (each (nreverse (prog1 (sessiond-client-waiting client)
                            (setf (sessiond-client-waiting client) nil))))
    ;; Such a function may wait for answers, so call none while a message is handled.
    (if (eq (sessiond-client-state client) 'ready)
        (run-at-time 0 nil #'sessiond--call (car each) client)
      (run-at-time 0 nil #'sessiond--call (cdr each)
                   (sessiond--lost (sessiond-client-why client))))))

(defun sessiond--lost (message)
  "Return the error object for a client that has ended, with MESSAGE."
  (list :code -1 :message message :data '(:kind "Lost")))

(defun sessiond--program (program)
  "Return the path of PROGRAM, or signal an error with advice."
  (let ((name (or program (getenv "SESSIOND") "sessiond")))
    (or (executable-find name)
        (signal 'sessiond-error
                (list (format "Program %s not found; install sessiond (pip install . in a checkout) or set `sessiond-program'"
                              name))))))

(defun sessiond--initialize-params (more)
  "Return the params of initialize: MORE, and those that describe this client."
  (let ((params (list :clientInfo '(:name "sessiond.el" :version "0.2.0")
                      :processId (emacs-pid)
                      :protocolVersions (vector sessiond--protocol-version))))
    (cl-loop for (key value) on more by #'cddr do (setq params (plist-put params key value)))
    (plist-put params :capabilities
               (plist-put (copy-sequence (plist-get more :capabilities)) :plainJson t))))

(defun sessiond--start (client)
  "Start a process for CLIENT and send initialize."
  (setf (sessiond-client-state client) 'starting
        (sessiond-client-reports client) nil
        (sessiond-client-connection client)
        (sessiond--open-connection
         (sessiond-client-command client) (sessiond-client-environment client)
         sessiond-log-messages
         (lambda (connection) (sessiond--ended client connection))
         (lambda (method params) (sessiond--notified client method params))))
  (sessiond--transmit
   client
   (sessiond--make-request
    :method "initialize" :params (sessiond-client-initialize client)
    :success (lambda (server)
               (let ((version (plist-get server :protocolVersion)))
                 (if (not (equal version sessiond--protocol-version))
                     (sessiond--refuse
                      client
                      (format "The daemon speaks protocol version %s, and this package version %s"
                              version sessiond--protocol-version))
                   (setf (sessiond-client-server client) server)
                   (sessiond--transmit-notification client "initialized" nil)
                   (sessiond--reopen-all client))))
    :failure (lambda (oops) (sessiond--refuse client (plist-get oops :message))))))

(defun sessiond--refuse (client why)
  "End CLIENT and its process, which cannot be used because of WHY."
  (sessiond--give-up client why)
  (delete-process (sessiond--child (sessiond-client-connection client))))

(defun sessiond-shutdown (client)
  "Shut CLIENT down, after the requests in flight have been answered.
A process that is still starting is killed."
  (when (eq (sessiond-client-state client) 'starting)
    (setf (sessiond-client-state client) 'closing)
    (delete-process (sessiond--child (sessiond-client-connection client))))
  (when (eq (sessiond-client-state client) 'ready)
    (ignore-errors
      (sessiond-request client "shutdown")
      (sessiond-notify client "exit")))
  (sessiond-wait-for-end client))

(defun sessiond-wait-for-end (client)
  "Wait until CLIENT's process has ended; return its exit code.
After 5 seconds kill the process."
  (with-timeout (5 (delete-process (sessiond--child (sessiond-client-connection client))))
    ;; The end of a process does not end the wait of `accept-process-output' for output.
    (while (not (eq (sessiond-client-state client) 'ended))
      (accept-process-output nil 0.01)))
  (sessiond-client-exit-code client))

(defun sessiond--ended (client connection)
  "Handle the end of the process of CONNECTION for CLIENT."
  (setf (sessiond-client-exit-code client) (process-exit-status (sessiond--child connection)))
  (let ((words (sessiond--last-words connection)))
    (cond ((eq (sessiond-client-state client) 'ended))
          ((eq (sessiond-client-state client) 'closing)
           (sessiond--give-up client "sessiond was stopped"))
          ((or (null (sessiond-client-server client))
               (>= (cl-incf (sessiond-client-crashes client)) sessiond--give-up))
           (sessiond--give-up client (format "sessiond ended with code %s%s"
                                             (sessiond-client-exit-code client)
                                             (if words (concat ": " words) ""))))
          (t (condition-case oops (sessiond--start client)
               (error (sessiond--give-up client (error-message-string oops))))))))

(defun sessiond--give-up (client why)
  "End CLIENT, and fail its requests with the message WHY."
  (let ((stopped (eq (sessiond-client-state client) 'closing)))
    (setf (sessiond-client-state client) 'ended
          (sessiond-client-why client) why)
    (sessiond--fail-all client why)
    (sessiond--end-all client (list :kind (if stopped "ended" "lost") :error (sessiond--lost why)))
    (sessiond--tell-waiting client)
    (unless stopped
      (run-hook-with-args 'sessiond-lost-functions client (sessiond--lost why)))))

(defun sessiond--fail-all (client why)
  "Fail the requests of CLIENT with the message WHY."
  (dolist (request (prog1 (sessiond-client-requests client)
                     (setf (sessiond-client-requests client) nil)))
    (sessiond--call (sessiond--request-failure request) (sessiond--lost why))))

(defun sessiond--end-all (client change)
  "Report CHANGE, the last one, to the sessions and subscriptions of CLIENT."
  (dolist (session (sessiond-client-sessions client))
    (sessiond--call (sessiond-session-listener session) change))
  (dolist (subscription (sessiond-client-subscriptions client))
    (sessiond--call (sessiond-subscription-listener subscription) change)))

;;; After a restart

(defun sessiond--reopen-all (client)
  "Open the sessions and subscriptions of CLIENT again, and then make it ready."
  (setf (sessiond-client-opening client) 1
        (sessiond-client-lost client) nil)
  (mapc #'sessiond--reopen (copy-sequence (sessiond-client-sessions client)))
  (dolist (subscription (sessiond-client-subscriptions client))
    (setf (sessiond-subscription-id subscription) nil))
  (dolist (subscription (sessiond-client-subscriptions client))
    (sessiond--while-opening
     client (concat (sessiond-subscription-family subscription) "/subscribe")
     (sessiond-subscription-params subscription)
     (lambda (result) (sessiond--subscribed subscription result))
     (lambda (oops)
       (setf (sessiond-client-subscriptions client)
             (delq subscription (sessiond-client-subscriptions client)))
       (sessiond--call (sessiond-subscription-listener subscription)
                       (list :kind "lost" :error oops)))))
  (sessiond--opened client))

(defun sessiond--reopen (session)
  "Open SESSION in a new process, at its leaf.
A session that followed the file, and had not gone back to an earlier entry,
goes on following it."
  (let* ((client (sessiond-session-client session))
         (state (sessiond-session-state session))
         (path (plist-get state :sessionFile))
         (directory (plist-get state :sessionDir))
         (leaf (sessiond-session-leaf session))
         ;; An empty session need not have a file.
         (filled (stringp (sessiond-session-tip session)))
         (follow (sessiond-session-follow session))
         (followed (and follow (equal leaf (sessiond-session-tip session))))
         (lose (lambda (oops)
                 (setf (sessiond-session-lost session) oops
                       (sessiond-client-sessions client)
                       (delq session (sessiond-client-sessions client)))
                 (push session (sessiond-client-lost client))
                 (sessiond--call (sessiond-session-listener session)
                                 (list :kind "lost" :error oops)))))
    (if (not (stringp path))
        (funcall lose (sessiond--lost "The session was in memory and ended with sessiond"))
      (sessiond--while-opening
       client "session/open"
       `(:session ,(sessiond-session-handle session) :path ,path
         ,@(when filled '(:mustExist t))
         ,@(unless (equal directory "") (list :sessionDir directory))
         ,@(unless (equal (plist-get state :cwd) "") (list :cwd (plist-get state :cwd)))
         ,@(when (sessiond-session-read-only session) '(:readOnly t))
         ,@(when follow '(:follow t))
         ,@(unless followed (list :leafId leaf)))
       (lambda (now)
         (if (or (not filled)
                 (equal (plist-get now :sessionId) (plist-get state :sessionId)))
             (sessiond--opened-as session now)
           (sessiond--while-opening client "session/close" (list :session (plist-get now :session))
                                    #'ignore #'ignore)
           (funcall lose (sessiond--lost "The file is another session now"))))
       lose))))

(defun sessiond--while-opening (client method params success failure)
  "Send METHOD with PARAMS to CLIENT, which becomes ready only after the answer.
Call SUCCESS or FAILURE with the answer."
  (cl-incf (sessiond-client-opening client))
  (cl-flet ((then (function)
              (lambda (answer)
                (unwind-protect (funcall function answer) (sessiond--opened client)))))
    (sessiond--transmit client (sessiond--make-request :method method :params params
                                                       :success (then success)
                                                       :failure (then failure)))))

(defun sessiond--opened (client)
  "Make CLIENT ready if this was the last answer that it waited for."
  (when (and (zerop (cl-decf (sessiond-client-opening client)))
             (eq (sessiond-client-state client) 'starting))
    (setf (sessiond-client-state client) 'ready)
    (dolist (request (copy-sequence (sessiond-client-requests client)))
      (if (or (null (sessiond--request-id request)) (sessiond--repeatable-p request))
          (condition-case oops (sessiond--transmit client request)
            (error (sessiond--call (sessiond--request-failure request)
                                   (list :code -32602 :message (error-message-string oops)))))
        (sessiond--finish client request #'sessiond--request-failure
                          (sessiond--lost
                           (format "sessiond ended during %s, which may have been carried out"
                                   (sessiond--request-method request))))))
    (sessiond--tell-waiting client)
    (when (> (sessiond-client-crashes client) 0)
      (dolist (session (sessiond-client-sessions client))
        (sessiond--call (sessiond-session-listener session)
                        (list :kind "reconnected" :state (sessiond-session-state session))))
      (dolist (subscription (sessiond-client-subscriptions client))
        (sessiond--call (sessiond-subscription-listener subscription)
                        (list :kind "reconnected"
                              :snapshot (sessiond-subscription-snapshot subscription))))
      (run-hook-with-args 'sessiond-reconnected-functions client (sessiond-client-lost client)))
    (mapc #'funcall (nreverse (prog1 (sessiond-client-reports client)
                                (setf (sessiond-client-reports client) nil))))))

(defun sessiond--when-reported (client report)
  "Call REPORT now, or, during a restart of CLIENT, after it was reported.
What a new process says is newer than the states and snapshots that listeners
get then."
  (if (eq (sessiond-client-state client) 'starting)
      (push report (sessiond-client-reports client))
    (funcall report)))

(defun sessiond--repeatable-p (request)
  "Return non-nil if REQUEST may be sent again."
  (let ((params (sessiond--request-params request)))
    (and (memq 'repeatable (sessiond--facts (sessiond--request-method request)))
         (not (sessiond-json-p params))
         ;; A handle as text belongs to the process that ended.
         (not (stringp (plist-get params :session)))
         (not (stringp (plist-get params :subscription))))))

;;; Requests

(defun sessiond--facts (method)
  "Return the properties of METHOD in the contract, a list of symbols."
  (cdr (assoc method sessiond-api-methods)))

(defun sessiond-request (target method &optional params)
  "Send METHOD with PARAMS to TARGET, wait for the answer and return the result.
TARGET is a client, or a session, which is then added to the params.  Quitting
cancels the request.  Signal `sessiond-error', or the condition for the kind of
error; its data are the message and the error object, a plist."
  (sessiond--await target method params #'identity))

(defun sessiond--await (target method params use)
  "Send METHOD with PARAMS to TARGET, and wait for the answer.
Return the value of the function USE, called with the result on arrival."
  (let* (value
         (state 'waiting)
         (request (sessiond-request-async
                   target method params
                   (lambda (result) (setq state 'done value (funcall use result)))
                   (lambda (oops) (setq state 'failed value oops)))))
    (unwind-protect
        (while (eq state 'waiting)
          ;; Wait for this process only, because waiting for any process returns late.  Look it up
          ;; each time, because a restart replaces it.
          (accept-process-output (sessiond--process target) 1))
      (when (eq state 'waiting) (sessiond-cancel target request)))
    (if (eq state 'done) value (sessiond--signal value))))

(defun sessiond--process (target)
  "Return the current process for TARGET, or nil while none is running."
  (let* ((client (if (sessiond-session-p target) (sessiond-session-client target) target))
         (connection (sessiond-client-connection client))
         (process (and connection (sessiond--child connection))))
    (and (process-live-p process) process)))

(defun sessiond-request-async (target method params success &optional failure)
  "Send METHOD with PARAMS to TARGET; call SUCCESS with the result.
Call FAILURE with the error object, a plist; without it show a message.
TARGET is as in `sessiond-request'.  Return a request for `sessiond-cancel'."
  (let* ((client (if (sessiond-session-p target) (sessiond-session-client target) target))
         (facts (sessiond--facts method))
         (plain (not (sessiond-json-p params)))
         (request
          (sessiond--make-request
           :method method
           :params (if plain
                       (append (and (sessiond-session-p target) (list :session target))
                               params
                               (and (memq 'appends facts) (not (plist-member params :newEntryId))
                                    (list :newEntryId (sessiond--new-entry-id))))
                     params)
           :success (lambda (result)
                      (when (sessiond-session-p target) (sessiond--track target facts result))
                      (funcall success result))
           :failure (or failure
                        (lambda (oops) (message "sessiond: %s" (plist-get oops :message)))))))
    (if (eq (sessiond-client-state client) 'ended)
        (sessiond--call (sessiond--request-failure request)
                        (sessiond--lost (sessiond-client-why client)))
      (setf (sessiond-client-requests client)
            (append (sessiond-client-requests client) (list request)))
      (when (memq (sessiond-client-state client) '(ready closing))
        (sessiond--transmit client request)))
    request))

(defun sessiond--new-entry-id ()
  "Return 16 random hexadecimal digits, so that equal ids are very unlikely."
  (apply #'format "%04x%04x%04x%04x"
         (mapcar (lambda (_) (random #x10000)) '(1 2 3 4))))

(defun sessiond--transmit (client request)
  "Send REQUEST over CLIENT's connection."
  (let* ((connection (sessiond-client-connection client))
         (params (sessiond--request-params request))
         (plain (not (sessiond-json-p params)))
         (session (and plain (plist-get params :session)))
         (subscription (and plain (plist-get params :subscription)))
         (lost (or (and (sessiond-session-p session)
                        (or (sessiond-session-lost session)
                            (sessiond--closed (sessiond-session-connection session) connection)))
                   (and (sessiond-subscription-p subscription)
                        (sessiond--closed (sessiond-subscription-connection subscription)
                                          connection)))))
    (cond
     (lost (sessiond--finish client request #'sessiond--request-failure lost))
     (t
      (when (sessiond-session-p session)
        (setq params (plist-put (copy-sequence params) :session
                                (sessiond-session-handle session))))
      (when (sessiond-subscription-p subscription)
        (setq params (plist-put (copy-sequence params) :subscription
                                (sessiond-subscription-id subscription))))
      (condition-case oops
          (progn
            (jsonrpc-async-request
             connection (intern (concat ":" (sessiond--request-method request))) params
             :timeout nil
             :success-fn (lambda (result)
                           (when (memq request (sessiond-client-requests client))
                             (setf (sessiond-client-crashes client) 0))
                           (sessiond--finish client request #'sessiond--request-success result))
             ;; If the process has ended, this is not an answer: the request waits for the restart.
             :error-fn (lambda (oops)
                         (when (jsonrpc-running-p connection)
                           (sessiond--finish client request #'sessiond--request-failure oops))))
            (setf (sessiond--request-id request) (oref connection sent)))
        (error
         (when (jsonrpc-running-p connection)
           (setf (sessiond-client-requests client)
                 (delq request (sessiond-client-requests client)))
           (signal (car oops) (cdr oops)))))))))

(defun sessiond--closed (its connection)
  "Return an error object if ITS connection, that of a handle, is not CONNECTION.
Then it was closed before a restart, and its handle may be another one's now."
  (unless (eq its connection)
    '(:code 1001 :message "It is closed; open it again" :data (:kind "UnknownSession"))))

(defun sessiond--finish (client request outcome answer)
  "Remove REQUEST from CLIENT; call its function in slot OUTCOME with ANSWER."
  (setf (sessiond-client-requests client) (delq request (sessiond-client-requests client)))
  (funcall (funcall outcome request) answer))

(defun sessiond-cancel (target request)
  "Cancel REQUEST, which was sent to TARGET; its functions are not called.
It may have been carried out.  What it opens is closed again."
  (let* ((client (if (sessiond-session-p target) (sessiond-session-client target) target))
         (waiting (memq request (sessiond-client-requests client)))
         (method (sessiond--request-method request)))
    (setf (sessiond-client-requests client) (delq request (sessiond-client-requests client))
          (sessiond--request-failure request) #'ignore
          (sessiond--request-success request)
          (cond ((memq 'opens (sessiond--facts method))
                 (lambda (state) (sessiond--end client "session/close" :session state)))
                ((string-suffix-p "/subscribe" method)
                 (lambda (state)
                   (sessiond--end client (string-replace "/sub" "/unsub" method)
                                  :subscription state)))
                (t #'ignore)))
    (when (and waiting (sessiond--request-id request) (eq (sessiond-client-state client) 'ready))
      (sessiond-notify client "$/cancelRequest" (list :id (sessiond--request-id request))))))

(defun sessiond--end (client method member result)
  "Send METHOD to CLIENT with MEMBER of RESULT, which is a handle."
  (sessiond-request-async client method (list member (plist-get result member))
                          #'ignore #'ignore))

(defun sessiond-notify (client method &optional params)
  "Send the notification METHOD with PARAMS to CLIENT."
  (when (equal method "exit") (setf (sessiond-client-state client) 'closing))
  (sessiond--transmit-notification client method params))

(defun sessiond--transmit-notification (client method params)
  "Send the notification METHOD with PARAMS over CLIENT's connection.
If the process has ended, nobody waits for it."
  (let ((connection (sessiond-client-connection client)))
    (condition-case oops
        (jsonrpc-notify connection (intern (concat ":" method)) params)
      (error (when (jsonrpc-running-p connection) (signal (car oops) (cdr oops)))))))

(defun sessiond--signal (oops)
  "Signal the condition for the kind or the code of OOPS, an error object."
  (let* ((data (plist-get oops :data))
         (kind (and (consp data) (plist-get data :kind))))
    (signal (cond ((equal kind "Lost") 'sessiond-lost)
                  ((alist-get kind sessiond-api-conditions nil nil #'equal))
                  ((alist-get (plist-get oops :code) sessiond-api-codes))
                  (t 'sessiond-error))
            (list (plist-get oops :message) oops))))

(defun sessiond--call (function &rest arguments)
  "Call FUNCTION with ARGUMENTS, unless it is nil; show its errors as messages."
  (when function
    (with-demoted-errors "sessiond: %S" (apply function arguments))))

;;; Sessions and subscriptions

(cl-defun sessiond-open (client params &key on-change method)
  "Open a session with CLIENT and return it.
PARAMS are those of METHOD, which is `session/open' or another one that opens a
session.  A missing file is a new session only if :mustExist is `:json-false'.
ON-CHANGE is called with each change, a plist: the params of
`session/didChange'; after a restart of sessiond a :kind of \"reconnected\" with
a :state; \"lost\" with an :error if the session could not be opened again, and
\"ended\" with an :error if CLIENT was shut down."
  (let ((session (sessiond--make-session
                  :client client :listener on-change
                  :follow (eq (plist-get params :follow) t)
                  :read-only (eq (plist-get params :readOnly) t))))
    (sessiond--await
     client (or method "session/open")
     (if (or method (plist-member params :mustExist)) params
       (append params '(:mustExist t)))
     ;; Register it before the next message is handled, which may be a change of it.
     (lambda (state)
       (sessiond--opened-as session state)
       (push session (sessiond-client-sessions client))
       session))))

(defun sessiond--opened-as (session state)
  "Store in SESSION the STATE that opening it in the present process answered."
  (setf (sessiond-session-handle session) (plist-get state :session)
        (sessiond-session-connection session)
        (sessiond-client-connection (sessiond-session-client session)))
  (sessiond--in-state session state))

(defun sessiond--in-state (session state)
  "Store in SESSION its new STATE."
  (setf (sessiond-session-state session) state
        (sessiond-session-leaf session) (plist-get state :leafId)
        (sessiond-session-tip session) (plist-get state :tipId)))

(defun sessiond-close (session)
  "Close SESSION, without waiting for the answer."
  (let ((client (sessiond-session-client session)))
    (setf (sessiond-client-sessions client) (delq session (sessiond-client-sessions client))
          (sessiond-session-listener session) nil)
    (unless (or (sessiond-session-lost session) (eq (sessiond-client-state client) 'ended))
      (sessiond-request-async session "session/close" nil #'ignore #'ignore))))

(defun sessiond--track (session facts result)
  "Update SESSION from RESULT; FACTS are the properties of the method."
  (cond ((memq 'appends facts)
         (setf (sessiond-session-leaf session) (plist-get result :leafId))
         (unless (or (eq (plist-get result :existed) t) (null (plist-get result :id)))
           (setf (sessiond-session-tip session) (plist-get result :id))))
        ((not (consp result)))
        ((plist-member result :entryCount)
         (sessiond--in-state session result))
        ((plist-member result :leafId)
         (setf (sessiond-session-leaf session) (plist-get result :leafId)))))

(cl-defun sessiond-subscribe (client params on-change &key (family "catalog"))
  "Subscribe CLIENT to a list of sessions with PARAMS of `catalog/subscribe'.
With the FAMILY \"gateway\" subscribe to the stores of a gateway.  Return the
subscription, whose `sessiond-subscription-snapshot' is the answer.  ON-CHANGE
is called with plists: with a :kind of \"changed\" the params of a notification;
with \"reconnected\", after a restart of sessiond, a new :snapshot; with \"lost\"
an :error."
  (let* (subscription oops
         (request (sessiond-subscribe-async client params on-change
                                            (lambda (made) (setq subscription made))
                                            (lambda (failed) (setq oops failed))
                                            family)))
    (unwind-protect
        (while (not (or subscription oops))
          (accept-process-output (sessiond--process client) 1))
      (unless (or subscription oops) (sessiond-cancel client request)))
    (if oops (sessiond--signal oops) subscription)))

(defun sessiond-subscribe-async (client params on-change success failure &optional family)
  "Subscribe CLIENT with PARAMS; call SUCCESS with the subscription.
Call FAILURE with an error object.  ON-CHANGE and FAMILY are as in
`sessiond-subscribe'."
  (let* ((family (or family "catalog"))
         (subscription (sessiond--make-subscription
                        :client client :family family :params params :listener on-change)))
    (sessiond-request-async
     client (concat family "/subscribe") params
     (lambda (result)
       (push subscription (sessiond-client-subscriptions client))
       (sessiond--subscribed subscription result)
       (funcall success subscription))
     failure)))

(defun sessiond--subscribed (subscription result)
  "Handle RESULT, the answer to SUBSCRIPTION."
  (setf (sessiond-subscription-id subscription) (plist-get result :subscription)
        (sessiond-subscription-connection subscription)
        (sessiond-client-connection (sessiond-subscription-client subscription))
        (sessiond-subscription-snapshot subscription) result))

(defun sessiond-unsubscribe (subscription)
  "End SUBSCRIPTION, without waiting for the answer."
  (let ((client (sessiond-subscription-client subscription)))
    (setf (sessiond-client-subscriptions client)
          (delq subscription (sessiond-client-subscriptions client)))
    (unless (eq (sessiond-client-state client) 'ended)
      (sessiond-request-async client
                              (concat (sessiond-subscription-family subscription) "/unsubscribe")
                              (list :subscription subscription)
                              #'ignore #'ignore))))

(defun sessiond--notified (client method params)
  "Pass the notification METHOD with PARAMS to the listeners of CLIENT."
  (sessiond--call (sessiond-client-listener client) method params)
  (pcase method
    ("session/didChange"
     (dolist (session (sessiond-client-sessions client))
       (when (equal (sessiond-session-handle session) (plist-get params :session))
         (sessiond--changed session params))))
    ((or "catalog/didChange" "gateway/didChange")
     (dolist (subscription (sessiond-client-subscriptions client))
       (when (and (equal (sessiond-subscription-id subscription) (plist-get params :subscription))
                  (equal (concat (sessiond-subscription-family subscription) "/didChange") method))
         (sessiond--when-reported
          client
          (lambda ()
            (sessiond--call (sessiond-subscription-listener subscription)
                            (append '(:kind "changed") params)))))))))

(defun sessiond--changed (session params)
  "Update SESSION from PARAMS, a change, and call its listener."
  (let ((state (copy-sequence (sessiond-session-state session))))
    (dolist (member '(:leafId :tipId :entryCount :generation :name))
      (setq state (plist-put state member (plist-get params member))))
    (sessiond--in-state session state)
    (setf (sessiond-session-leaf session) (plist-get params :leafId))
    (sessiond--when-reported
     (sessiond-session-client session)
     (lambda () (sessiond--call (sessiond-session-listener session) params)))))

;;; Paging

(defun sessiond--each (target method params member function done)
  "Call FUNCTION with each item of all pages of METHOD with PARAMS.
Send it to TARGET; MEMBER is the array in the result.  FUNCTION ends the reading
by returning `stop'.  In the end call DONE, if non-nil, with nil or an error
object; without it an error is shown as a message."
  (sessiond-request-async
   target method params
   (lambda (result)
     (let* ((cursor (plist-get result :nextCursor))
            (stopped (seq-some (lambda (item) (eq (funcall function item) 'stop))
                               (plist-get result member))))
       (if (and (stringp cursor) (not stopped))
           (sessiond--each target method (plist-put (copy-sequence params) :cursor cursor)
                           member function done)
         (when done (funcall done nil)))))
   done))

(defun sessiond-each-entry (session function &optional done params)
  "Call FUNCTION with each entry of SESSION, in file order.
Entries are read page by page without waiting; FUNCTION returns `stop' to
read no more.  In the end call DONE, if non-nil, with nil or an error object.
PARAMS may have a :limit, the length of a page, and a :cursor."
  (sessiond--each session "session/getEntries" (if (plist-member params :limit) params
                                                 (append params '(:limit 1000)))
                  :entries function done))

(defun sessiond-each-session (client params function &optional done)
  "Call FUNCTION with each session that CLIENT lists with PARAMS, page by page.
With a :cwd in PARAMS list those of that directory, else all.  FUNCTION and DONE
are as in `sessiond-each-entry'."
  (sessiond--each client (if (plist-get params :cwd) "session/list" "session/listAll")
                  params :sessions function done))

(defun sessiond-each-match (client query function &optional done params)
  "Call FUNCTION with each hit of a search of CLIENT for QUERY, page by page.
PARAMS are further params of `catalog/search'.  FUNCTION and DONE are as in
`sessiond-each-entry'."
  (sessiond--each client "catalog/search" (append (list :query query) params)
                  :hits function done))

;;; Messages

(defun sessiond-user-text (text)
  "Return a message of the user with TEXT and the current time."
  (list :role "user" :content text :timestamp (floor (* 1000 (float-time)))))

(defun sessiond-assistant-message (content provider model &rest members)
  "Return an answer of MODEL of PROVIDER with all members that pi needs.
CONTENT is a text or a vector of blocks.  MEMBERS come in addition, or instead:
without :usage the answer has no tokens, at a price that is not known."
  (let* ((blocks (if (stringp content) (vector (list :type "text" :text content)) content))
         (calls (seq-some (lambda (block) (equal (plist-get block :type) "toolCall")) blocks))
         (message (list :role "assistant" :content blocks :api "" :provider provider :model model
                        :usage '(:input 0 :output 0 :cacheRead 0 :cacheWrite 0 :totalTokens 0
                                 :cost (:input :null :output :null :cacheRead :null
                                        :cacheWrite :null :total :null))
                        :stopReason (if calls "toolUse" "stop")
                        :timestamp (floor (* 1000 (float-time))))))
    (cl-loop for (key value) on members by #'cddr do (setq message (plist-put message key value)))
    message))

(provide 'sessiond-client)
;;; sessiond-client.el ends here
