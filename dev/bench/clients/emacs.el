;;; emacs.el --- Measures the Emacs client  -*- lexical-binding: t; -*-

;;; Commentary:

;; dev/bench/clients.py documents the figures and runs this program.

;;; Code:

(require 'sessiond-client)

(defun bench-median (warm count ask)
  "Call ASK, WARM times without measuring; return the median of COUNT more.
It is in seconds."
  (dotimes (_ warm) (funcall ask))
  (let (taken)
    (dotimes (_ count)
      (let ((start (float-time)))
        (funcall ask)
        (push (- (float-time) start) taken)))
    (nth (/ count 2) (sort taken #'<))))

(defun bench-run ()
  "Print the figures as a line of JSON."
  (let* ((client (sessiond-connect))
         (session (sessiond-open client (list :path (getenv "SESSION"))))
         (entries (lambda () (sessiond-request session "session/getEntries")))
         (small (bench-median 50 500 (lambda () (sessiond-request session "session/getLeafId"))))
         (values (bench-median 1 5 entries))
         (count (length (plist-get (funcall entries) :entries))))
    (sessiond-shutdown client)
    (princ (json-serialize (list :entries count :small small :values values)))
    (terpri)))

;;; emacs.el ends here
