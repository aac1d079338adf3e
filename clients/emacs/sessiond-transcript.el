;;; sessiond-transcript.el --- Read a session as it grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows one branch of a session, root first, and adds new entries as they arrive.  If point is at the
;; end, it stays at the end.  Thinking, tool calls and their results can be folded.

;;; Code:

(require 'json)
(require 'text-property-search)
(require 'sessiond-markdown)
(require 'sessiond-view)

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

(defvar-local sessiond-transcript--seen nil
  "Id of the last entry of the file that was read, or nil.")

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
  (sessiond--read-now "session/getBranch" (sessiond-transcript--branch-params)
                      (lambda (result)
                        (sessiond-transcript--draw (plist-get result :entries))))
  (sessiond-transcript--read))

(defun sessiond-transcript--branch-params ()
  "Return the params that select the branch shown."
  (and sessiond-transcript--from (list :fromId sessiond-transcript--from)))

(defun sessiond-transcript--changed (kind)
  "Schedule reading the new entries, after a change of KIND."
  (unless (member kind '("deleted" "invalid" "lost"))
    (unless (and (equal kind "appended") sessiond-transcript--seen)
      (setq sessiond-transcript--state 'all))
    (unless sessiond-transcript--state (setq sessiond-transcript--state 'more))
    (sessiond--schedule #'sessiond-transcript--read)))

(defun sessiond-transcript--read ()
  "Request the entries to read, unless waiting for an answer."
  (when (and sessiond-transcript--state (not sessiond--read) (sessiond--attached-p))
    (let ((more (eq sessiond-transcript--state 'more)))
      (setq sessiond-transcript--state nil)
      (sessiond--read-async
       (if more "session/getEntries" "session/getBranch")
       (if more (list :cursor sessiond-transcript--seen) (sessiond-transcript--branch-params))
       (lambda (result)
         (if more (sessiond-transcript--add (plist-get result :entries))
           (sessiond-transcript--draw (plist-get result :entries)))
         (sessiond-transcript--read))
       (lambda (oops)
         ;; A rewrite of the file may have removed the entry.
         (if (equal (plist-get (plist-get oops :data) :kind) "EntryNotFound")
             (setq sessiond-transcript--from (if more sessiond-transcript--from nil)
                   sessiond-transcript--state 'all)
           (setq sessiond--status (plist-get oops :message)))
         (sessiond-transcript--read))))))

(defun sessiond-transcript--add (entries)
  "Add those of the new ENTRIES that continue the branch."
  (let ((elsewhere nil) (new nil) (last (or sessiond-transcript--last :null)))
    (seq-doseq (entry entries)
      (let ((id (plist-get entry :id)))
        (setq sessiond-transcript--seen id)
        (cond ((gethash id sessiond-transcript--positions))
              ((equal (plist-get entry :parentId) last)
               (push entry new)
               (setq last id))
              (t (setq elsewhere t)))))
    (if (and elsewhere (null sessiond-transcript--from))
        (setq sessiond-transcript--state 'all)
      (sessiond-transcript--keeping-up
       (lambda () (sessiond-transcript--insert-all (nreverse new)))))))

(defun sessiond-transcript--draw (entries)
  "Replace the text by ENTRIES, a branch."
  (let ((place (sessiond-transcript--place)))
    (setq sessiond--first (sessiond-transcript--first entries))
    (sessiond--name-buffer)
    (sessiond-transcript--keeping-up
     (lambda ()
       (let ((inhibit-read-only t))
         (mapc #'delete-overlay (overlays-in (point-min) (point-max)))
         (erase-buffer)
         (clrhash sessiond-transcript--positions)
         (setq sessiond-transcript--last nil
               sessiond-transcript--seen nil)
         (sessiond-transcript--insert-all entries)))
     (lambda () (sessiond-transcript--return place)))
    (let ((tip (plist-get (sessiond-session-state sessiond--session) :tipId)))
      (setq sessiond-transcript--seen
            (if (gethash tip sessiond-transcript--positions) tip sessiond-transcript--last)))))

(defun sessiond-transcript--first (entries)
  "Return the text of the first message of a user among ENTRIES, or nil."
  (seq-some (lambda (entry)
              (let ((message (sessiond--object (plist-get entry :message))))
                (and (equal (plist-get message :role) "user")
                     (sessiond--string
                      (sessiond--line (sessiond-transcript--text (plist-get message :content)))))))
            entries))

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

(defun sessiond-transcript--insert (entry)
  "Insert ENTRY at the end."
  (let ((inhibit-read-only t)
        (id (plist-get entry :id))
        start)
    (goto-char (point-max))
    (setq start (point))
    (sessiond-transcript--insert-entry entry)
    (unless (bolp) (insert "\n"))
    (put-text-property start (point) 'sessiond-entry id)
    (puthash id start sessiond-transcript--positions)
    (setq sessiond-transcript--last id
          sessiond-transcript--seen id)))

(defun sessiond-transcript--insert-entry (entry)
  "Insert the text of ENTRY."
  (let ((get (lambda (member) (sessiond--line (format "%s" (or (plist-get entry member) ""))))))
    (pcase (plist-get entry :type)
      ("message" (sessiond-transcript--insert-message (sessiond--object (plist-get entry :message))
                                                      (plist-get entry :timestamp)))
      ("custom_message"
       (if (eq (plist-get entry :display) :json-false)
           (sessiond-transcript--note (format "hidden message of %s" (funcall get :customType)))
         (sessiond-transcript--head (funcall get :customType) 'sessiond-user entry)
         (sessiond-transcript--content (plist-get entry :content))))
      ("compaction" (sessiond-transcript--fold
                     (format "compaction of %s tokens" (funcall get :tokensBefore))
                     (plist-get entry :summary)))
      ("branch_summary" (sessiond-transcript--fold "summary of an abandoned branch"
                                                   (plist-get entry :summary)))
      ("model_change" (sessiond-transcript--note (format "model %s/%s" (funcall get :provider)
                                                         (funcall get :modelId))))
      ("thinking_level_change" (sessiond-transcript--note
                                (format "thinking level %s" (funcall get :thinkingLevel))))
      ("session_info" (sessiond-transcript--note (format "name %s" (funcall get :name))))
      ("label" (sessiond-transcript--note
                (if (sessiond--string (plist-get entry :label))
                    (format "label %s on %s" (funcall get :label) (funcall get :targetId))
                  (format "no label on %s" (funcall get :targetId)))))
      (type (sessiond-transcript--note
             (string-trim (format "%s %s" type (funcall get :customType))))))))

(defun sessiond-transcript--insert-message (message time)
  "Insert MESSAGE, with the time TIME."
  (let ((role (plist-get message :role))
        (content (plist-get message :content)))
    (pcase role
      ("user" (sessiond-transcript--head "User" 'sessiond-user (list :timestamp time))
       (sessiond-transcript--content content))
      ("assistant"
       (sessiond-transcript--head
        (concat "Assistant" (and (sessiond--string (plist-get message :model))
                                 (concat " " (plist-get message :model))))
        'sessiond-assistant (list :timestamp time))
       (sessiond-transcript--content content)
       (when (sessiond--string (plist-get message :errorMessage))
         (insert (propertize (plist-get message :errorMessage) 'face 'error) "\n")))
      ("toolResult"
       (sessiond-transcript--fold
        (format "%s of %s" (if (eq (plist-get message :isError) t) "error" "result")
                (or (sessiond--string (plist-get message :toolName)) "a tool"))
        (sessiond-transcript--text content)))
      ("bashExecution"
       (sessiond-transcript--fold (format "$ %s" (or (sessiond--string (plist-get message :command))
                                                     ""))
                                  (plist-get message :output)))
      (_ (sessiond-transcript--fold (format "%s message" (or (sessiond--string role) "unknown"))
                                    (sessiond-transcript--text content))))))

(defun sessiond-transcript--head (title face entry)
  "Insert a heading: TITLE in FACE, and the time of ENTRY."
  (let ((time (sessiond--time (plist-get entry :timestamp))))
    (unless (bobp) (insert "\n"))
    (insert (propertize (concat title (and time (format-time-string "  %F %R" time)))
                        'face face 'sessiond-head t)
            "\n")))

(defun sessiond-transcript--note (text)
  "Insert TEXT as a line of its own, in a subdued face."
  (insert (propertize (concat "· " (string-trim text)) 'face 'shadow) "\n"))

(defun sessiond-transcript--content (content)
  "Insert CONTENT, text or an array of blocks."
  (if (stringp content) (insert (sessiond-transcript--prose content) "\n")
    (seq-doseq (block (and (vectorp content) content))
      (sessiond-transcript--block (sessiond--object block)))))

(defun sessiond-transcript--block (block)
  "Insert BLOCK, a part of a message."
  (pcase (plist-get block :type)
    ("text" (insert (sessiond-transcript--prose (sessiond-transcript--text (vector block))) "\n"))
    ("thinking" (sessiond-transcript--fold "thinking" (plist-get block :thinking)))
    ("toolCall"
     (let ((arguments (plist-get block :arguments)))
       (sessiond-transcript--fold
        (format "%s %s" (or (sessiond--string (plist-get block :name)) "tool")
                (truncate-string-to-width (sessiond--encode arguments) 60 nil nil "…"))
        (sessiond-transcript--pretty arguments))))
    ("image" (sessiond-transcript--note (format "image %s" (plist-get block :mimeType))))
    (type (sessiond-transcript--note (format "%s" (or type "unknown content"))))))

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

(defun sessiond-transcript--text (content)
  "Return the text of CONTENT, text or an array of blocks."
  (cond ((stringp content) content)
        ((vectorp content)
         (mapconcat (lambda (block)
                      (let ((text (plist-get (sessiond--object block) :text)))
                        (if (stringp text) text
                          (format "[%s]" (plist-get (sessiond--object block) :type)))))
                    content "\n"))
        (t "")))

(defun sessiond-transcript--pretty (value)
  "Return VALUE as JSON over several lines."
  (let ((text (sessiond--encode value)))
    ;; That library fails for deep nesting; then keep one line.
    (condition-case nil
        (with-temp-buffer
          (insert text)
          (json-pretty-print-buffer)
          (buffer-string))
      (error text))))

;;; Folding

(defun sessiond-transcript--fold (title text)
  "Insert a line TITLE, and TEXT below it, which can be folded."
  (let ((start (point))
        (text (if (stringp text) (sessiond-transcript--shortened (sessiond--trim-right text)) "")))
    (insert (propertize (concat "▸ " (sessiond--line title)) 'face 'sessiond-fold))
    (unless (string-empty-p text)
      (let ((body (point)))
        (insert "\n" (replace-regexp-in-string "^" "  " text))
        (push (cons body (point)) sessiond-transcript--bodies)
        (put-text-property start (point) 'sessiond-body body)))
    (insert "\n")))

(defun sessiond-transcript--insert-all (entries)
  "Insert ENTRIES at the end."
  (setq sessiond-transcript--bodies nil)
  (mapc #'sessiond-transcript--insert entries)
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
