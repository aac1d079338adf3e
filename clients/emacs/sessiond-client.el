;;; sessiond-client.el --- Requests, sessions and restarts  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A client starts sessiond, sends requests and hears notifications.  When the process ends though
;; nobody asked it to, the client starts another, opens the sessions again that were open, and sends
;; again what was not answered and may be repeated; appends carry an id of their own, so that none is
;; done twice.  See `sessiond-connect', `sessiond-request', `sessiond-open' and `sessiond-subscribe'.

;;; Code:

(require 'cl-lib)
(require 'sessiond-api)
(require 'sessiond-wire)

(defgroup sessiond nil
  "Sessions of coding agents."
  :group 'tools
  :prefix "sessiond-")

(defcustom sessiond-program nil
  "The program sessiond: a name to look for, or an absolute path.
When nil, the variable SESSIOND of the environment says it, or else it is
looked for by its name."
  :type '(choice (const :tag "$SESSIOND, else sessiond" nil) string))

(defcustom sessiond-options nil
  "Options of the command line, such as (\"--root\" \"/home/me/work\")."
  :type '(repeat string))

(defcustom sessiond-profile nil
  "Whose sessions to serve, such as \"pi\"; nil leaves that to sessiond."
  :type '(choice (const :tag "As sessiond is set up" nil) string))

(defcustom sessiond-log-messages nil
  "Whether to keep all messages in a buffer of events, which is slow."
  :type 'boolean)

(defconst sessiond--give-up 3
  "How many times in a row sessiond may end without an answer.")

(cl-defstruct (sessiond-client (:constructor sessiond--make-client) (:copier nil))
  "A sessiond process and its successors."
  command initialize environment connection
  (state 'starting :documentation "One of `starting', `ready', `closing' and `ended'.")
  (server nil :documentation "The answer to initialize.")
  (requests nil :documentation "Those not answered yet, in the order they were made.")
  (sessions nil :documentation "The open ones.")
  (subscriptions nil)
  (crashes 0 :documentation "How many times in a row it ended without an answer.")
  (opening 0 :documentation "How many answers a restart still waits for.")
  (exit-code nil)
  (why nil :documentation "Why it ended.")
  (listener nil :documentation "Called with method and params of every notification."))

(cl-defstruct (sessiond-session (:constructor sessiond--make-session) (:copier nil))
  "An open session; it outlives the process that opened it."
  client handle state follow read-only
  (leaf nil :documentation "Id of the leaf, or `:null'.")
  (lost nil :documentation "Why it could not be opened again.")
  (listener nil :documentation "Called with the params of each `session/didChange'."))

(cl-defstruct (sessiond-subscription (:constructor sessiond--make-subscription) (:copier nil))
  "What was subscribed to, with the id it has at present."
  client params id listener)

(cl-defstruct (sessiond--request (:constructor sessiond--make-request) (:copier nil))
  "A request that is not answered yet; ID is nil as long as it is not sent."
  method params success failure id)

;;; Starting and ending

(cl-defun sessiond-connect (&key program options initialize environment listener)
  "Start sessiond and return a client once it has answered.
PROGRAM, OPTIONS as `sessiond-program' and `sessiond-options'.  INITIALIZE are
further params of the first request, ENVIRONMENT strings to put in front of
`process-environment'.  LISTENER is called with method and params of each
notification.  Signal `sessiond-error' if it does not start."
  (let ((client (sessiond--make-client
                 :command (cons (sessiond--program (or program sessiond-program)) options)
                 :environment environment
                 :initialize (sessiond--initialize-params initialize)
                 :listener listener)))
    (sessiond--start client)
    (while (eq (sessiond-client-state client) 'starting)
      (accept-process-output nil 1))
    (when (eq (sessiond-client-state client) 'ended)
      (sessiond--signal (list :code -1 :message (sessiond-client-why client))))
    client))

(defun sessiond--program (program)
  "Return the path of PROGRAM, or signal an error that is of help."
  (let ((name (or program (getenv "SESSIOND") "sessiond")))
    (or (executable-find name)
        (signal 'sessiond-error
                (list (format "Program %s not found; install sessiond or set `sessiond-program'"
                              name))))))

(defun sessiond--initialize-params (more)
  "Return the params of the first request: MORE, and facts about this client."
  (let ((params (list :clientInfo '(:name "sessiond.el" :version "0.1.0")
                      :processId (emacs-pid))))
    (cl-loop for (key value) on more by #'cddr do (setq params (plist-put params key value)))
    (plist-put params :capabilities
               (plist-put (copy-sequence (plist-get more :capabilities)) :plainJson t))))

(defun sessiond--start (client)
  "Start a process for CLIENT and settle things with it."
  (setf (sessiond-client-state client) 'starting
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
               (setf (sessiond-client-server client) server)
               (sessiond--transmit-notification client "initialized" nil)
               (sessiond--reopen-all client))
    :failure (lambda (oops) (sessiond--give-up client (plist-get oops :message))))))

(defun sessiond-shutdown (client)
  "End CLIENT in order: what is under way is answered before."
  (when (eq (sessiond-client-state client) 'ready)
    (ignore-errors
      (sessiond-request client "shutdown")
      (sessiond-notify client "exit")))
  (sessiond-wait-for-end client))

(defun sessiond-wait-for-end (client)
  "Wait until CLIENT's process is gone; return its exit code.
After 5 seconds the process is killed."
  (with-timeout (5 (delete-process (jsonrpc--process (sessiond-client-connection client))))
    (while (not (eq (sessiond-client-state client) 'ended))
      (accept-process-output nil 0.1)))
  (sessiond-client-exit-code client))

(defun sessiond--ended (client connection)
  "Go on with CLIENT when the process of CONNECTION is gone."
  (setf (sessiond-client-exit-code client) (process-exit-status (jsonrpc--process connection)))
  (let ((words (sessiond--last-words connection)))
    (cond ((eq (sessiond-client-state client) 'closing)
           (sessiond--give-up client "sessiond was asked to end"))
          ((or (null (sessiond-client-server client))
               (>= (cl-incf (sessiond-client-crashes client)) sessiond--give-up))
           (sessiond--give-up client (format "sessiond ended with code %s%s"
                                             (sessiond-client-exit-code client)
                                             (if words (concat ": " words) ""))))
          (t (condition-case oops (sessiond--start client)
               (error (sessiond--give-up client (error-message-string oops))))))))

(defun sessiond--give-up (client why)
  "Let CLIENT be at an end, and its requests fail: WHY is what people are told."
  (setf (sessiond-client-state client) 'ended
        (sessiond-client-why client) why)
  (dolist (request (prog1 (sessiond-client-requests client)
                     (setf (sessiond-client-requests client) nil)))
    (sessiond--call (sessiond--request-failure request) (list :code -1 :message why)))
  (dolist (session (sessiond-client-sessions client))
    (sessiond--call (sessiond-session-listener session) (list :kind "ended")))
  (dolist (subscription (sessiond-client-subscriptions client))
    (sessiond--call (sessiond-subscription-listener subscription) (list :kind "ended"))))

;;; After a restart

(defun sessiond--reopen-all (client)
  "Open the sessions of CLIENT again, then its subscriptions, then be ready."
  (setf (sessiond-client-opening client) 1)
  (mapc #'sessiond--reopen (sessiond-client-sessions client))
  (dolist (subscription (sessiond-client-subscriptions client))
    (sessiond--while-opening
     client "catalog/subscribe" (sessiond-subscription-params subscription)
     (lambda (result) (sessiond--subscribed subscription result))
     (lambda (_) (sessiond--call (sessiond-subscription-listener subscription)
                                 (list :kind "ended")))))
  (sessiond--opened client))

(defun sessiond--reopen (session)
  "Open SESSION in a new process, at the leaf where it was."
  (let* ((client (sessiond-session-client session))
         (state (sessiond-session-state session))
         (path (plist-get state :sessionFile))
         (directory (plist-get state :sessionDir))
         (lose (lambda (oops)
                 (setf (sessiond-session-lost session) (plist-get oops :message))
                 (sessiond--call (sessiond-session-listener session) (list :kind "ended")))))
    (setf (sessiond-session-handle session) nil)
    (if (not (stringp path))
        (funcall lose '(:message "The session was in memory and ended with sessiond"))
      (sessiond--while-opening
       client "session/open"
       `(:path ,path
         ,@(unless (equal directory "") (list :sessionDir directory))
         ,@(when (sessiond-session-read-only session) '(:readOnly t))
         ,@(when (sessiond-session-follow session) '(:follow t)))
       (lambda (state)
         (let ((handle (plist-get state :session))
               (leaf (sessiond-session-leaf session)))
           (setf (sessiond-session-handle session) handle
                 (sessiond-session-state session) state)
           (unless (or (sessiond-session-follow session) (equal leaf (plist-get state :leafId)))
             (if (eq leaf :null)
                 (sessiond--while-opening client "session/resetLeaf" (list :session handle)
                                          #'ignore lose)
               (sessiond--while-opening client "session/branch"
                                        (list :session handle :entryId leaf) #'ignore lose)))))
       lose))))

(defun sessiond--while-opening (client method params success failure)
  "Send METHOD with PARAMS to CLIENT, which is not ready before the answer.
The answer goes to SUCCESS or FAILURE."
  (cl-incf (sessiond-client-opening client))
  (cl-flet ((then (function)
              (lambda (answer)
                (unwind-protect (funcall function answer) (sessiond--opened client)))))
    (sessiond--transmit client (sessiond--make-request :method method :params params
                                                       :success (then success)
                                                       :failure (then failure)))))

(defun sessiond--opened (client)
  "Let CLIENT be ready if that was the last answer it waited for."
  (when (and (zerop (cl-decf (sessiond-client-opening client)))
             (eq (sessiond-client-state client) 'starting))
    (setf (sessiond-client-state client) 'ready)
    (dolist (request (copy-sequence (sessiond-client-requests client)))
      (if (or (null (sessiond--request-id request)) (sessiond--repeatable-p request))
          (sessiond--transmit client request)
        (sessiond--finish client request #'sessiond--request-failure
                          (list :code -1 :message
                                (format "sessiond ended during %s; whether it was done is not known"
                                        (sessiond--request-method request))))))
    (when (> (sessiond-client-crashes client) 0)
      (dolist (session (sessiond-client-sessions client))
        (sessiond--call (sessiond-session-listener session) (list :kind "reopened"))))))

(defun sessiond--repeatable-p (request)
  "Return non-nil if REQUEST may be sent again."
  (and (memq 'repeatable (sessiond--facts (sessiond--request-method request)))
       (not (sessiond-json-p (sessiond--request-params request)))))

;;; Requests

(defun sessiond--facts (method)
  "Return the facts about METHOD in the contract, a list of symbols."
  (cdr (assoc method sessiond-api-methods)))

(defun sessiond-offers-p (client method)
  "Return non-nil if CLIENT's sessiond serves METHOD."
  (let ((capabilities (plist-get (sessiond-client-server client) :capabilities)))
    (seq-contains-p (plist-get capabilities :methods) method)))

(defun sessiond-request (target method &optional params)
  "Send METHOD with PARAMS to TARGET, wait for the answer and return the result.
TARGET is a client or a session, which then is in the params.  Quitting cancels
the request.  Signal `sessiond-error', or the condition of the kind of error:
its data are the message and the error object, a plist."
  (sessiond--await target method params #'identity))

(defun sessiond--await (target method params use)
  "Send METHOD with PARAMS to TARGET, and wait for the answer.
Return what the function USE makes of the result, as soon as that is read."
  (let* (value
         (state 'waiting)
         (request (sessiond-request-async
                   target method params
                   (lambda (result) (setq state 'done value (funcall use result)))
                   (lambda (oops) (setq state 'failed value oops)))))
    (unwind-protect
        (while (eq state 'waiting)
          ;; For output of this very process: waiting for any comes back only now and then.  It is
          ;; looked up each time, because a restart puts another in its place.
          (accept-process-output (sessiond--process target) 1))
      (when (eq state 'waiting) (sessiond-cancel target request)))
    (if (eq state 'done) value (sessiond--signal value))))

(defun sessiond--process (target)
  "Return the process that answers TARGET now, or nil while there is none."
  (let* ((client (if (sessiond-session-p target) (sessiond-session-client target) target))
         (connection (sessiond-client-connection client))
         (process (and connection (jsonrpc--process connection))))
    (and (process-live-p process) process)))

(defun sessiond-request-async (target method params success &optional failure)
  "Send METHOD with PARAMS to TARGET; SUCCESS is called with the result.
FAILURE is called with the error object, a plist; without it a message is
shown.  TARGET as in `sessiond-request'.  Return what `sessiond-cancel' takes."
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
                        (list :code -1 :message (sessiond-client-why client)))
      (setf (sessiond-client-requests client)
            (append (sessiond-client-requests client) (list request)))
      (when (memq (sessiond-client-state client) '(ready closing))
        (sessiond--transmit client request)))
    request))

(defun sessiond--new-entry-id ()
  "Return 16 hexadecimal digits, too many for two ids to meet by chance."
  (apply #'format "%04x%04x%04x%04x"
         (mapcar (lambda (_) (random #x10000)) '(1 2 3 4))))

(defun sessiond--transmit (client request)
  "Send REQUEST over CLIENT's connection."
  (let* ((connection (sessiond-client-connection client))
         (params (sessiond--request-params request))
         (session (and (not (sessiond-json-p params)) (plist-get params :session)))
         (lost (and (sessiond-session-p session) (sessiond-session-lost session))))
    (cond
     (lost (sessiond--finish client request #'sessiond--request-failure
                             (list :code -1 :message lost)))
     (t
      (when (sessiond-session-p session)
        (setq params (plist-put (copy-sequence params) :session
                                (sessiond-session-handle session))))
      (condition-case oops
          (progn
            (jsonrpc-async-request
             connection (intern (concat ":" (sessiond--request-method request))) params
             :timeout nil
             :success-fn (lambda (result)
                           (when (memq request (sessiond-client-requests client))
                             (setf (sessiond-client-crashes client) 0))
                           (sessiond--finish client request #'sessiond--request-success result))
             ;; Without a process it is no answer: the request waits for the next process.
             :error-fn (lambda (oops)
                         (when (jsonrpc-running-p connection)
                           (sessiond--finish client request #'sessiond--request-failure oops))))
            (setf (sessiond--request-id request) (oref connection sent)))
        (error
         (when (jsonrpc-running-p connection)
           (setf (sessiond-client-requests client)
                 (delq request (sessiond-client-requests client)))
           (signal (car oops) (cdr oops)))))))))

(defun sessiond--finish (client request outcome answer)
  "Take REQUEST off CLIENT's list; hand ANSWER to its function in slot OUTCOME."
  (setf (sessiond-client-requests client) (delq request (sessiond-client-requests client)))
  (funcall (funcall outcome request) answer))

(defun sessiond-cancel (target request)
  "Give up REQUEST, which was made to TARGET; its functions are not called."
  (let ((client (if (sessiond-session-p target) (sessiond-session-client target) target)))
    (setf (sessiond--request-success request) #'ignore
          (sessiond--request-failure request) #'ignore)
    (when (and (memq request (sessiond-client-requests client)) (sessiond--request-id request)
               (eq (sessiond-client-state client) 'ready))
      (sessiond-notify client "$/cancelRequest" (list :id (sessiond--request-id request))))))

(defun sessiond-notify (client method &optional params)
  "Send the notification METHOD with PARAMS to CLIENT."
  (when (equal method "exit") (setf (sessiond-client-state client) 'closing))
  (sessiond--transmit-notification client method params))

(defun sessiond--transmit-notification (client method params)
  "Send the notification METHOD with PARAMS over CLIENT's connection."
  (jsonrpc-notify (sessiond-client-connection client) (intern (concat ":" method)) params))

(defun sessiond--signal (oops)
  "Signal OOPS, an error object, by its kind."
  (signal (alist-get (plist-get (plist-get oops :data) :kind) sessiond-api-conditions
                     'sessiond-error nil #'equal)
          (list (plist-get oops :message) oops)))

(defun sessiond--call (function &rest arguments)
  "Call FUNCTION, if there is one, with ARGUMENTS; its errors harm nobody else."
  (when function
    (with-demoted-errors "sessiond: %S" (apply function arguments))))

;;; Sessions and subscriptions

(defun sessiond-open (client params &optional listener method)
  "Let CLIENT open a session and return it.
PARAMS are those of METHOD, which is `session/open' or another that opens one.
LISTENER is called with the params of each `session/didChange', and with a :kind
of \"reopened\" when sessiond was restarted, or \"ended\" when the session is lost."
  (let ((session (sessiond--make-session
                  :client client :listener listener
                  :follow (eq (plist-get params :follow) t)
                  :read-only (eq (plist-get params :readOnly) t))))
    (sessiond--await
     client (or method "session/open") params
     ;; Known before the next message is read, which may say that it changed.
     (lambda (state)
       (setf (sessiond-session-handle session) (plist-get state :session)
             (sessiond-session-state session) state
             (sessiond-session-leaf session) (plist-get state :leafId))
       (push session (sessiond-client-sessions client))
       session))))

(defun sessiond-close (session)
  "Let go of SESSION; do not wait for it."
  (let ((client (sessiond-session-client session)))
    (setf (sessiond-client-sessions client) (delq session (sessiond-client-sessions client))
          (sessiond-session-listener session) nil)
    (unless (or (sessiond-session-lost session) (eq (sessiond-client-state client) 'ended))
      (sessiond-request-async session "session/close" nil #'ignore #'ignore))))

(defun sessiond--track (session facts result)
  "Keep in SESSION the news about it in RESULT; FACTS are those of the method."
  (cond ((memq 'appends facts)
         (setf (sessiond-session-leaf session) (plist-get result :id)))
        ((not (consp result)))
        ((plist-member result :entryCount)
         (setf (sessiond-session-state session) result
               (sessiond-session-leaf session) (plist-get result :leafId)))
        ((plist-member result :leafId)
         (setf (sessiond-session-leaf session) (plist-get result :leafId)))))

(defun sessiond-subscribe (client params listener)
  "Subscribe CLIENT to the sessions that PARAMS of `catalog/subscribe' say.
LISTENER is called with (:sessions VECTOR), also after a restart, and then with
the params of each `catalog/didChange'.  Return the subscription."
  (let ((subscription (sessiond--make-subscription :client client :params params
                                                   :listener listener)))
    (sessiond--await
     client "catalog/subscribe" params
     (lambda (result)
       (push subscription (sessiond-client-subscriptions client))
       (sessiond--subscribed subscription result)
       subscription))))

(defun sessiond--subscribed (subscription result)
  "Take RESULT, the answer to SUBSCRIPTION."
  (setf (sessiond-subscription-id subscription) (plist-get result :subscription))
  (sessiond--call (sessiond-subscription-listener subscription)
                  (list :sessions (plist-get result :sessions))))

(defun sessiond-unsubscribe (subscription)
  "End SUBSCRIPTION; do not wait for it."
  (let ((client (sessiond-subscription-client subscription)))
    (setf (sessiond-client-subscriptions client)
          (delq subscription (sessiond-client-subscriptions client)))
    (unless (eq (sessiond-client-state client) 'ended)
      (sessiond-request-async client "catalog/unsubscribe"
                              (list :subscription (sessiond-subscription-id subscription))
                              #'ignore #'ignore))))

(defun sessiond--notified (client method params)
  "Hand the notification METHOD with PARAMS to whom of CLIENT it is for."
  (sessiond--call (sessiond-client-listener client) method params)
  (pcase method
    ("session/didChange"
     (dolist (session (sessiond-client-sessions client))
       (when (equal (sessiond-session-handle session) (plist-get params :session))
         (sessiond--changed session params))))
    ("catalog/didChange"
     (dolist (subscription (sessiond-client-subscriptions client))
       (when (equal (sessiond-subscription-id subscription) (plist-get params :subscription))
         (sessiond--call (sessiond-subscription-listener subscription) params))))))

(defun sessiond--changed (session params)
  "Keep what PARAMS, a change, say about SESSION, and tell its listener."
  (let ((state (copy-sequence (sessiond-session-state session))))
    (dolist (member '(:leafId :tipId :entryCount :generation :name))
      (setq state (plist-put state member (plist-get params member))))
    (setf (sessiond-session-state session) state
          (sessiond-session-leaf session) (plist-get params :leafId))
    (sessiond--call (sessiond-session-listener session) params)))

(provide 'sessiond-client)
;;; sessiond-client.el ends here
