;;; lint.el --- Check the package  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Byte-compiles the given files, runs checkdoc, package-lint if it is installed, and checks the package
;; headers.  Every warning is a failure.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'package)

(defun lint-files (files)
  "Return what is wrong with FILES: strings."
  (let ((byte-compile-error-on-warn t)
        (checkdoc-diagnostic-buffer "*checkdoc*")
        (checkdoc-autofix-flag 'never)
        (problems nil))
    (dolist (file files)
      (unless (byte-compile-file file) (push (format "%s: does not compile" file) problems)))
    (dolist (file files)
      (with-current-buffer (find-file-noselect file)
        (checkdoc-current-buffer t)
        (kill-buffer)))
    (with-current-buffer (get-buffer-create "*checkdoc*")
      (dolist (line (split-string (buffer-string) "\n" t))
        (when (string-match-p "\\`[^ *].*:[0-9]+: " line) (push line problems))))
    (with-temp-buffer
      (insert-file-contents "sessiond.el")
      (let ((description (package-buffer-info)))
        (unless (equal (package-desc-reqs description) '((emacs (28 1))))
          (push "sessiond.el: Package-Requires" problems))
        (unless (alist-get :keywords (package-desc-extras description))
          (push "sessiond.el: no :keywords" problems))))
    (append (lint-package files) problems)))

(defconst lint-packages "/usr/share/emacs/site-lisp/elpa"
  "Folder in which Debian installs packages.")

(when (file-directory-p lint-packages)
  (setq load-path (append load-path (directory-files lint-packages t "\\`[a-z]"))))

(defun lint-package (files)
  "Return what package-lint finds in FILES, if it is installed: strings."
  (if (not (require 'package-lint nil t))
      (progn (message "package-lint is not installed") nil)
    (let ((problems nil)
          (package-lint-main-file "sessiond.el"))
      (dolist (file files)
        (with-current-buffer (find-file-noselect file)
          (pcase-dolist (`(,line ,column ,type ,text) (package-lint-buffer))
            ;; It says the first of every Emacs, because no archives are known here.  The package is
            ;; not published, so it has no URL.
            (unless (string-match-p "uninstallable in all released Emacs\\|Homepage or URL" text)
              (push (format "%s:%s:%s: %s: %s" file line column type text) problems)))
          (kill-buffer)))
      problems)))

(defvar package-lint-main-file)
(declare-function package-lint-buffer "package-lint" (&optional buffer))

(let ((problems (lint-files (prog1 command-line-args-left (setq command-line-args-left nil)))))
  (dolist (problem problems) (message "%s" problem))
  (kill-emacs (if problems 1 0)))

;;; lint.el ends here
