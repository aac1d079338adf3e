;;; sessiond-markdown.el --- Faces for Markdown in messages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Gives faces to the Markdown of one message.  Each message is handled on its own, so that a code block
;; that one message does not end has no effect on the next.  If markdown-mode is installed, its faces
;; are used, else a few simple ones.

;;; Code:

(require 'seq)

(declare-function markdown-mode "ext:markdown-mode" ())

(defcustom sessiond-markdown 'auto
  "How Markdown in messages is shown.
By default with the faces of markdown-mode if it is installed, else with those
of sessiond."
  :type '(choice (const :tag "markdown-mode if installed" auto)
                 (const :tag "Faces of sessiond" t)
                 (const :tag "Plain text" nil))
  :group 'sessiond)

(defface sessiond-markdown-heading '((t :inherit font-lock-function-name-face :weight bold))
  "Face for headings in messages."
  :group 'sessiond)

(defface sessiond-markdown-code '((t :inherit (fixed-pitch font-lock-constant-face)))
  "Face for code in messages."
  :group 'sessiond)

(defface sessiond-markdown-markup '((t :inherit shadow))
  "Face for fences and list markers in messages."
  :group 'sessiond)

(defface sessiond-markdown-quote '((t :inherit font-lock-doc-face))
  "Face for quotes in messages."
  :group 'sessiond)

(defface sessiond-markdown-link '((t :inherit font-lock-string-face :underline t))
  "Face for links in messages."
  :group 'sessiond)

(defconst sessiond-markdown--longest-line 1000
  "Longest line with faces for markup, since matching may take the square of it.")

(defconst sessiond-markdown--longest-text 20000
  "Longest text, in characters, that markdown-mode is used for.")

(defconst sessiond-markdown--inline
  '(("\\*\\*[^*\n]+\\*\\*" 0 bold)
    ("\\(?:^\\|[^[:alnum:]*]\\)\\(\\*[^* \n][^*\n]*\\*\\)" 1 italic)
    ("\\[[^][\n]+\\]([^() \n]+)" 0 sessiond-markdown-link)
    ("https?://[^][ \t\n<>()\"]+" 0 sessiond-markdown-link))
  "Markup within a line: (REGEXP GROUP FACE).")

(defun sessiond-markdown-propertize (text)
  "Return TEXT, which is Markdown, with faces."
  (cond ((null sessiond-markdown) text)
        ((and (eq sessiond-markdown 'auto)
              (<= (length text) sessiond-markdown--longest-text)
              (require 'markdown-mode nil t))
         (sessiond-markdown--with-mode text))
        (t (with-temp-buffer
             (insert text)
             (sessiond-markdown--fontify)
             (buffer-string)))))

(defun sessiond-markdown--with-mode (text)
  "Return TEXT with the faces that `markdown-mode' gives it."
  (with-temp-buffer
    (insert text)
    (delay-mode-hooks (markdown-mode))
    (font-lock-ensure)
    (let ((position (point-min)))
      (while (< position (point-max))
        (let ((next (next-single-property-change position 'face nil (point-max)))
              (face (get-text-property position 'face)))
          (when face
            (put-text-property (- position 1) (- next 1) 'face face text))
          (setq position next))))
    text))

(defun sessiond-markdown--fontify ()
  "Add faces to this buffer."
  (goto-char (point-min))
  (let ((fence nil))
    (while (not (eobp))
      (let ((start (point)) (end (line-end-position)))
        (when (<= (- end start) sessiond-markdown--longest-line)
          (cond (fence
                 (if (looking-at (concat "[ \t]*" (regexp-quote fence) "+[ \t]*$"))
                     (progn (setq fence nil)
                            (sessiond-markdown--face start end 'sessiond-markdown-markup))
                   (sessiond-markdown--face start end 'sessiond-markdown-code)))
                ((looking-at "[ \t]*\\(```\\|~~~\\)[^`\n]*$")
                 (setq fence (match-string 1))
                 (sessiond-markdown--face start end 'sessiond-markdown-markup))
                (t (sessiond-markdown--line start end)))))
      (forward-line))))

(defun sessiond-markdown--line (start end)
  "Add faces to the line from START to END, which is no code."
  (cond ((looking-at "#+[ \t]") (sessiond-markdown--face start end 'sessiond-markdown-heading))
        ((looking-at "[ \t]*>") (sessiond-markdown--face start end 'sessiond-markdown-quote))
        ((looking-at "[ \t]*\\([-*+]\\|[0-9]+[.)]\\)[ \t]")
         (sessiond-markdown--face (match-beginning 1) (match-end 1) 'sessiond-markdown-markup)))
  (let ((code nil))
    (while (re-search-forward "`[^`\n]+`" end t)
      (push (cons (match-beginning 0) (match-end 0)) code)
      (sessiond-markdown--face (match-beginning 0) (match-end 0) 'sessiond-markdown-code))
    (pcase-dolist (`(,regexp ,group ,face) sessiond-markdown--inline)
      (goto-char start)
      (while (re-search-forward regexp end t)
        (let ((from (match-beginning group)) (to (match-end group)))
          ;; Nothing in code is markup.
          (unless (seq-some (lambda (each) (and (< from (cdr each)) (< (car each) to))) code)
            (sessiond-markdown--face from to face)))))
    (goto-char end)))

(defun sessiond-markdown--face (start end face)
  "Add FACE from START to END."
  (add-face-text-property start end face))

(provide 'sessiond-markdown)
;;; sessiond-markdown.el ends here
