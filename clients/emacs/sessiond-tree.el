;;; sessiond-tree.el --- The tree of a session  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows all entries of a session, one per line, indented at forks.  The leaf, the path to it and
;; labels are marked.  RET shows the entry in the transcript.

;;; Code:

(require 'text-property-search)
(require 'sessiond-view)

(declare-function sessiond-branch "sessiond-verbs" (path entry label))
(declare-function sessiond-diff "sessiond-verbs" (path first &optional second))
(declare-function sessiond-fork "sessiond-verbs" (path entry))
(declare-function sessiond-label "sessiond-verbs" (path entry label))
(declare-function sessiond-undo "sessiond-verbs" ())

(autoload 'sessiond-menu "sessiond-menu" nil t)
(declare-function sessiond--read-session "sessiond-list" (all))
(declare-function sessiond-transcript "sessiond-transcript" (path &optional entry))

(defconst sessiond-tree--widest 80
  "Maximum indentation in characters.")

(defface sessiond-label '((t :inherit font-lock-constant-face))
  "Face for labels."
  :group 'sessiond)

(defvar-local sessiond-tree--again nil
  "Whether there was a change since the last request.")

(defvar sessiond-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'sessiond-tree-jump)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    (define-key map "r" #'sessiond-tree-rename)
    (define-key map "g" #'sessiond-tree-refresh)
    (define-key map "b" #'sessiond-branch)
    (define-key map "F" #'sessiond-fork)
    (define-key map "L" #'sessiond-label)
    (define-key map "d" #'sessiond-diff)
    (define-key map "u" #'sessiond-undo)
    (define-key map "?" #'sessiond-menu)
    map)
  "Keys in trees.")

(define-derived-mode sessiond-tree-mode special-mode "Tree"
  "Tree of a session, which grows as the session does.

\\{sessiond-tree-mode-map}"
  (setq-local truncate-lines t
              header-line-format '(:eval (sessiond--session-header))
              sessiond--what "tree"
              imenu-create-index-function #'sessiond-tree--index)
  (buffer-disable-undo))

;;;###autoload
(defun sessiond-tree (path)
  "Show the tree of the session in the file PATH."
  (interactive (list (sessiond--read-session current-prefix-arg)))
  (sessiond--reporting
    (sessiond--show path 'sessiond-tree-mode nil)))

(defun sessiond-tree--load ()
  "Read the tree and draw it."
  (setq sessiond-tree--again nil)
  (sessiond--read-now "session/getTree" '(:detail "outline") #'sessiond-tree--draw)
  (when-let* ((leaf (sessiond--string (sessiond-tree--leaf)))) (sessiond-tree--go leaf))
  (when sessiond-tree--again (sessiond-tree--read)))

(defun sessiond-tree--changed (kind)
  "Schedule reading the tree, after a change of KIND."
  (unless (member kind '("deleted" "invalid" "lost" "ended"))
    (sessiond--schedule #'sessiond-tree--read)))

(defun sessiond-tree--read ()
  "Request the tree, unless waiting for an answer."
  (cond (sessiond--read (setq sessiond-tree--again t))
        ((sessiond--attached-p)
         (setq sessiond-tree--again nil)
         (sessiond--read-async
          "session/getTree" '(:detail "outline")
          (lambda (tree)
            (sessiond-tree--draw tree)
            (when sessiond-tree--again (sessiond-tree--read)))
          (lambda (oops) (setq sessiond--status (plist-get oops :message)))))))

(defun sessiond-tree--leaf ()
  "Return the id of the leaf, or `:null'."
  (plist-get (sessiond-session-state sessiond--session) :leafId))

(defun sessiond-tree--draw (tree)
  "Show TREE; keep point at its entry."
  (let ((inhibit-read-only t)
        (nodes (make-hash-table :test #'equal))
        (entry (get-text-property (point) 'sessiond-entry))
        (column (current-column)))
    (setq sessiond--first
          (seq-some (lambda (node)
                      (and (equal (plist-get node :role) "user")
                           (sessiond--string (sessiond--line (plist-get node :preview)))))
                    (plist-get tree :nodes)))
    (sessiond--name-buffer)
    (seq-doseq (node (plist-get tree :nodes))
      (puthash (plist-get node :id) node nodes))
    (erase-buffer)
    (sessiond-tree--insert-all (plist-get tree :roots) nodes (sessiond-tree--path-to-leaf nodes))
    (goto-char (point-min))
    (when entry
      (sessiond-tree--go entry)
      (move-to-column column))))

(defun sessiond-tree--path-to-leaf (nodes)
  "Return a table of the ids of NODES on the path to the leaf."
  (let ((path (make-hash-table :test #'equal))
        (id (sessiond-tree--leaf)))
    (while (and (gethash id nodes) (not (gethash id path)))
      (puthash id t path)
      (setq id (plist-get (gethash id nodes) :parentId)))
    path))

(defun sessiond-tree--insert-all (roots nodes path)
  "Insert ROOTS and their descendants; NODES is by id, PATH leads to the leaf."
  ;; Sessions are too deep for recursion, so use a stack.  Each item is an id, the text before it, and
  ;; the text before its children.
  (let ((todo (sessiond-tree--siblings roots "")))
    (while todo
      (pcase-let* ((`(,id ,before ,further) (pop todo))
                   (node (gethash id nodes)))
        (when node
          (sessiond-tree--insert node before (gethash id path))
          (setq todo (nconc (sessiond-tree--siblings (plist-get node :children) further) todo)))))))

(defun sessiond-tree--siblings (ids indent)
  "Return items for IDS, the children of one entry; INDENT is the text before them."
  (let* ((last (1- (length ids)))
         (flat (or (<= last 0) (> (length indent) sessiond-tree--widest))))
    (seq-map-indexed (lambda (id index)
                       (cond (flat (list id indent indent))
                             ((= index last) (list id (concat indent "└─ ") (concat indent "   ")))
                             (t (list id (concat indent "├─ ") (concat indent "│  ")))))
                     ids)))

(defun sessiond-tree--insert (node before on-path)
  "Insert NODE as a line after the text BEFORE, with a mark if ON-PATH."
  (let* ((start (point))
         (role (sessiond--string (plist-get node :role)))
         (label (sessiond--string (plist-get node :label)))
         (preview (sessiond--line (plist-get node :preview))))
    (insert (if on-path "• " "  ")
            (propertize before 'face 'shadow)
            (propertize (or role (plist-get node :type))
                        'face (cond ((equal role "user") 'sessiond-user)
                                    ((equal role "assistant") 'sessiond-assistant)
                                    (t 'shadow)))
            (if (string-empty-p preview) "" (concat ": " preview))
            (if label (propertize (format "  [%s]" (sessiond--line label)) 'face 'sessiond-label)
              "")
            (if (equal (plist-get node :id) (sessiond-tree--leaf))
                (propertize "  ← leaf" 'face 'bold)
              "")
            "\n")
    (put-text-property start (point) 'sessiond-entry (plist-get node :id))))

(defun sessiond-tree--go (entry)
  "Move to the line of ENTRY, an id."
  (goto-char (point-min))
  (let ((line (text-property-search-forward 'sessiond-entry entry #'equal)))
    (when line
      (goto-char (prop-match-beginning line))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-point window (point))))))

(defun sessiond-tree--index ()
  "Return the messages of users and the entries with labels, for imenu."
  (save-excursion
    (goto-char (point-min))
    (let (index)
      (while (not (eobp))
        (let ((line (buffer-substring (point) (line-end-position))))
          (when (or (text-property-any 0 (length line) 'face 'sessiond-user line)
                    (text-property-any 0 (length line) 'face 'sessiond-label line))
            (push (cons (string-trim (substring-no-properties line) "[ •│├└─]+") (point-marker))
                  index)))
        (forward-line))
      (nreverse index))))

(defun sessiond-tree-jump ()
  "Show the entry at point in the transcript."
  (interactive nil sessiond-tree-mode)
  (sessiond-transcript sessiond--path (or (get-text-property (point) 'sessiond-entry)
                                          (user-error "No entry here"))))

(defun sessiond-tree-rename (name)
  "Set the name of this session to NAME, which may be empty."
  (interactive (list (read-string "Name: " (plist-get (sessiond-session-state sessiond--session)
                                                      :name)))
               sessiond-tree-mode)
  (sessiond--reporting (sessiond--rename sessiond--path name)))

(defun sessiond-tree-refresh ()
  "Read the tree again."
  (interactive nil sessiond-tree-mode)
  (sessiond--reporting
    (sessiond--with-client
     (lambda (_client)
       (unless (sessiond--attached-p) (sessiond--attach))
       (sessiond-tree--load)))))

(provide 'sessiond-tree)
;;; sessiond-tree.el ends here
