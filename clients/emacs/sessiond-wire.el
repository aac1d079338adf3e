;;; sessiond-wire.el --- Connection to a sessiond process  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A `jsonrpc-process-connection' that distinguishes all JSON values.  The library itself reads null, an
;; empty object and an absent member as nil; in session files these differ.  Here an object is a
;; plist, an array a vector, null `:null', false `:json-false' and true t, in both directions; nil is
;; an empty object.  Send values that Emacs cannot hold as text: `sessiond-json'.

;;; Code:

(require 'cl-lib)
(require 'eieio)
(require 'jsonrpc)

(cl-defstruct (sessiond-json (:constructor sessiond-json (text)) (:copier nil))
  "Params as JSON text, which is sent unchanged."
  text)

(defclass sessiond--connection (jsonrpc-process-connection)
  ((child :initform nil :documentation "The process.")
   (errors :initform nil :documentation "The buffer with what the process writes to stderr.")
   (chunks :initform nil :documentation "Received bytes that are not handled yet, the newest first.")
   (size :initform 0 :documentation "Total number of these bytes.")
   (need :initform nil :documentation "Length of the body being received.")
   (sent :initform nil :documentation "Id of the message sent last."))
  :documentation "A connection to one sessiond process.")

(defvar sessiond--connections 0
  "Number of connections so far, for unique buffer names.")

(defun sessiond--open-connection (command environment log ended notified)
  "Start COMMAND, a list of strings, and return the connection to it.
ENVIRONMENT is added in front of `process-environment'.  With LOG, log messages
in an events buffer.  Call ENDED with the connection when the process has ended,
and NOTIFIED with the method and params of each notification."
  (let* ((name (format "sessiond %d" (cl-incf sessiond--connections)))
         (newer (memq '-events-buffer-config
                      (mapcar #'eieio-slot-descriptor-name
                              (eieio-class-slots 'jsonrpc-connection))))
         (errors (get-buffer-create (format "*%s stderr*" name)))
         (child nil)
         (connection
          (make-instance
           'sessiond--connection
           :name name
           :process (lambda ()
                      (setq child (sessiond--start-process name command environment errors)))
           (if newer :events-buffer-config :events-buffer-scrollback-size)
           (cond (newer (list :size (if log 2000000 0) :format 'full)) (log 2000000) (t 0))
           :notification-dispatcher (lambda (_connection method params)
                                      (funcall notified (symbol-name method) params))
           :on-shutdown (lambda (connection)
                          (unwind-protect (funcall ended connection)
                            (sessiond--tidy connection log))))))
    (oset connection child child)
    (oset connection errors errors)
    (set-process-filter child (lambda (_process bytes) (sessiond--receive connection bytes)))
    connection))

(defun sessiond--child (connection)
  "Return the process of CONNECTION."
  (oref connection child))

(defun sessiond--start-process (name command environment errors)
  "Start COMMAND as a process called NAME, with ENVIRONMENT in front of Emacs's.
What it writes to stderr goes to the buffer ERRORS."
  (let ((default-directory (if (file-directory-p "~/") (expand-file-name "~/") "/"))
        (process-environment (append environment process-environment)))
    (make-process :name name :command command :connection-type 'pipe :coding 'no-conversion
                  :noquery t :stderr errors)))

(defun sessiond--tidy (connection log)
  "Kill the buffers of CONNECTION, which has ended; with LOG keep the events."
  (let* ((process (sessiond--child connection))
         (errors (oref connection errors))
         (pipe (and (buffer-live-p errors) (get-buffer-process errors))))
    (when pipe (delete-process pipe))
    (dolist (buffer (list (process-buffer process) errors
                          (unless log (jsonrpc-events-buffer connection))))
      (when (buffer-live-p buffer) (kill-buffer buffer)))))

(defun sessiond--last-words (connection)
  "Return the last line CONNECTION's process wrote to stderr, or nil."
  (let ((buffer (oref connection errors)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (let ((lines (split-string (buffer-string) "\n" t "[ \t\r]+")))
          ;; Emacs adds a line about the end of the pipe.
          (car (last (cl-remove-if (lambda (line) (string-match-p "\\`Process .* stderr" line))
                                   lines))))))))

;;; Sending

(cl-defmethod jsonrpc-connection-send ((connection sessiond--connection)
                                       &key id method params &allow-other-keys)
  "Send METHOD with PARAMS over CONNECTION, as a request if there is an ID."
  (let ((body (encode-coding-string
               (concat "{\"jsonrpc\":\"2.0\","
                       (and id (format "\"id\":%d," id))
                       "\"method\":" (sessiond--encode (substring (symbol-name method) 1))
                       ",\"params\":" (if (sessiond-json-p params) (sessiond-json-text params)
                                        (sessiond--encode params))
                       "}")
               'utf-8-unix)))
    (oset connection sent id)
    (process-send-string (sessiond--child connection)
                         (concat (format "Content-Length: %d\r\n\r\n" (length body)) body))))

(defun sessiond--encode (value)
  "Return VALUE as JSON text."
  ;; Older Emacs serialises only objects and arrays, hence the vector; newer Emacs returns bytes.
  (let* ((max-lisp-eval-depth (max 5000 max-lisp-eval-depth))
         (text (json-serialize (vector value) :null-object :null :false-object :json-false)))
    (substring (if (multibyte-string-p text) text (decode-coding-string text 'utf-8-unix)) 1 -1)))

(defun sessiond--decode (text)
  "Return the value of the JSON TEXT."
  ;; Sessiond accepts 512 levels, and Emacs counts each level as a Lisp call.
  (let ((max-lisp-eval-depth (max 5000 max-lisp-eval-depth)))
    (condition-case oops
        (json-parse-string text :object-type 'plist :null-object :null :false-object :json-false)
      (json-parse-error
       (if (not (string-search "\\u0000" text))
           (signal (car oops) (cdr oops))
         (json-parse-string (sessiond--without-nul text) :object-type 'plist
                            :null-object :null :false-object :json-false))))))

(defun sessiond--without-nul (text)
  "Return the JSON TEXT with U+2400 in place of each zero byte in a string.
Before Emacs 30 the parser refuses zero bytes."
  (with-temp-buffer
    (insert text)
    (goto-char (point-min))
    (while (search-forward "\\u0000" nil t)
      ;; After an odd number of backslashes this one is escaped itself.
      (when (cl-evenp (save-excursion (goto-char (match-beginning 0))
                                      (abs (skip-chars-backward "\\\\"))))
        (delete-char -4)
        (insert "2400")))
    (buffer-string)))

;;; Receiving

(defun sessiond--receive (connection bytes)
  "Handle BYTES from the process of CONNECTION, and dispatch complete messages."
  (let (body)
    (with-slots (chunks size) connection
      (push bytes chunks)
      (cl-incf size (length bytes)))
    ;; Remove a message before dispatching it, which may read more output and re-enter here.
    (while (setq body (sessiond--next-body connection))
      (with-demoted-errors "sessiond: %S"
        (sessiond--dispatch connection body)))))

(defun sessiond--next-body (connection)
  "Remove and return the next complete body from CONNECTION, or return nil."
  (with-slots (chunks size need) connection
    (when (and (null need) chunks)
      (let* ((text (apply #'concat (reverse chunks)))
             (end (string-search "\r\n\r\n" text)))
        (setq chunks (list text))
        (when (and end (string-match "^content-length: *\\([0-9]+\\)" text))
          (setq need (string-to-number (match-string 1 text))
                chunks (list (substring text (+ end 4)))
                size (- size end 4)))))
    (when (and need (>= size need))
      (let* ((text (apply #'concat (reverse chunks)))
             (body (substring text 0 need)))
        (setq size (- size need)
              chunks (and (> size 0) (list (substring text need)))
              need nil)
        body))))

(defun sessiond--dispatch (connection body)
  "Dispatch the message in BODY, a string of bytes, on CONNECTION."
  (let ((message (condition-case oops
                     (sessiond--decode (decode-coding-string body 'utf-8-unix))
                   (error (sessiond--unreadable body oops)))))
    (if (and (not (plist-get message :method)) (not (integerp (plist-get message :id))))
        (message "sessiond: %s" (plist-get (plist-get message :error) :message))
      (jsonrpc-connection-receive connection message))))

(defun sessiond--unreadable (body oops)
  "Return an error answer in place of BODY, which failed to parse with OOPS."
  (list :jsonrpc "2.0"
        :id (if (string-match "\\`{\"jsonrpc\":\"2.0\",\"id\":\\([0-9]+\\)," body)
                (string-to-number (match-string 1 body))
              :null)
        :error (list :code -32700
                     :message (format "Emacs cannot read the answer: %s"
                                      (error-message-string oops)))))

(provide 'sessiond-wire)
;;; sessiond-wire.el ends here
