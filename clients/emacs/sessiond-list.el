;;; sessiond-list.el --- Lists of sessions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Lists the sessions of one working directory, or of all, and keeps the list up to date.  A search
;; shows the same list: the hits of `catalog/search' if sessiond supports it, else the sessions whose
;; name or first message has all words.

;;; Code:

(require 'tabulated-list)
(require 'sessiond-view)

(autoload 'sessiond-menu "sessiond-menu" nil t)
(autoload 'sessiond-list-follow-mode "sessiond-preview" nil t)
(declare-function sessiond-preview--soon "sessiond-preview" ())
(declare-function sessiond-transcript "sessiond-transcript" (path &optional entry))
(declare-function sessiond-tree "sessiond-tree" (path))
(declare-function sessiond-check "sessiond-verbs" (path))
(declare-function sessiond-export "sessiond-verbs" (path file &optional mask))
(declare-function sessiond-fork "sessiond-verbs" (path entry))
(declare-function sessiond-resume "sessiond-verbs" (path))
(declare-function sessiond-undo "sessiond-verbs" ())

(defvar-local sessiond-list--scope nil
  "The sessions that are listed: `(:all t)', or `(:cwd DIRECTORY)'.")

(defvar-local sessiond-list--query nil
  "The search query, or nil.")

(defvar-local sessiond-list--hits nil
  "The hits of `catalog/search': (PATH . HIT).")

(defvar-local sessiond-list--sessions nil
  "The sessions by path.")

(defvar-local sessiond-list--with-hidden nil
  "Whether hidden sessions are listed, too.")

(defvar-local sessiond-list--subscription nil
  "The subscription that keeps this list up to date.")

(defvar sessiond-list-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'sessiond-list-open)
    (define-key map "o" #'sessiond-list-open-other-window)
    (define-key map (kbd "C-o") #'sessiond-list-display)
    (define-key map "f" #'sessiond-list-follow-mode)
    (define-key map "t" #'sessiond-list-tree)
    (define-key map "r" #'sessiond-list-rename)
    (define-key map "m" #'sessiond-list-mark)
    (define-key map "H" #'sessiond-list-show-hidden)
    (define-key map "s" #'sessiond-search)
    (define-key map "g" #'sessiond-list-refresh)
    (define-key map "?" #'sessiond-menu)
    (define-key map "D" #'sessiond-list-delete)
    (define-key map "U" #'sessiond-list-restore)
    (define-key map "F" #'sessiond-fork)
    (define-key map "E" #'sessiond-export)
    (define-key map "C" #'sessiond-check)
    (define-key map "R" #'sessiond-resume)
    (define-key map "u" #'sessiond-undo)
    map)
  "Keys in lists of sessions.")

(define-derived-mode sessiond-list-mode tabulated-list-mode "Sessions"
  "List of sessions.

\\{sessiond-list-mode-map}"
  (setq tabulated-list-padding 1
        sessiond-list--sessions (make-hash-table :test #'equal)
        mode-line-process '(:eval (if sessiond--status (concat " " (sessiond--unconstrued sessiond--status)) "")))
  (add-hook 'kill-buffer-hook #'sessiond-list--unsubscribe nil t))

;;;###autoload
(defun sessiond-list (&optional all)
  "List the sessions of this directory.
With prefix argument ALL, list those of all directories."
  (interactive "P")
  (sessiond--reporting
    (sessiond-list--show (sessiond-list--scope-of all) nil)))

;;;###autoload
(defun sessiond-search (query &optional all)
  "List the sessions of this directory in which QUERY is found.
With prefix argument ALL, search those of all directories.  In a list of
sessions, search what is listed there."
  (interactive (list (read-string "Search sessions for: ") current-prefix-arg))
  (sessiond--reporting
    (sessiond-list--show (or (and (not all) sessiond-list--scope) (sessiond-list--scope-of all))
                         (sessiond--line query))))

(defun sessiond-list--scope-of (all)
  "Return params for the sessions of this directory; if ALL is non-nil, of all."
  (cond (all (list :all t))
        ((file-remote-p default-directory)
         (user-error "Sessions of remote directories cannot be listed"))
        ;; Agents store their directory with symbolic links resolved.
        (t (list :cwd (directory-file-name (file-truename default-directory))))))

(defun sessiond-list--show (scope query)
  "Show the sessions of SCOPE; if QUERY is non-nil, those in which it is found."
  (let* ((cwd (plist-get scope :cwd))
         (place (if cwd (sessiond--directory cwd) "all directories"))
         (buffer (get-buffer-create
                  (if query (format "*sessiond search: %s in %s*" query place)
                    (format "*sessiond: %s*" place)))))
    (condition-case oops
        (with-current-buffer buffer
          (unless (derived-mode-p 'sessiond-list-mode) (sessiond-list-mode))
          (setq sessiond-list--scope scope
                sessiond-list--query query
                default-directory (file-name-as-directory (or cwd default-directory)))
          (sessiond-list-refresh))
      (error (unless (buffer-local-value 'sessiond-list--subscription buffer)
               (kill-buffer buffer))
             (signal (car oops) (cdr oops))))
    (pop-to-buffer-same-window buffer)))

;;; Contents

(defvar sessiond-list--patience 1
  "Seconds to wait for the answers before a list is shown without them.")

(defun sessiond-list-refresh ()
  "Request the sessions again."
  (interactive nil sessiond-list-mode)
  (sessiond--reporting
    (sessiond-list--unsubscribe)
    (setq sessiond-list--hits nil
          sessiond--reopen nil)
    (sessiond--with-client
     (lambda (client)
       (setq sessiond--status "reading…")
       (let ((deadline (+ (float-time) sessiond-list--patience)))
         (sessiond-list--read client)
         ;; The answer usually comes at once, and then the list appears complete.
         (while (and (equal sessiond--status "reading…") (< (float-time) deadline))
           (accept-process-output (sessiond--process client) 0.05)))))
    (when (and sessiond--status (zerop (buffer-size)))
      (let ((inhibit-read-only t))
        (insert (propertize (concat " " sessiond--status) 'face 'shadow))))))

(defun sessiond-list--read (client)
  "Request the sessions, and the hits of a search, from CLIENT; then print them."
  (let* ((done (sessiond--then (lambda (_)
                                 (setq sessiond--status nil)
                                 (sessiond-list--print)
                                 (force-mode-line-update))))
         (failed (sessiond--then (lambda (oops) (sessiond--fail (plist-get oops :message)))))
         (sessions (lambda (_) (sessiond-list--subscribe client done failed))))
    (if sessiond-list--query
        (sessiond-list--search client (sessiond--then sessions) failed)
      (funcall sessions nil))))

(defun sessiond-list--params ()
  "Return the params that name the sessions that are listed; nil means all."
  (unless (plist-get sessiond-list--scope :all) sessiond-list--scope))

(defun sessiond-list--subscribe (client done failed)
  "Follow the sessions of the list with CLIENT; call DONE or FAILED in the end."
  (let ((buffer (current-buffer)))
    (sessiond-subscribe-async
     client (sessiond-list--params)
     (sessiond--then #'sessiond-list--changed)
     (lambda (subscription)
       (if (not (buffer-live-p buffer))
           (sessiond-unsubscribe subscription)
         (with-current-buffer buffer
           (sessiond-list--unsubscribe)
           (setq sessiond-list--subscription subscription)
           (sessiond-list--take
            (plist-get (sessiond-subscription-snapshot subscription) :sessions))
           (funcall done nil))))
     failed)))

(defun sessiond-list--search (client done failed)
  "Search for the query with CLIENT; call DONE or FAILED in the end."
  (sessiond-request-async
   client "catalog/search"
   `(:query ,sessiond-list--query ,@(sessiond-list--params))
   (sessiond--then
    (lambda (result)
      (setq sessiond-list--hits
            (seq-map (lambda (hit) (cons (plist-get (plist-get hit :info) :path) hit))
                     (plist-get result :hits)))
      (funcall done nil)))
   failed))

(defun sessiond-list--unsubscribe ()
  "End the subscription of this list."
  (when sessiond--timer (cancel-timer sessiond--timer) (setq sessiond--timer nil))
  (when sessiond-list--subscription
    (sessiond-unsubscribe (prog1 sessiond-list--subscription
                            (setq sessiond-list--subscription nil)))))

(defun sessiond-list--changed (change)
  "Apply CHANGE, an event of the subscription."
  (pcase (plist-get change :kind)
    ("reconnected"
     (setq sessiond--status nil)
     (sessiond-list--take (plist-get (plist-get change :snapshot) :sessions)))
    ((or "lost" "ended")
     (setq sessiond-list--subscription nil
           sessiond--reopen #'sessiond-list-refresh
           sessiond--status (format "%s; press g to list again"
                                    (plist-get (plist-get change :error) :message))))
    (_ (seq-doseq (each (plist-get change :changes))
         (if (equal (plist-get each :kind) "removed")
             (remhash (plist-get each :path) sessiond-list--sessions)
           (when-let ((info (plist-get each :info)))
             (puthash (plist-get each :path) info sessiond-list--sessions))))))
  (sessiond--schedule #'sessiond-list--print))

(defun sessiond-list--take (sessions)
  "Replace the listed sessions by SESSIONS."
  (clrhash sessiond-list--sessions)
  (seq-doseq (info sessions)
    (puthash (plist-get info :path) info sessiond-list--sessions)))

(defun sessiond-list--marked-p (info mark)
  "Return non-nil if INFO, a session, has MARK: `:pinned' or `:hidden'."
  (eq (plist-get (plist-get info :marks) mark) t))

(defun sessiond-list--before-p (a b)
  "Return non-nil if the session A is listed before B: pinned, or else later."
  (let ((pinned (sessiond-list--marked-p a :pinned)))
    (if (eq pinned (sessiond-list--marked-p b :pinned))
        (string> (plist-get a :modified) (plist-get b :modified))
      pinned)))

(defun sessiond-list--marks (info)
  "Return as words how INFO, a session, is marked; tags have a `#'."
  (let ((marks (plist-get info :marks)))
    (sessiond--line
     (string-join
      `(,@(and (sessiond-list--marked-p info :pinned) '("pinned"))
        ,@(and (sessiond-list--marked-p info :hidden) '("hidden"))
        ,@(seq-map (lambda (tag) (concat "#" tag)) (plist-get marks :tags)))
      " "))))

(defun sessiond-list--shown ()
  "Return the sessions to show, pinned and latest first, or the best hit first."
  (let ((sessions (sort (seq-remove (lambda (info)
                                      (and (not sessiond-list--with-hidden)
                                           (sessiond-list--marked-p info :hidden)))
                                    (hash-table-values sessiond-list--sessions))
                        #'sessiond-list--before-p)))
    (if (null sessiond-list--query) sessions
      (delq nil (mapcar (lambda (hit) (gethash (car hit) sessiond-list--sessions))
                        sessiond-list--hits)))))

(defun sessiond-list--print ()
  "Draw the list; point stays at its session."
  (setq tabulated-list-format
        (vector '("Age" 5 sessiond-list--older-p)
                '("Session" 48 t)
                '("Messages" 8 sessiond-list--fewer-p :right-align t)
                (if sessiond-list--query
                    '("Found" 0 nil)
                  '("Directory" 0 t)))
        tabulated-list-entries (mapcar #'sessiond-list--row (sessiond-list--shown)))
  (tabulated-list-init-header)
  (tabulated-list-print t)
  (when (bound-and-true-p sessiond-list-follow-mode) (sessiond-preview--soon))
  (when (and (null tabulated-list-entries) (not sessiond-list--query))
    (let ((inhibit-read-only t))
      (insert (propertize (if (plist-get sessiond-list--scope :all) " There are no sessions.\n"
                            " There are no sessions of this directory.  \
C-u M-x sessiond-list lists those of all directories.\n")
                          'face 'shadow)))))

(defun sessiond-list--row (info)
  "Return the row of INFO, a session."
  (let* ((path (plist-get info :path))
         (name (sessiond--string (plist-get info :name)))
         (snippet (sessiond-list--snippet path)))
    (list path
          (vector (sessiond--age (plist-get info :modified))
                  (if name (propertize (sessiond--line name) 'face 'bold)
                    (sessiond--line (plist-get info :firstMessage)))
                  (number-to-string (plist-get info :messageCount))
                  (if snippet (sessiond--line (or (plist-get snippet :text) ""))
                    (concat (and (plist-get info :marks)
                                 (concat (sessiond-list--marks info) "  "))
                            (sessiond--directory (plist-get info :cwd))
                            (when-let ((agent (plist-get info :agent))) (format "  %s" agent))))))))

(defun sessiond-list--snippet (path)
  "Return the first snippet of the hit for the session of PATH."
  (let ((snippets (plist-get (cdr (assoc path sessiond-list--hits)) :snippets)))
    (and (length> snippets 0) (elt snippets 0))))

(defun sessiond-list--older-p (a b)
  "Return non-nil if row A is of a session that was used before that of B."
  (string< (sessiond-list--member a :modified) (sessiond-list--member b :modified)))

(defun sessiond-list--fewer-p (a b)
  "Return non-nil if row A is of a session with fewer messages than that of B."
  (< (sessiond-list--member a :messageCount) (sessiond-list--member b :messageCount)))

(defun sessiond-list--member (row member)
  "Return MEMBER of the session of ROW."
  (plist-get (gethash (car row) sessiond-list--sessions) member))

;;; Commands

(defun sessiond-list--path ()
  "Return the path of the session at point."
  (or (tabulated-list-get-id) (user-error "No session here")))

(defun sessiond-list-open ()
  "Show the session at point; in a search, at the hit."
  (interactive nil sessiond-list-mode)
  (let ((path (sessiond-list--path)))
    (sessiond-transcript path (plist-get (sessiond-list--snippet path) :entryId))))

(defun sessiond-list-open-other-window ()
  "Show the session at point in another window, and select it."
  (interactive nil sessiond-list-mode)
  (let ((display-buffer-overriding-action '(nil (inhibit-same-window . t))))
    (sessiond-list-open)))

(defun sessiond-list-display ()
  "Show the session at point in another window, but stay in the list."
  (interactive nil sessiond-list-mode)
  (save-selected-window (sessiond-list-open-other-window)))

(defun sessiond-list-tree ()
  "Show the tree of the session at point."
  (interactive nil sessiond-list-mode)
  (sessiond-tree (sessiond-list--path)))

(defun sessiond-list-rename (name)
  "Set the name of the session at point to NAME, which may be empty."
  (interactive
   (list (read-string "Name: " (plist-get (gethash (sessiond-list--path) sessiond-list--sessions)
                                          :name)))
   sessiond-list-mode)
  (sessiond--reporting
    (sessiond--rename (sessiond-list--path) name)
    (unless sessiond-list--subscription (sessiond-list-refresh))))

(defun sessiond-list--change (words)
  "Return the params of `catalog/setMarks' that WORDS mean."
  (let (added removed change)
    (dolist (word (split-string words))
      (pcase word
        ("pin" (setq change (plist-put change :pinned t)))
        ("unpin" (setq change (plist-put change :pinned :json-false)))
        ("hide" (setq change (plist-put change :hidden t)))
        ("unhide" (setq change (plist-put change :hidden :json-false)))
        ((rx bos "#" (let tag (+ anychar)) eos) (push tag added))
        ((rx bos "-#" (let tag (+ anychar)) eos) (push tag removed))
        (_ (user-error "%s is no mark: pin, unpin, hide, unhide, #tag or -#tag" word))))
    `(,@change :addTags ,(vconcat added) :removeTags ,(vconcat removed))))

(defun sessiond-list-mark (words)
  "Mark the session at point by WORDS: pin, unpin, hide, unhide, #tag or -#tag."
  (interactive (list (read-string "pin, unpin, hide, unhide, #tag or -#tag: ")) sessiond-list-mode)
  (let ((change (sessiond-list--change words)))
    (sessiond--reporting
      (sessiond-request (sessiond--current-client) "catalog/setMarks"
                        `(:paths [,(sessiond-list--path)] ,@change))
      (unless sessiond-list--subscription (sessiond-list-refresh)))))

(defun sessiond-list-show-hidden ()
  "List hidden sessions, too, or leave them out again."
  (interactive nil sessiond-list-mode)
  (setq sessiond-list--with-hidden (not sessiond-list--with-hidden))
  (sessiond-list--print))

(defun sessiond-list-delete ()
  "Move the session at point to the trash."
  (interactive nil sessiond-list-mode)
  (let ((path (sessiond-list--path)))
    (when (yes-or-no-p (format "Delete session %s? " (aref (tabulated-list-get-entry) 1)))
      (when (sessiond--reporting (sessiond--delete path))
        (unless sessiond-list--subscription (sessiond-list-refresh))))))

(defun sessiond-list--trashed ()
  "Return the paths of the sessions in the trash, the latest first."
  (seq-map (lambda (each) (plist-get each :path))
           (plist-get (sessiond-request (sessiond--current-client) "catalog/listTrash") :sessions)))

(defun sessiond-list--read-trashed ()
  "Ask for a session in the trash, and return its former path."
  (let ((paths (sessiond--reporting (sessiond-list--trashed))))
    (unless paths (user-error "The trash has no session"))
    (completing-read "Restore: " paths nil t nil nil (car paths))))

(defun sessiond-list-restore (path)
  "Restore the deleted session of PATH from the trash."
  (interactive (list (sessiond-list--read-trashed)) sessiond-list-mode)
  (sessiond--reporting (sessiond--restore path))
  (unless sessiond-list--subscription (sessiond-list-refresh)))

;;; Choosing with completion

(defun sessiond--read-session (all)
  "Ask for a session of this directory, and return its path.
If ALL is non-nil, ask for one of any directory."
  (let* ((client (sessiond--reporting (sessiond--current-client)))
         (scope (sessiond-list--scope-of all))
         (sessions (plist-get (sessiond--reporting
                                (if all (sessiond-request client "session/listAll")
                                  (sessiond-request client "session/list" scope)))
                              :sessions))
         (choices (sessiond-list--choices sessions)))
    (unless choices (user-error "%s" (if all "There are no sessions"
                                       "This directory has no sessions")))
    (plist-get (cdr (assoc (completing-read "Session: " (sessiond-list--table choices) nil t)
                           choices))
               :path)))

(defun sessiond-list--choices (sessions)
  "Return SESSIONS by title: (TITLE . INFO), each title once."
  (let ((seen (make-hash-table :test #'equal)))
    (seq-map (lambda (info)
               (let* ((title (truncate-string-to-width
                              (sessiond--line (or (sessiond--string (plist-get info :name))
                                                  (plist-get info :firstMessage)))
                              60 nil nil "…"))
                      (times (puthash title (1+ (gethash title seen 0)) seen)))
                 (cons (if (= times 1) title (format "%s <%d>" title times)) info)))
             sessions)))

(defun sessiond-list--table (choices)
  "Return a completion table of CHOICES, the latest first, with annotations."
  (lambda (string predicate action)
    (if (eq action 'metadata)
        `(metadata
          (category . sessiond-session)
          (display-sort-function . identity)
          (cycle-sort-function . identity)
          (annotation-function
           . ,(lambda (title)
                (let ((info (cdr (assoc title choices))))
                  (concat (propertize " " 'display '(space :align-to 64))
                          (propertize (format "%4s  %3d messages  %s"
                                              (sessiond--age (plist-get info :modified))
                                              (plist-get info :messageCount)
                                              (sessiond--directory (plist-get info :cwd)))
                                      'face 'completions-annotations))))))
      (complete-with-action action choices string predicate))))

(provide 'sessiond-list)
;;; sessiond-list.el ends here
