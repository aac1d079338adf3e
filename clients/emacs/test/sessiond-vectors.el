;;; sessiond-vectors.el --- Replay the conversations of protocol/vectors  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a vector is and how it is run: protocol/vectors/README.md.  Fidelity: plain.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'sessiond-client)

(defconst sessiond-vectors-folder
  (expand-file-name "../../../protocol/vectors/"
                    (file-name-directory (or load-file-name buffer-file-name)))
  "Where the vectors are.")

(defvar sessiond-vectors--values nil "Placeholders known so far: (NAME . VALUE).")
(defvar sessiond-vectors--notifications nil "Those not taken yet: (METHOD . PARAMS).")
(defvar sessiond-vectors--client nil "The client.")

(define-error 'sessiond-vectors-mismatch "Mismatch")

(defun sessiond-vectors-replay-all ()
  "Replay all vectors, print how many passed, and leave Emacs."
  (let* ((files (directory-files sessiond-vectors-folder t "\\.json\\'"))
         (failed (cl-remove-if #'sessiond-vectors--passes-p files)))
    (message "vectors: %d of %d passed" (- (length files) (length failed)) (length files))
    (kill-emacs (if (or failed (null files)) 1 0))))

(defun sessiond-vectors--passes-p (file)
  "Return non-nil if the vector in FILE passes; otherwise print why not."
  (condition-case oops
      (progn (sessiond-vectors-replay file) t)
    (error (message "%s: %s" (file-name-base file) (error-message-string oops)) nil)))

(defun sessiond-vectors-replay (file)
  "Replay the vector in FILE, or signal an error."
  (let* ((vector (sessiond--decode (sessiond-vectors--read file)))
         (directory (file-truename (make-temp-file "sessiond-vector" t)))
         (sessiond-vectors--values (list (cons "dir" directory)))
         (sessiond-vectors--notifications nil)
         (sessiond-vectors--client nil)
         (max-lisp-eval-depth 20000)
         (max-specpdl-size 40000))
    (cl-loop for (name repeated) on (plist-get vector :generate) by #'cddr
             do (push (cons (substring (symbol-name name) 1)
                            (apply #'concat (make-list (aref repeated 1) (aref repeated 0))))
                      sessiond-vectors--values))
    (unwind-protect
        (let ((opening (plist-get vector :initialize)))
          (sessiond-vectors--lay (plist-get vector :files))
          (setq sessiond-vectors--client
                (sessiond-connect
                 :options `("--agent-dir" ,(concat directory "/agent")
                            ,@(sessiond-vectors--fill
                               (append (plist-get vector :options) nil)))
                 :environment (list (if (seq-contains-p (plist-get vector :covers) "daemon/status")
                                        "SESSIOND_SHARED=0"
                                      "SESSIOND_SHARED=1"))
                 :initialize (sessiond-vectors--fill (plist-get opening :params))
                 :listener (lambda (method params)
                             (setq sessiond-vectors--notifications
                                   (append sessiond-vectors--notifications
                                           (list (cons method params)))))))
          (sessiond-vectors--check-result
           opening (sessiond-client-server sessiond-vectors--client))
          (cl-loop for step across (plist-get vector :steps) for number from 1
                   do (condition-case oops (sessiond-vectors--step step)
                        (error (error "Step %d: %s" number (error-message-string oops))))))
      (when sessiond-vectors--client (sessiond-shutdown sessiond-vectors--client))
      (delete-directory directory t))))

(defun sessiond-vectors--read (file)
  "Return the contents of FILE."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents file))
    (buffer-string)))

;;; Steps

(defun sessiond-vectors--step (step)
  "Do STEP."
  (cond ((plist-get step :request) (sessiond-vectors--request step))
        ((plist-get step :notify) (sessiond-vectors--notify step))
        ((plist-get step :notification) (sessiond-vectors--notification step))
        ((plist-get step :edit) (sessiond-vectors--edit step))
        (t (sessiond-vectors--check step))))

(defun sessiond-vectors--params (step)
  "Return the params of STEP."
  (if (plist-get step :paramsText)
      (sessiond-json (sessiond-vectors--fill (plist-get step :paramsText)))
    (sessiond-vectors--fill (plist-get step :params))))

(defun sessiond-vectors--request (step)
  "Send the request of STEP and compare the answer."
  (let ((expected (plist-get step :error))
        (answer (condition-case oops
                    (cons 'result (sessiond-request sessiond-vectors--client
                                                    (plist-get step :request)
                                                    (sessiond-vectors--params step)))
                  (sessiond-error (cons 'error (nth 2 oops))))))
    (pcase answer
      (`(error . ,oops)
       (unless expected (signal 'sessiond-vectors-mismatch (list "an error" oops)))
       (sessiond-vectors--match (list :$subset (sessiond-vectors--fill expected)) oops "error"))
      (`(result . ,result)
       (when expected (signal 'sessiond-vectors-mismatch (list "no error" result)))
       (sessiond-vectors--check-result
        (or (and (plist-get step :plain)
                 (append (plist-get step :plain) (list :capture (plist-get step :capture))))
            step)
        result)))))

(defun sessiond-vectors--check-result (step result)
  "Compare RESULT with what STEP expects, and capture from it."
  (cond ((plist-member step :result)
         (sessiond-vectors--match (sessiond-vectors--fill (plist-get step :result))
                                  result "result"))
        ((plist-get step :resultText)
         (sessiond-vectors--match
          (sessiond--decode (sessiond-vectors--fill (plist-get step :resultText)))
          result "result")))
  (sessiond-vectors--capture step result))

(defun sessiond-vectors--notify (step)
  "Send the notification of STEP."
  (sessiond-notify sessiond-vectors--client (plist-get step :notify)
                   (sessiond-vectors--params step))
  (when (plist-member step :exitCode)
    (sessiond-vectors--match (plist-get step :exitCode)
                             (sessiond-wait-for-end sessiond-vectors--client) "exit code")))

(defun sessiond-vectors--notification (step)
  "Wait for the notification of STEP, and compare it."
  (let ((deadline (+ (float-time) 30)) (method (plist-get step :notification)) found)
    (while (not (setq found (assoc method sessiond-vectors--notifications)))
      (when (> (float-time) deadline)
        (signal 'sessiond-vectors-mismatch
                (list "notification" method sessiond-vectors--notifications)))
      (accept-process-output nil 0.05))
    (setq sessiond-vectors--notifications (delq found sessiond-vectors--notifications))
    (sessiond-vectors--match (sessiond-vectors--fill (plist-get step :params)) (cdr found) "params")
    (sessiond-vectors--capture step (cdr found))))

(defun sessiond-vectors--capture (step result)
  "Keep what STEP captures of RESULT."
  (cl-loop for (name path) on (plist-get step :capture) by #'cddr
           do (let ((value result))
                (dolist (part (split-string path "\\."))
                  (setq value (if (vectorp value) (aref value (string-to-number part))
                                (plist-get value (intern (concat ":" part))))))
                (push (cons (substring (symbol-name name) 1) value) sessiond-vectors--values))))

(defun sessiond-vectors--fill (value)
  "Return VALUE with what the placeholders in its strings stand for."
  (cond ((stringp value)
         (save-match-data
           (if (string-match "\\`\\${\\([A-Za-z0-9_]+\\)}\\'" value)
               (sessiond-vectors--value (match-string 1 value))
             (replace-regexp-in-string
              "\\${\\([A-Za-z0-9_]+\\)}"
              (lambda (found) (format "%s" (sessiond-vectors--value (substring found 2 -1))))
              value t t))))
        ((vectorp value) (vconcat (mapcar #'sessiond-vectors--fill value)))
        ((consp value) (mapcar #'sessiond-vectors--fill value))
        (t value)))

(defun sessiond-vectors--value (name)
  "Return what the placeholder NAME stands for."
  (cdr (or (assoc name sessiond-vectors--values) (error "No value for %s" name))))

;;; Files

(defun sessiond-vectors--content (content)
  "Return the bytes of CONTENT, a text or an array of lines."
  (let ((filled (sessiond-vectors--fill content)))
    (encode-coding-string
     (if (stringp filled) filled
       (mapconcat (lambda (line) (concat line "\n")) filled ""))
     'utf-8-unix)))

(defun sessiond-vectors--bytes (step member)
  "Return the bytes of a file as STEP has them: in `base64' or in MEMBER."
  (if (plist-get step :base64) (base64-decode-string (plist-get step :base64))
    (sessiond-vectors--content (plist-get step member))))

(defun sessiond-vectors--write (bytes path &optional append)
  "Write BYTES to the file PATH; with APPEND at its end."
  (let ((coding-system-for-write 'no-conversion))
    (write-region bytes nil path append 'silent)))

(defun sessiond-vectors--lay (files)
  "Put down FILES."
  (seq-doseq (file files)
    (let ((path (sessiond-vectors--fill (plist-get file :path))))
      (make-directory (file-name-directory path) t)
      (sessiond-vectors--write (sessiond-vectors--bytes file :text) path)
      (when (plist-get file :modified)
        (set-file-times path (plist-get file :modified))))))

(defun sessiond-vectors--edit (step)
  "Do to a file what another program would, as STEP says."
  (let ((path (sessiond-vectors--fill (plist-get step :edit))))
    (cond ((plist-member step :append)
           (sessiond-vectors--write (sessiond-vectors--bytes step :append) path t))
          ((plist-member step :write)
           (sessiond-vectors--write (sessiond-vectors--bytes step :write) path))
          ((plist-member step :replace)
           (let ((beside (concat path ".new")))
             (sessiond-vectors--write (sessiond-vectors--bytes step :replace) beside)
             (rename-file beside path t)))
          ((plist-member step :truncate)
           (sessiond-vectors--write
            (substring (sessiond-vectors--file path) 0 (plist-get step :truncate)) path))
          (t (delete-file path)))))

(defun sessiond-vectors--file (path)
  "Return the bytes of the file PATH, or nil if there is none."
  (when (file-exists-p path)
    (with-temp-buffer
      (set-buffer-multibyte nil)
      (insert-file-contents-literally path)
      (buffer-string))))

(defun sessiond-vectors--check (step)
  "Compare a file's bytes, as STEP says."
  (let ((path (sessiond-vectors--fill (plist-get step :check)))
        (expected (unless (eq (plist-get step :text) :null) (sessiond-vectors--bytes step :text))))
    (unless (equal expected (sessiond-vectors--file path))
      (signal 'sessiond-vectors-mismatch (list path expected (sessiond-vectors--file path))))))

;;; Comparing

(defun sessiond-vectors--match (expected actual where)
  "Signal an error unless ACTUAL, which is at WHERE, is the EXPECTED value."
  (unless (sessiond-vectors--matches-p expected actual)
    (signal 'sessiond-vectors-mismatch (list where 'expected expected 'got actual))))

(defun sessiond-vectors--matches-p (expected actual)
  "Return non-nil if ACTUAL is the EXPECTED value."
  (cond ((and (consp expected) (null (cddr expected))
              (memq (car expected) '(:$any :$oneOf :$between :$subset :$unordered)))
         (sessiond-vectors--matcher (car expected) (cadr expected) actual))
        ((listp expected)
         (and (listp actual) (= (length expected) (length actual))
              (sessiond-vectors--members-p expected actual)))
        ((vectorp expected)
         (and (vectorp actual) (= (length expected) (length actual))
              (cl-every #'sessiond-vectors--matches-p expected actual)))
        ((numberp expected) (and (numberp actual) (= expected actual)))
        (t (equal expected actual))))

(defun sessiond-vectors--members-p (expected actual)
  "Return non-nil if ACTUAL, an object, has all EXPECTED members."
  (and (listp actual)
       (cl-loop for (name value) on expected by #'cddr
                always (and (plist-member actual name)
                            (sessiond-vectors--matches-p value (plist-get actual name))))))

(defun sessiond-vectors--matcher (name operand actual)
  "Return non-nil if ACTUAL fits the matcher NAME with OPERAND."
  (pcase name
    (:$any (sessiond-vectors--any operand actual))
    (:$oneOf (seq-some (lambda (each) (sessiond-vectors--matches-p each actual)) operand))
    (:$between (let ((begin (aref operand 0)) (end (aref operand 1)))
                 (and (stringp actual) (>= (length actual) (+ (length begin) (length end)))
                      (string-prefix-p begin actual) (string-suffix-p end actual))))
    (:$subset (sessiond-vectors--members-p operand actual))
    (:$unordered
     (and (vectorp actual) (= (length operand) (length actual))
          (let ((left (append actual nil)))
            (seq-every-p
             (lambda (each)
               (let ((found (cl-position-if
                             (lambda (value) (sessiond-vectors--matches-p each value)) left)))
                 (when found
                   (setq left (append (cl-subseq left 0 found) (nthcdr (1+ found) left)))
                   t)))
             operand))))))

(defun sessiond-vectors--any (kind actual)
  "Return non-nil if ACTUAL is of KIND."
  (cl-flet ((is (pattern) (and (stringp actual)
                               (let (case-fold-search)
                                 (string-match-p (concat "\\`" pattern "\\'") actual)))))
    (pcase-exhaustive kind
      ("value" t)
      ("string" (stringp actual))
      ("integer" (integerp actual))
      ("array" (vectorp actual))
      ("object" (listp actual))
      ("time" (is "[0-9]\\{4\\}-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\\.[0-9]\\{3\\}Z"))
      ("id" (is "\\(?:[0-9a-f]\\{8\\}\\)\\{1,2\\}"))
      ("uuid" (is "[0-9a-f]\\{8\\}\\(?:-[0-9a-f]\\{4\\}\\)\\{3\\}-[0-9a-f]\\{12\\}")))))

(provide 'sessiond-vectors)
;;; sessiond-vectors.el ends here
