;;; sessiond-markdown.el --- Faces for Markdown in messages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Gives faces to the Markdown of one message.  Each message is handled on its own, so that a code block
;; that one message does not end has no effect on the next.  Not with markdown-mode, which takes 100
;; times as long: seconds for some messages of 4 kB, and it fails for longer ones with much markup.

;;; Code:

(require 'seq)

(defcustom sessiond-markdown t
  "Whether Markdown in messages has faces."
  :type 'boolean
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

(defconst sessiond-markdown--inline
  '(("\\*\\*[^*\n]+\\*\\*" 0 bold)
    ("\\(?:^\\|[^[:alnum:]*]\\)\\(\\*[^* \n][^*\n]*\\*\\)" 1 italic)
    ("\\[[^][\n]+\\]([^() \n]+)" 0 sessiond-markdown-link)
    ("https?://[^][ \t\n<>()\"]+" 0 sessiond-markdown-link))
  "Markup within a line: (REGEXP GROUP FACE).")

(defun sessiond-markdown-propertize (text)
  "Return TEXT, which is Markdown, with faces."
  (if (not sessiond-markdown) text
    (with-temp-buffer
      (insert text)
      (sessiond-markdown--fontify)
      (buffer-string))))

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
