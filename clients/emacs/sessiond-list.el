;;; sessiond-list.el --- Lists of sessions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Lists the sessions of one working directory, or of all, and keeps the list up to date.  A search
;; shows the same list: the hits of `catalog/search' if sessiond supports it, else the sessions whose
;; name or first message has all words.

;;; Code:

(require 'tabulated-list)
(require 'sessiond-view)

(declare-function sessiond-transcript "sessiond-transcript" (path &optional entry))
(declare-function sessiond-tree "sessiond-tree" (path))

(defvar-local sessiond-list--scope nil
  "The params that say which sessions are listed.")

(defvar-local sessiond-list--query nil
  "The search query, or nil.")

(defvar-local sessiond-list--hits nil
  "The hits of `catalog/search': (PATH . HIT).")

(defvar-local sessiond-list--sessions nil
  "The sessions by path.")

(defvar-local sessiond-list--subscription nil
  "The subscription that keeps this list up to date.")

(defvar sessiond-list--deleted nil
  "Paths of the sessions deleted in this Emacs, the latest first.")

(defun sessiond-list--offered (method)
  "Return a filter that enables a key binding if sessiond supports METHOD."
  (lambda (command)
    (and sessiond--client (sessiond-offers-p sessiond--client method) command)))

(defvar sessiond-list-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'sessiond-list-open)
    (define-key map "t" #'sessiond-list-tree)
    (define-key map "r" #'sessiond-list-rename)
    (define-key map "s" #'sessiond-search)
    (define-key map "g" #'sessiond-list-refresh)
    (define-key map "D" `(menu-item "Delete" sessiond-list-delete
                                    :filter ,(sessiond-list--offered "catalog/delete")))
    (define-key map "U" `(menu-item "Restore" sessiond-list-restore
                                    :filter ,(sessiond-list--offered "catalog/restore")))
    map)
  "Keys in lists of sessions.")

(define-derived-mode sessiond-list-mode tabulated-list-mode "Sessions"
  "List of sessions.

\\{sessiond-list-mode-map}"
  (setq tabulated-list-padding 1
        sessiond-list--sessions (make-hash-table :test #'equal)
        mode-line-process '(:eval (if sessiond--status (concat " " sessiond--status) "")))
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
         (place (if cwd (abbreviate-file-name cwd) "all directories"))
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

(defun sessiond-list-refresh ()
  "Request the sessions again."
  (interactive nil sessiond-list-mode)
  (sessiond--reporting
    (let ((client (sessiond--current-client)))
      (sessiond-list--unsubscribe)
      (setq sessiond--status nil
            sessiond-list--hits nil)
      (when (and sessiond-list--query (sessiond-offers-p client "catalog/search"))
        (sessiond-list--search client))
      (sessiond-list--subscribe client)
      (sessiond-list--print))))

(defun sessiond-list--subscribe (client)
  "Get the sessions from CLIENT, with a subscription if possible."
  (if (sessiond-offers-p client "catalog/subscribe")
      (let ((buffer (current-buffer)))
        (setq sessiond-list--subscription
              (sessiond-subscribe client sessiond-list--scope
                                  (lambda (change)
                                    (when (buffer-live-p buffer)
                                      (with-current-buffer buffer
                                        (sessiond-list--changed change)))))))
    (sessiond-list--take
     (plist-get (if (plist-get sessiond-list--scope :all) (sessiond-api-session-list-all client)
                  (apply #'sessiond-api-session-list client sessiond-list--scope))
                :sessions))))

(defun sessiond-list--search (client)
  "Search for the query with CLIENT."
  (let ((hits (plist-get (sessiond-request
                          client "catalog/search"
                          `(:query ,sessiond-list--query
                            ,@(and (plist-get sessiond-list--scope :cwd) sessiond-list--scope)))
                         :hits)))
    (setq sessiond-list--hits
          (seq-map (lambda (hit) (cons (plist-get (plist-get hit :info) :path) hit)) hits))))

(defun sessiond-list--unsubscribe ()
  "End the subscription of this list."
  (when sessiond--timer (cancel-timer sessiond--timer) (setq sessiond--timer nil))
  (when sessiond-list--subscription
    (sessiond-unsubscribe (prog1 sessiond-list--subscription
                            (setq sessiond-list--subscription nil)))))

(defun sessiond-list--changed (change)
  "Apply CHANGE, a snapshot or the params of `catalog/didChange'."
  (cond ((plist-member change :sessions)
         (setq sessiond--status nil)
         (sessiond-list--take (plist-get change :sessions)))
        ((plist-member change :changes)
         (seq-doseq (each (plist-get change :changes))
           (if (equal (plist-get each :kind) "removed")
               (remhash (plist-get each :path) sessiond-list--sessions)
             (puthash (plist-get each :path) (plist-get each :info) sessiond-list--sessions))))
        (t (setq sessiond--status "sessiond has ended; press g to restart it")))
  (sessiond--schedule #'sessiond-list--print))

(defun sessiond-list--take (sessions)
  "Replace the listed sessions by SESSIONS."
  (clrhash sessiond-list--sessions)
  (seq-doseq (info sessions)
    (puthash (plist-get info :path) info sessiond-list--sessions)))

(defun sessiond-list--shown ()
  "Return the sessions to show, the latest first, or the best hit first."
  (let ((sessions (sort (hash-table-values sessiond-list--sessions)
                        (lambda (a b) (string> (plist-get a :modified) (plist-get b :modified))))))
    (cond ((null sessiond-list--query) sessions)
          ((sessiond-list--searched-p)
           (delq nil (mapcar (lambda (hit) (gethash (car hit) sessiond-list--sessions))
                             sessiond-list--hits)))
          (t (seq-filter #'sessiond-list--has-query-p sessions)))))

(defun sessiond-list--searched-p ()
  "Return non-nil if sessiond did the search."
  (sessiond-offers-p sessiond--client "catalog/search"))

(defun sessiond-list--has-query-p (info)
  "Return non-nil if name and first message of INFO have all words of the query."
  (let ((case-fold-search t)
        (text (concat (plist-get info :name) "\n" (plist-get info :firstMessage))))
    (seq-every-p (lambda (word) (string-match-p (regexp-quote word) text))
                 (split-string sessiond-list--query))))

(defun sessiond-list--print ()
  "Draw the list; point stays at its session."
  (setq tabulated-list-format
        (vector '("Age" 5 sessiond-list--older-p)
                '("Session" 48 t)
                '("Messages" 8 sessiond-list--fewer-p :right-align t)
                (if (and sessiond-list--query (sessiond-list--searched-p))
                    '("Found" 0 nil)
                  '("Directory" 0 t)))
        tabulated-list-entries (mapcar #'sessiond-list--row (sessiond-list--shown)))
  (tabulated-list-init-header)
  (tabulated-list-print t)
  (when (and sessiond-list--query (not (sessiond-list--searched-p)))
    (let ((inhibit-read-only t))
      (save-excursion
        (goto-char (point-max))
        (insert (propertize "\n This sessiond cannot search messages: \
only names and first messages were compared.\n"
                            'face 'shadow))))))

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
                    (abbreviate-file-name (plist-get info :cwd)))))))

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

(defun sessiond-list-delete ()
  "Move the session at point to the trash."
  (interactive nil sessiond-list-mode)
  (let ((path (sessiond-list--path)))
    (when (yes-or-no-p (format "Delete session %s? " (aref (tabulated-list-get-entry) 1)))
      (sessiond--reporting
        (sessiond-request (sessiond--current-client) "catalog/delete" (list :path path)))
      (push path sessiond-list--deleted)
      (unless sessiond-list--subscription (sessiond-list-refresh)))))

(defun sessiond-list-restore (path)
  "Restore the deleted session of PATH from the trash."
  (interactive
   (list (completing-read "Restore: " (or sessiond-list--deleted
                                          (user-error "No session was deleted in this Emacs"))
                          nil t nil nil (car sessiond-list--deleted)))
   sessiond-list-mode)
  (sessiond--reporting
    (sessiond-request (sessiond--current-client) "catalog/restore" (list :path path)))
  (setq sessiond-list--deleted (delete path sessiond-list--deleted))
  (unless sessiond-list--subscription (sessiond-list-refresh)))

(provide 'sessiond-list)
;;; sessiond-list.el ends here
