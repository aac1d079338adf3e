;;; sessiond-transcript.el --- Read a session as it grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows one branch of a session, root first, as `session/getView' describes it, and adds new entries as
;; they arrive.  If point is at the end, it stays at the end.  Thinking, tool calls and their results can
;; be folded.

;;; Code:

(require 'diff-mode)
(require 'text-property-search)
(require 'sessiond-markdown)
(require 'sessiond-view)

(declare-function sessiond-branch "sessiond-verbs" (path entry label))
(declare-function sessiond-check "sessiond-verbs" (path))
(declare-function sessiond-diff "sessiond-verbs" (path first &optional second))
(declare-function sessiond-export "sessiond-verbs" (path file &optional mask))
(declare-function sessiond-fork "sessiond-verbs" (path entry))
(declare-function sessiond-label "sessiond-verbs" (path entry label))
(declare-function sessiond-reply "sessiond-verbs" (path text))
(declare-function sessiond-resume "sessiond-verbs" (path))
(declare-function sessiond-undo "sessiond-verbs" ())

(autoload 'sessiond-menu "sessiond-menu" nil t)
(declare-function sessiond--read-session "sessiond-list" (all))
(declare-function sessiond-tree "sessiond-tree" (path))

(defcustom sessiond-transcript-folded t
  "Whether thinking, tool calls and results are folded at first."
  :type 'boolean
  :group 'sessiond)

(defcustom sessiond-transcript-most-lines 2000
  "How many lines of a text are shown until `sessiond-transcript-show-all'."
  :type 'integer
  :group 'sessiond)

(defconst sessiond-transcript--longest-line 5000
  "How many characters of a line are shown until `sessiond-transcript-show-all'.
Emacs displays long lines slowly.")

(defconst sessiond-transcript--page 500
  "How many entries are read at once.
Emacs does nothing else while it decodes an answer.")

(defface sessiond-user '((t :inherit font-lock-keyword-face :weight bold))
  "Face for headings of user messages."
  :group 'sessiond)

(defface sessiond-assistant '((t :inherit font-lock-function-name-face :weight bold))
  "Face for headings of assistant messages."
  :group 'sessiond)

(defface sessiond-fold '((t :inherit font-lock-comment-face))
  "Face for headings of text that can be folded."
  :group 'sessiond)

(defvar-local sessiond-transcript--from nil
  "Id of the last entry of the branch shown; nil: the file's last entry.")

(defvar-local sessiond-transcript--positions nil
  "Start positions of the entries, by id.")

(defvar-local sessiond-transcript--last nil
  "Id of the last entry shown, or nil.")

(defvar-local sessiond-transcript--open nil
  "The last answer and the items after it, if results of its calls are missing.")

(defvar-local sessiond-transcript--before nil
  "Id of the entry before those of `sessiond-transcript--open', or nil.")

(defvar-local sessiond-transcript--state nil
  "What to read next: nil, `more' or `all'.")

(defvar-local sessiond-transcript--bodies nil
  "Regions to fold among the text just inserted: (START . END).")

(defvar-local sessiond-transcript--whole nil
  "Whether long texts are shown in full.")

(defvar sessiond-transcript-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") #'sessiond-transcript-toggle)
    (define-key map (kbd "<backtab>") #'sessiond-transcript-toggle-all)
    (define-key map "n" #'sessiond-transcript-next)
    (define-key map "p" #'sessiond-transcript-previous)
    (define-key map "x" #'sessiond-transcript-show-all)
    (define-key map "t" #'sessiond-transcript-tree)
    (define-key map "r" #'sessiond-transcript-rename)
    (define-key map "g" #'sessiond-transcript-refresh)
    (define-key map "c" #'sessiond-reply)
    (define-key map "b" #'sessiond-branch)
    (define-key map "F" #'sessiond-fork)
    (define-key map "L" #'sessiond-label)
    (define-key map "E" #'sessiond-export)
    (define-key map "C" #'sessiond-check)
    (define-key map "R" #'sessiond-resume)
    (define-key map "d" #'sessiond-diff)
    (define-key map "u" #'sessiond-undo)
    (define-key map "?" #'sessiond-menu)
    map)
  "Keys in transcripts.")

(define-derived-mode sessiond-transcript-mode special-mode "Transcript"
  "Transcript of a session, which grows as the session does.

\\{sessiond-transcript-mode-map}"
  (setq-local word-wrap t
              header-line-format '(:eval (sessiond--session-header))
              sessiond--what "transcript"
              imenu-create-index-function #'sessiond-transcript--index
              sessiond-transcript--positions (make-hash-table :test #'equal))
  (buffer-disable-undo)
  (add-to-invisibility-spec '(sessiond-fold . t)))

;;;###autoload
(defun sessiond-transcript (path &optional entry)
  "Show the transcript of the session in the file PATH, at ENTRY if given."
  (interactive (list (sessiond--read-session current-prefix-arg)))
  (sessiond--reporting (sessiond--show path 'sessiond-transcript-mode entry)))

;;; Reading

(defun sessiond-transcript--load ()
  "Read the branch and draw it."
  (let ((pages nil) (cursor t) (page nil))
    (while cursor
      (setq page nil)
      (sessiond--read-now "session/getView"
                          (sessiond-transcript--params sessiond-transcript--from
                                                       (and (stringp cursor) cursor))
                          (lambda (result) (setq page result)))
      (push (plist-get page :items) pages)
      (setq cursor (plist-get page :nextCursor)))
    ;; Without a page, another read was begun meanwhile.
    (when page (sessiond-transcript--draw (apply #'vconcat (nreverse pages)))))
  (sessiond-transcript--read))

(defun sessiond-transcript--params (leaf cursor)
  "Return the params that select the entries after CURSOR on the branch of LEAF."
  (append (list :limit sessiond-transcript--page)
          (and leaf (list :leafId leaf))
          (and cursor (list :cursor cursor))))

(defun sessiond-transcript--changed (kind)
  "Schedule reading the new entries, after a change of KIND."
  (unless (member kind '("deleted" "invalid" "lost" "ended"))
    (unless (and (equal kind "appended") sessiond-transcript--last)
      (setq sessiond-transcript--state 'all))
    (unless sessiond-transcript--state (setq sessiond-transcript--state 'more))
    (sessiond--schedule #'sessiond-transcript--read)))

(defun sessiond-transcript--read ()
  "Request the entries to read, unless waiting for an answer."
  (when (and sessiond-transcript--state (not sessiond--read) (sessiond--attached-p))
    (let ((more (eq sessiond-transcript--state 'more)))
      (setq sessiond-transcript--state nil)
      (sessiond--read-state)
      (if more
          ;; Of the file's last branch: it goes on from an older one that is shown, or this fails.
          (sessiond-transcript--read-pages
           nil (if sessiond-transcript--open sessiond-transcript--before sessiond-transcript--last)
           nil #'sessiond-transcript--add
           (lambda () (unless sessiond-transcript--from (setq sessiond-transcript--state 'all))))
        (sessiond-transcript--read-pages
         sessiond-transcript--from nil nil #'sessiond-transcript--draw
         ;; A rewrite of the file may have removed the entry.
         (lambda () (setq sessiond-transcript--from nil
                          sessiond-transcript--state 'all)))))))

(defun sessiond-transcript--read-pages (leaf cursor before take missing)
  "Read the entries after CURSOR on the branch of LEAF, and call TAKE with them.
BEFORE are the pages before, the last one first.  Call MISSING if there is no
such entry."
  (sessiond--read-async
   "session/getView" (sessiond-transcript--params leaf cursor)
   (lambda (result)
     (let ((pages (cons (plist-get result :items) before))
           (next (plist-get result :nextCursor)))
       (if next (sessiond-transcript--read-pages leaf next pages take missing)
         (funcall take (apply #'vconcat (reverse pages)))
         (sessiond-transcript--read))))
   (lambda (oops)
     (if (equal (plist-get (plist-get oops :data) :kind) "EntryNotFound") (funcall missing)
       (setq sessiond--status (plist-get oops :message)))
     (sessiond-transcript--read))))

(defun sessiond-transcript--add (items)
  "Draw ITEMS, which are new or follow an answer with missing results."
  (let ((shown sessiond-transcript--open)
        (items (append items nil)))
    (sessiond-transcript--note-open items (if shown sessiond-transcript--before
                                            sessiond-transcript--last))
    (while (and shown items
                (equal (sessiond-transcript--look (car shown))
                       (sessiond-transcript--look (car items))))
      (pop shown)
      (pop items))
    (when (seq-some (lambda (item) (equal (plist-get item :type) "label")) items)
      ;; It is shown at another entry.
      (setq sessiond-transcript--state 'all))
    (let ((place (and shown (sessiond-transcript--place))))
      (sessiond-transcript--keeping-up
       (lambda ()
         (when shown (sessiond-transcript--remove shown))
         (sessiond-transcript--insert-all items))
       (and place (lambda () (sessiond-transcript--return place)))))
    (when sessiond-transcript--from
      (setq sessiond-transcript--from sessiond-transcript--last))))

(defun sessiond-transcript--look (item)
  "Return what in the look of ITEM depends on the entries after it."
  (cons (plist-get item :entryId)
        (mapcar (lambda (block) (plist-get block :kind)) (plist-get item :blocks))))

(defun sessiond-transcript--note-open (items before)
  "Note which of ITEMS, after the entry BEFORE, depend on later ones."
  (dolist (item items)
    (cond ((and sessiond-transcript--open
                (not (member (plist-get item :role) '("user" "assistant"))))
           (setq sessiond-transcript--open (append sessiond-transcript--open (list item))))
          ((and (equal (plist-get item :role) "assistant")
                (seq-some (lambda (block) (and (equal (plist-get block :kind) "call")
                                               (not (plist-get block :resultEntryId))))
                          (plist-get item :blocks)))
           (setq sessiond-transcript--open (list item)
                 sessiond-transcript--before before))
          (t (setq sessiond-transcript--open nil)))
    (setq before (plist-get item :entryId))))

(defun sessiond-transcript--remove (items)
  "Remove ITEMS, the last ones that are shown."
  (let ((inhibit-read-only t)
        (start (gethash (plist-get (car items) :entryId) sessiond-transcript--positions)))
    (mapc #'delete-overlay (overlays-in start (point-max)))
    (delete-region start (point-max))
    (dolist (item items)
      (remhash (plist-get item :entryId) sessiond-transcript--positions))))

(defun sessiond-transcript--draw (items)
  "Replace the text by ITEMS, a branch."
  (let ((place (sessiond-transcript--place))
        (items (append items nil)))
    (setq sessiond--first (sessiond-transcript--first items))
    (sessiond--name-buffer)
    (setq sessiond-transcript--open nil)
    (sessiond-transcript--note-open items nil)
    (sessiond-transcript--keeping-up
     (lambda ()
       (let ((inhibit-read-only t))
         (mapc #'delete-overlay (overlays-in (point-min) (point-max)))
         (erase-buffer)
         (clrhash sessiond-transcript--positions)
         (setq sessiond-transcript--last nil)
         (sessiond-transcript--insert-all items)))
     (lambda () (sessiond-transcript--return place)))))

(defun sessiond-transcript--first (items)
  "Return the text of the first message of a user among ITEMS, or nil."
  (seq-some (lambda (item)
              (and (equal (plist-get item :role) "user")
                   (seq-some (lambda (block)
                               (and (equal (plist-get block :kind) "text")
                                    (sessiond--string (sessiond--line (plist-get block :text)))))
                             (plist-get item :blocks))))
            items))

(defun sessiond-transcript--place ()
  "Return the entry and offset of point, or nil at the end."
  (let ((entry (get-text-property (min (point) (max (point-min) (1- (point-max))))
                                  'sessiond-entry)))
    (when entry
      (cons entry (- (point) (gethash entry sessiond-transcript--positions (point)))))))

(defun sessiond-transcript--return (place)
  "Move point to PLACE, if its entry is still shown."
  (let ((start (gethash (car place) sessiond-transcript--positions)))
    (goto-char (if start (min (+ start (cdr place)) (point-max)) (point-min)))))

(defun sessiond-transcript--keeping-up (draw &optional otherwise)
  "Call DRAW; if point was at the end, move it to the new end.
Else call OTHERWISE to restore point, or keep it."
  (let ((windows (seq-filter (lambda (window) (>= (window-point window) (point-max)))
                             (get-buffer-window-list nil nil t)))
        (follow (>= (point) (point-max)))
        (here (point-marker)))
    (funcall draw)
    (cond (follow (goto-char (point-max)))
          (otherwise (funcall otherwise))
          (t (goto-char here)))
    (set-marker here nil)
    (dolist (window windows) (set-window-point window (point-max)))))

;;; Drawing

(defun sessiond-transcript--insert (item)
  "Insert ITEM, what a person sees of an entry, at the end."
  (let ((inhibit-read-only t)
        (id (plist-get item :entryId))
        (start (goto-char (point-max))))
    (cond ((eq (plist-get item :isSetting) t)
           (sessiond-transcript--note (plist-get item :title)))
          ((equal (plist-get item :role) "toolResult"))
          ;; A later part of an answer stands below the heading of the first.
          ((plist-get item :partOf))
          (t (sessiond-transcript--head item)))
    (seq-doseq (block (plist-get item :blocks))
      (sessiond-transcript--block block item))
    (put-text-property start (point) 'sessiond-entry id)
    (puthash id start sessiond-transcript--positions)
    (setq sessiond-transcript--last id)))

(defun sessiond-transcript--words (words)
  "Return those of WORDS that are not empty, each on one line."
  (string-join (seq-filter #'sessiond--string
                           (mapcar (lambda (word) (and word (sessiond--line word))) words))
               "  "))

(defun sessiond-transcript--facts (item)
  "Return the time, model, cost, notes and label of ITEM."
  (let* ((written (plist-get item :time))
         (time (sessiond--time written))
         (cost (plist-get item :cost))
         (label (plist-get item :label)))
    (append (list (if time (format-time-string "%F %R" time) written)
                  (plist-get item :model)
                  (and cost (format "$%.4f" cost)))
            (plist-get item :notes)
            (list (and label (format "[%s]" label))))))

(defun sessiond-transcript--head (item)
  "Insert the heading of ITEM."
  (unless (bobp) (insert "\n"))
  (insert (propertize (sessiond-transcript--words (cons (plist-get item :title)
                                                        (sessiond-transcript--facts item)))
                      'face (if (equal (plist-get item :role) "assistant") 'sessiond-assistant
                              'sessiond-user)
                      'sessiond-head t)
          "\n"))

(defun sessiond-transcript--note (text)
  "Insert TEXT as a line of its own, in a subdued face."
  (insert (propertize (concat "· " (sessiond--line text)) 'face 'shadow) "\n"))

(defun sessiond-transcript--block (block item)
  "Insert BLOCK, a part of ITEM."
  (let* ((kind (plist-get block :kind))
         (text (or (plist-get block :text) ""))
         (omitted (plist-get block :omittedChars))
         (text (if omitted (format "%s\n… %d more characters" text omitted) text)))
    (pcase kind
      ("thinking" (sessiond-transcript--fold "thinking" text))
      ("call" (sessiond-transcript--fold
               (sessiond-transcript--words (list (plist-get block :tool) (plist-get block :text)))
               (sessiond-transcript--arguments block)))
      ("result" (sessiond-transcript--fold
                 (sessiond-transcript--words (append (list (plist-get item :title)
                                                           (plist-get block :title))
                                                     (sessiond-transcript--facts item)))
                 text (and (eq (plist-get block :failed) t) 'error)))
      ("diff" (sessiond-transcript--diff block))
      ("command" (insert (propertize (concat "$ " (plist-get block :title)) 'face 'sessiond-fold)
                         "\n")
                 (sessiond-transcript--plain text))
      ("image" (sessiond-transcript--note (concat "image " text)))
      ("error" (insert (propertize (concat "! " (sessiond--line (or (sessiond--string text)
                                                                    "failed")))
                                   'face 'error)
                       "\n"))
      ("data" (sessiond-transcript--fold (or (plist-get block :title) "data") text))
      (_ (insert (sessiond-transcript--prose text) "\n")))))

(defun sessiond-transcript--plain (text)
  "Insert TEXT, which is no Markdown."
  (let ((text (sessiond--trim-right text)))
    (unless (string-empty-p text)
      (insert (sessiond-transcript--shortened text) "\n"))))

(defun sessiond-transcript--arguments (call)
  "Return the arguments of CALL as lines, without the one that its title has."
  (mapconcat (lambda (argument)
               (let ((text (or (plist-get argument :text) "")))
                 (concat (plist-get argument :name) ":"
                         (if (string-search "\n" text)
                             (concat "\n" (replace-regexp-in-string "^" "  " text))
                           (concat " " text)))))
             (seq-remove (lambda (argument)
                           (equal (plist-get argument :text) (plist-get call :text)))
                         (plist-get call :arguments))
             "\n"))

(defun sessiond-transcript--diff (block)
  "Insert the lines of BLOCK, a diff, with their numbers if they have some."
  (let ((numbered (seq-some (lambda (change) (plist-get change :line))
                            (plist-get block :changes)))
        (lines nil))
    (seq-doseq (change (plist-get block :changes))
      (let ((text (plist-get change :text)))
        (push (concat (and numbered (format "%5s " (or (plist-get change :line) "")))
                      (pcase (plist-get change :kind)
                        ("added" (propertize (concat "+" text) 'face 'diff-added))
                        ("removed" (propertize (concat "-" text) 'face 'diff-removed))
                        ("same" (concat " " text))
                        (_ (propertize (or text "…") 'face 'shadow))))
              lines)))
    (when lines
      (insert (sessiond-transcript--shortened (string-join (nreverse lines) "\n")) "\n"))))

(defun sessiond-transcript--prose (text)
  "Return TEXT, which is Markdown, as it is shown."
  (sessiond-markdown-propertize (sessiond-transcript--shortened text)))

(defun sessiond-transcript--shortened (text)
  "Return TEXT with its first lines only, and with the beginnings of long lines."
  (let ((left sessiond-transcript-most-lines))
    (if (or sessiond-transcript--whole (< (length text) left))
        text
      (with-temp-buffer
        (insert text)
        (goto-char (point-min))
        (while (and (> left 0) (not (eobp)))
          (let ((more (- (line-end-position) (point) sessiond-transcript--longest-line)))
            (when (> more 0)
              (forward-char sessiond-transcript--longest-line)
              (delete-region (point) (line-end-position))
              (insert (format "… %d more characters" more))))
          (forward-line)
          (setq left (1- left)))
        (unless (eobp)
          (let ((lines (count-lines (point) (point-max))))
            (delete-region (point) (point-max))
            (insert (format "… %d more lines" lines))))
        (buffer-string)))))

(defun sessiond-transcript-show-all ()
  "Show long texts in full, or shortened again."
  (interactive nil sessiond-transcript-mode)
  (setq sessiond-transcript--whole (not sessiond-transcript--whole))
  (sessiond--reporting (sessiond-transcript--load)))

;;; Folding

(defun sessiond-transcript--fold (title text &optional face)
  "Insert a line TITLE in FACE, and TEXT below it, which can be folded."
  (let ((start (point))
        (text (sessiond-transcript--shortened (sessiond--trim-right text))))
    (insert (propertize (concat "▸ " title) 'face (or face 'sessiond-fold)))
    (unless (string-empty-p text)
      (let ((body (point)))
        (insert "\n" (replace-regexp-in-string "^" "  " text))
        (push (cons body (point)) sessiond-transcript--bodies)
        (put-text-property start (point) 'sessiond-body body)))
    (insert "\n")))

(defun sessiond-transcript--insert-all (items)
  "Insert ITEMS at the end."
  (setq sessiond-transcript--bodies nil)
  (mapc #'sessiond-transcript--insert items)
  ;; Add overlays last: up to Emacs 28 each one slows down every insertion.
  (pcase-dolist (`(,start . ,end) (nreverse sessiond-transcript--bodies))
    (let ((overlay (make-overlay start end)))
      (overlay-put overlay 'sessiond-fold t)
      (overlay-put overlay 'isearch-open-invisible
                   (lambda (overlay) (overlay-put overlay 'invisible nil)))
      (overlay-put overlay 'invisible (and sessiond-transcript-folded 'sessiond-fold)))))

(defun sessiond-transcript-toggle ()
  "Fold or unfold the text at point."
  (interactive nil sessiond-transcript-mode)
  (let* ((body (or (get-text-property (point) 'sessiond-body)
                   (user-error "Nothing to fold here")))
         (overlay (seq-find (lambda (each) (overlay-get each 'sessiond-fold))
                            (overlays-in body (1+ body)))))
    (overlay-put overlay 'invisible (if (overlay-get overlay 'invisible) nil 'sessiond-fold))
    (when (overlay-get overlay 'invisible)
      (goto-char (overlay-start overlay))
      (beginning-of-line))))

(defun sessiond-transcript-toggle-all ()
  "Unfold everything if anything is folded, else fold everything."
  (interactive nil sessiond-transcript-mode)
  (let* ((folds (seq-filter (lambda (overlay) (overlay-get overlay 'sessiond-fold))
                            (overlays-in (point-min) (point-max))))
         (folded (seq-some (lambda (overlay) (overlay-get overlay 'invisible)) folds)))
    (setq-local sessiond-transcript-folded (not folded))
    (dolist (overlay folds)
      (overlay-put overlay 'invisible (if folded nil 'sessiond-fold)))))

;;; Moving and other commands

(defun sessiond-transcript--go (entry)
  "Move to ENTRY, an id; if it is on another branch, show that branch."
  (unless (gethash entry sessiond-transcript--positions)
    (setq sessiond-transcript--from (sessiond-transcript--end-of entry))
    (sessiond-transcript--load))
  (goto-char (gethash entry sessiond-transcript--positions))
  (when (and (bolp) (eolp) (not (eobp))) (forward-char))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point))))

(defun sessiond-transcript--end-of (entry)
  "Return the id of the last entry of the branch through ENTRY."
  (let ((children (make-hash-table :test #'equal)) next)
    (seq-doseq (node (plist-get (sessiond-request sessiond--session "session/getTree"
                                                  '(:detail "outline"))
                                :nodes))
      (puthash (plist-get node :id) (plist-get node :children) children))
    (while (length> (setq next (gethash entry children)) 0)
      (remhash entry children)
      (setq entry (elt next (1- (length next)))))
    entry))

(defun sessiond-transcript-next ()
  "Move to the next message heading."
  (interactive nil sessiond-transcript-mode)
  (let ((next (text-property-search-forward 'sessiond-head t t t)))
    (if next (goto-char (prop-match-beginning next)) (goto-char (point-max)))))

(defun sessiond-transcript-previous ()
  "Move to the previous message heading."
  (interactive nil sessiond-transcript-mode)
  (let ((previous (text-property-search-backward 'sessiond-head t t t)))
    (goto-char (if previous (prop-match-beginning previous) (point-min)))))

(defun sessiond-transcript--index ()
  "Return the messages for imenu: the heading and the beginning of the text."
  (save-excursion
    (goto-char (point-min))
    (let (index heading)
      (while (setq heading (text-property-search-forward 'sessiond-head t t))
        (let* ((start (prop-match-beginning heading))
               (who (car (split-string (buffer-substring-no-properties start (prop-match-end heading))
                                       "  ")))
               (first (line-beginning-position 2))
               (end (next-single-property-change first 'sessiond-head nil (point-max)))
               (text (buffer-substring-no-properties
                      first (min end (save-excursion (goto-char first) (line-end-position))))))
          (push (cons (format "%s: %s" who
                              (truncate-string-to-width (sessiond--line text) 60 nil nil "…"))
                      (copy-marker start))
                index)))
      (nreverse index))))

(defun sessiond-transcript-tree ()
  "Show the tree of this session."
  (interactive nil sessiond-transcript-mode)
  (sessiond-tree sessiond--path))

(defun sessiond-transcript-rename (name)
  "Set the name of this session to NAME, which may be empty."
  (interactive (list (read-string "Name: " (plist-get (sessiond-session-state sessiond--session)
                                                      :name)))
               sessiond-transcript-mode)
  (sessiond--reporting (sessiond--rename sessiond--path name)))

(defun sessiond-transcript-refresh ()
  "Read the session again, and follow its last entry."
  (interactive nil sessiond-transcript-mode)
  (sessiond--reporting
    (setq sessiond-transcript--from nil)
    (sessiond--with-client
     (lambda (_client)
       (unless (sessiond--attached-p) (sessiond--attach))
       (sessiond-transcript--load)))))

(provide 'sessiond-transcript)
;;; sessiond-transcript.el ends here
