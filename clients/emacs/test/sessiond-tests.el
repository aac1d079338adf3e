;;; sessiond-tests.el --- The commands, run for real  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every test has a home directory and a sessiond of its own; what is compared is the text a user
;; sees in the buffers.  Other programs are played by writing files.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'sessiond)
(require 'sessiond-preview)

(defvar sessiond-tests--folder (file-name-directory (or load-file-name buffer-file-name))
  "The folder of this file.")
(defvar sessiond-tests--home nil "The home directory of the test.")
(defvar sessiond-tests--work nil "The working directory of the test.")

(defvar sessiond-tests--started t
  "Whether sessiond is running when a test begins, so that lists appear at once.")

(defmacro sessiond-tests--with (&rest body)
  "Do BODY with a home directory and a sessiond of its own."
  (declare (indent 0) (debug t))
  `(let* ((sessiond-tests--home (file-truename (make-temp-file "sessiond-test" t)))
          (sessiond-tests--work (concat sessiond-tests--home "/work"))
          (process-environment
           (append (list (concat "HOME=" sessiond-tests--home) "SESSIOND_SHARED=0")
                   (seq-remove (lambda (each) (string-match-p "\\`\\(?:PI\\|SESSIOND\\)_" each))
                               process-environment)))
          (default-directory (concat sessiond-tests--work "/"))
          (abbreviated-home-dir nil)
          (sessiond--client nil)
          (sessiond-refresh-delay 0.02)
          (sessiond-list--patience 10)
          (buffers (buffer-list)))
     (make-directory sessiond-tests--work)
     (when sessiond-tests--started (sessiond--current-client))
     (set-time-zone-rule t)
     (unwind-protect
         (save-window-excursion ,@body)
       (dolist (buffer (seq-difference (buffer-list) buffers))
         (when (and (buffer-live-p buffer) (not (get-buffer-process buffer)))
           (kill-buffer buffer)))
       (sessiond-stop)
       (delete-directory sessiond-tests--home t))))

(defun sessiond-tests--path (name &optional cwd)
  "Return the path of the session NAME of CWD, where agents keep it."
  (format "%s/.pi/agent/sessions/--%s--/%s.jsonl" sessiond-tests--home
          (replace-regexp-in-string "[/:]" "-" (substring (or cwd sessiond-tests--work) 1)) name))

(defun sessiond-tests--time (ago)
  "Return the time AGO seconds before now, as sessions have it."
  (format-time-string "%Y-%m-%dT%H:%M:%S.000Z" (time-subtract nil ago) t))

(defun sessiond-tests--append (path &rest entries)
  "Append ENTRIES to the file PATH in one go, as an agent would."
  (let ((coding-system-for-write 'utf-8-unix))
    (write-region (mapconcat (lambda (entry) (concat (sessiond--encode entry) "\n")) entries "")
                  nil path t 'silent)))

(cl-defun sessiond-tests--session (name &key cwd entries)
  "Write the session NAME of CWD with ENTRIES, and return its path."
  (let ((path (sessiond-tests--path name cwd)))
    (make-directory (file-name-directory path) t)
    (apply #'sessiond-tests--append path
           (list :type "session" :version 3 :id name :timestamp "2025-06-01T10:00:00.000Z"
                 :cwd (or cwd sessiond-tests--work))
           entries)
    path))

(defun sessiond-tests--entry (id parent message &optional time)
  "Return an entry ID under PARENT with MESSAGE; its TIME is some day in 2025."
  (list :type "message" :id id :parentId parent :timestamp (or time "2025-06-01T10:00:01.000Z")
        :message message))

(defun sessiond-tests--user (id parent text &optional ago)
  "Return an entry ID under PARENT in which a user says TEXT, AGO seconds ago."
  (sessiond-tests--entry id parent (list :role "user" :content text)
                         (and ago (sessiond-tests--time ago))))

(defun sessiond-tests--assistant (id parent &rest content)
  "Return an entry ID under PARENT in which an assistant says CONTENT, blocks."
  (sessiond-tests--entry id parent (list :role "assistant" :content (vconcat content)
                                         :provider "p" :model "m")))

(defun sessiond-tests--text (text)
  "Return a block with TEXT."
  (list :type "text" :text text))

(defun sessiond-tests--talk ()
  "Return the entries of a session with tools and two branches."
  (list
   (sessiond-tests--user "u1" :null "List the files")
   (sessiond-tests--assistant "a1" "u1" '(:type "thinking" :thinking "I shall use ls.\nYes.")
                              '(:type "toolCall" :id "c" :name "bash" :arguments (:command "ls")))
   (sessiond-tests--entry "r1" "a1" '(:role "toolResult" :toolCallId "c" :toolName "bash"
                                      :content [(:type "text" :text "one\ntwo")]
                                      :isError :json-false))
   (sessiond-tests--assistant "a2" "r1" (sessiond-tests--text "Two files."))
   (sessiond-tests--user "u2" "a2" "Delete them")
   (sessiond-tests--user "u3" "a2" "Thank you")
   '(:type "label" :id "l1" :parentId "u3" :timestamp "2025-06-01T10:00:02.000Z"
     :targetId "u1" :label "start")))

(defun sessiond-tests--visible (&optional buffer)
  "Return what a user sees of BUFFER, or of this one: folds are ellipses."
  (with-current-buffer (or buffer (current-buffer))
    (let ((parts nil) (position (point-min)))
      (while (< position (point-max))
        (let ((next (next-single-char-property-change position 'invisible))
              (hidden (get-char-property position 'invisible)))
          (push (if hidden "..." (buffer-substring-no-properties position next)) parts)
          (setq position next)))
      (replace-regexp-in-string "[ \t]+$" "" (apply #'concat (nreverse parts))))))

(defmacro sessiond-tests--soon (form)
  "Wait until FORM is true, at most 30 seconds."
  `(let ((deadline (+ (float-time) 30)) value)
     (while (not (setq value ,form))
       (when (> (float-time) deadline)
         (ert-fail (list "never came true" ',form (sessiond-tests--visible))))
       (accept-process-output nil 0.02))
     value))

(defun sessiond-tests--sees (&rest lines)
  "Wait until the user sees LINES in this buffer, and nothing else."
  (let ((expected (concat (string-join lines "\n") "\n"))
        (deadline (+ (float-time) 30)))
    (while (and (not (equal (sessiond-tests--visible) expected)) (< (float-time) deadline))
      (accept-process-output nil 0.02))
    (should (equal (sessiond-tests--visible) expected))))

(defun sessiond-tests--press (keys)
  "Do what KEYS do in this buffer."
  (call-interactively (or (key-binding (kbd keys)) (ert-fail (list "unbound" keys)))))

(defun sessiond-tests--answering (answer keys)
  "Do what KEYS do in this buffer, answering questions for a text with ANSWER."
  (cl-letf (((symbol-function 'read-string) (lambda (&rest _) answer))
            ((symbol-function 'yes-or-no-p) (lambda (&rest _) answer)))
    (sessiond-tests--press keys)))

(defun sessiond-tests--last-line (path)
  "Return the last line of the file PATH, decoded."
  (with-temp-buffer
    (insert-file-contents path)
    (sessiond--decode (car (last (split-string (buffer-string) "\n" t))))))

(defun sessiond-tests--crash (&optional before)
  "Kill the process of the client; call BEFORE, if non-nil, before Emacs notices."
  (let ((process (sessiond--child (sessiond-client-connection sessiond--client))))
    (signal-process process 'SIGKILL)
    (when before (funcall before))
    (while (process-live-p process) (accept-process-output process 0.05))))

;;; Lists

(ert-deftest sessiond-list-shows-the-sessions-of-this-directory ()
  (sessiond-tests--with
    (sessiond-tests--session "old" :entries (list (sessiond-tests--user "u" :null "An  old\none" 7300)))
    (sessiond-tests--session "new" :entries (list (sessiond-tests--user "u" :null "A new one" 200)
                                                  (sessiond-tests--user "v" "u" "more" 190)))
    (sessiond-tests--session "other" :cwd "/elsewhere"
                             :entries (list (sessiond-tests--user "u" :null "Not here" 9)))
    (sessiond-list)
    (should (equal (buffer-name) "*sessiond: ~/work*"))
    (sessiond-tests--sees
     " 3m    A new one                                               2 ~/work"
     " 2h    An old one                                              1 ~/work")
    (sessiond-list t)
    (should (equal (buffer-name) "*sessiond: all directories*"))
    (sessiond-tests--sees
     " now   Not here                                                1 /elsewhere"
     " 3m    A new one                                               2 ~/work"
     " 2h    An old one                                              1 ~/work")))

(ert-deftest sessiond-list-says-whose-a-session-is ()
  "If there are several agents, the row of a session names its own."
  (let ((info '(:path "/s.jsonl" :modified "2026-01-01T00:00:00.000Z" :cwd "/w"
                :messageCount 2 :firstMessage "hi"))
        (sessiond-list--hits nil))
    (should (equal (elt (cadr (sessiond-list--row info)) 3) "/w"))
    (should (equal (elt (cadr (sessiond-list--row (append info '(:agent "codex")))) 3)
                   "/w  codex"))))

(ert-deftest sessiond-list-sees-what-others-do ()
  (sessiond-tests--with
    (let ((one (sessiond-tests--session "one" :entries (list (sessiond-tests--user "u" :null "One" 60)))))
      (sessiond-list)
      (sessiond-tests--sees " 1m    One                                                     1 ~/work")
      (sessiond-tests--session "two" :entries (list (sessiond-tests--user "u" :null "Two" 9)))
      (sessiond-tests--sees " now   Two                                                     1 ~/work"
                            " 1m    One                                                     1 ~/work")
      (goto-char (point-max))
      (forward-line -1)
      (should (equal (tabulated-list-get-id) one))
      (sessiond-tests--append one (sessiond-tests--user "v" "u" "again" 0))
      (sessiond-tests--sees " now   One                                                     2 ~/work"
                            " now   Two                                                     1 ~/work")
      (should (equal (tabulated-list-get-id) one))
      (delete-file one)
      (sessiond-tests--sees " now   Two                                                     1 ~/work"))))

(ert-deftest sessiond-list-renames ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-list)
      (sessiond-tests--answering "Ämter" "r")
      (sessiond-tests--soon (string-match-p "Ämter" (sessiond-tests--visible)))
      (let ((entry (sessiond-tests--last-line path)))
        (should (equal (plist-get entry :type) "session_info"))
        (should (equal (plist-get entry :name) "Ämter"))
        (should (equal (plist-get entry :parentId) "l1"))))))

(ert-deftest sessiond-list-marks ()
  (sessiond-tests--with
    (sessiond-tests--session "one" :entries (list (sessiond-tests--user "u" :null "One" 0)))
    (sessiond-tests--session "two" :entries (list (sessiond-tests--user "u" :null "Two" 9)))
    (sessiond-list)
    (sessiond-tests--soon (string-match-p "One" (sessiond-tests--visible)))
    (goto-char (point-min))
    (search-forward "One")
    (sessiond-tests--answering "pin #bug #old" "m")
    (sessiond-tests--soon (string-match-p "One.*pinned #bug #old\\(?:.\\|\n\\)*Two"
                                          (sessiond-tests--visible)))
    (goto-char (point-min))
    (search-forward "One")
    (sessiond-tests--answering "hide -#old" "m")
    (sessiond-tests--soon (not (string-match-p "One" (sessiond-tests--visible))))
    (sessiond-tests--press "H")
    (should (string-match-p "One.*pinned hidden #bug " (sessiond-tests--visible)))
    (should-error (sessiond-list-mark "red") :type 'user-error)))

(ert-deftest sessiond-list-deletes-and-restores ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-list)
      (sessiond-tests--answering t "D")
      (sessiond-tests--soon (string-match-p "There are no sessions of this directory"
                                            (sessiond-tests--visible)))
      (should-not (file-exists-p path))
      (sessiond-list-restore path)
      (sessiond-tests--soon (string-match-p "List the files" (sessiond-tests--visible)))
      (should (file-exists-p path)))))

(ert-deftest sessiond-list-leaves-files-to-the-daemon ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
          (sent nil))
      (sessiond-list)
      (cl-letf (((symbol-function 'sessiond-request)
                 (lambda (_client method &optional params)
                   (push (cons method (and params (seq-subseq params 0 (- (length params) (if (plist-get params :change) 2 0)))))
                         sent)
                   (and (equal method "catalog/listTrash") `(:sessions [(:path ,path)]))))
                ((symbol-function 'completing-read) (lambda (_prompt choices &rest _) (car choices))))
        (sessiond-tests--answering "Name" "r")
        (sessiond-tests--answering nil "D")
        (sessiond-tests--answering t "D")
        (sessiond-tests--press "U"))
      (should (equal (reverse sent)
                     `(("catalog/rename" :path ,path :name "Name")
                       ("catalog/delete" :path ,path)
                       ("catalog/listTrash")
                       ("catalog/restore" :path ,path)))))))

(ert-deftest sessiond-search-finds-what-was-said ()
  (sessiond-tests--with
    (sessiond-tests--session "one" :entries (sessiond-tests--talk))
    (sessiond-tests--session "two" :entries (list (sessiond-tests--user "u" :null "Clean the files up" 9)))
    (sessiond-tests--session "six" :entries (list (sessiond-tests--user "u" :null "Hello" 9)))
    (sessiond-search "FILES the")
    (sessiond-tests--soon (string-match-p "Clean the files" (sessiond-tests--visible)))
    (should-not (string-match-p "Hello" (sessiond-tests--visible)))))

(ert-deftest sessiond-search-shows-what-sessiond-found ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-list)
      (let ((request (symbol-function 'sessiond-request)))
        (cl-letf (((symbol-function 'sessiond-request)
                   (lambda (client method &optional params)
                     (if (not (equal method "catalog/search")) (funcall request client method params)
                       (should (equal params (list :query "two" :cwd sessiond-tests--work)))
                       `(:hits [(:info (:path ,path) :distance 1
                                 :snippets [(:entryId "a2" :role "assistant" :text "Two files."
                                             :ranges [[0 3]])])]
                         :total 1)))))
          (sessiond-search "two")
          (should (string-match-p "List the files +6 Two files\\." (sessiond-tests--visible)))
          (sessiond-tests--press "RET")
          (should (eq major-mode 'sessiond-transcript-mode))
          (should (equal (get-text-property (point) 'sessiond-entry) "a2")))))))

;;; Transcripts

(defconst sessiond-tests--transcript
  '("User  2025-06-01 10:00  [start]"
    "List the files"
    ""
    "Assistant  2025-06-01 10:00  p/m"
    "▸ thinking..."
    "▸ bash  ls"
    "▸ Tool result: bash  ls  2025-06-01 10:00..."
    ""
    "Assistant  2025-06-01 10:00  p/m"
    "Two files."
    ""
    "User  2025-06-01 10:00"
    "Thank you"
    "· Label of u1: start")
  "What is seen of `sessiond-tests--talk'.")

(ert-deftest sessiond-transcript-shows-the-branch-and-folds ()
  (sessiond-tests--with
    (sessiond-tests--session "one" :entries (sessiond-tests--talk))
    (sessiond-list)
    (sessiond-tests--press "RET")
    (should (equal (buffer-name) "*sessiond transcript: one*"))
    (apply #'sessiond-tests--sees sessiond-tests--transcript)
    (should buffer-read-only)
    (goto-char (point-min))
    (search-forward "Tool result: bash")
    (sessiond-tests--press "TAB")
    (sessiond-tests--soon (string-match-p "^▸ Tool result: bash  ls  2025-06-01 10:00\n  one\n  two\n\nAssistant"
                                          (sessiond-tests--visible)))
    (sessiond-tests--press "TAB")
    (apply #'sessiond-tests--sees sessiond-tests--transcript)
    (sessiond-tests--press "<backtab>")
    (should (string-match-p "▸ thinking\n  I shall use ls\\.\n  Yes\\.\n▸ bash  ls\n▸ Tool"
                            (sessiond-tests--visible)))
    (goto-char (point-min))
    (sessiond-tests--press "n")
    (should (looking-at "Assistant  "))
    (sessiond-tests--press "p")
    (should (bobp))))

(ert-deftest sessiond-transcript-grows-and-follows-at-the-end ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-transcript path)
      (goto-char (point-max))
      (set-window-point (selected-window) (point-max))
      (sessiond-tests--append path (sessiond-tests--assistant "a3" "l1" (sessiond-tests--text "Bye.")))
      (apply #'sessiond-tests--sees
             (append sessiond-tests--transcript '("" "Assistant  2025-06-01 10:00  p/m" "Bye.")))
      (should (eobp))
      (should (= (window-point) (point-max)))
      (goto-char (point-min))
      (search-forward "Two")
      (set-window-point (selected-window) (point))
      (sessiond-tests--append path (sessiond-tests--user "u9" "a3" "One more"))
      (sessiond-tests--soon (string-match-p "One more" (sessiond-tests--visible)))
      (should (looking-back "Two" 1))
      (should (= (window-point) (point))))))

(ert-deftest sessiond-transcript-turns-to-the-branch-of-the-last-entry ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-transcript path)
      (sessiond-tests--append path (sessiond-tests--user "u4" "u1" "Another way"))
      (sessiond-tests--sees "User  2025-06-01 10:00  [start]" "List the files" ""
                            "User  2025-06-01 10:00" "Another way"))))

(ert-deftest sessiond-transcript-reads-a-rewritten-file-and-tells-of-a-gone-one ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-transcript path)
      (rename-file (sessiond-tests--session
                    "beside" :entries (list (sessiond-tests--user "x" :null "All new")))
                   path t)
      (sessiond-tests--sees "User  2025-06-01 10:00" "All new")
      (delete-file path)
      (sessiond-tests--soon (equal sessiond--status "the file was deleted"))
      (should (string-match-p "the file was deleted" (sessiond--session-header))))))

(ert-deftest sessiond-transcript-draws-a-burst-few-times ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (list (sessiond-tests--user "e0" :null "0"))))
          (drawn 0))
      (sessiond-transcript path)
      (cl-letf* ((add (symbol-function 'sessiond-transcript--add))
                 ((symbol-function 'sessiond-transcript--add)
                  (lambda (entries) (cl-incf drawn) (funcall add entries))))
        (dotimes (n 300)
          (sessiond-tests--append path (sessiond-tests--user (format "e%d" (1+ n)) (format "e%d" n)
                                                             (format "%d" (1+ n))))
          (when (zerop (% n 20)) (accept-process-output nil 0.001)))
        (sessiond-tests--soon (equal sessiond-transcript--last "e300"))
        (should (< drawn 60))
        (should (= (how-many "^User" (point-min)) 301))))))

(ert-deftest sessiond-transcript-shows-any-values-in-a-file ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session
                 "odd" :entries
                 (list (sessiond-tests--entry "a" :null '(:role "user" :content :null))
                       (sessiond-tests--entry "b" "a" '(:role "assistant" :content [1 :null (:type "new")]))
                       (sessiond-tests--entry "c" "b" '(:role "toolResult" :content [(:type "image")]))
                       (sessiond-tests--entry "d" "c" '(:role "bashExecution" :command "ls" :output "x"))
                       (sessiond-tests--assistant
                        "dd" "d" (list :type "toolCall" :id "c" :name "deep" :arguments
                                       (let ((deep [])) (dotimes (_ 400) (setq deep (vector deep)))
                                            deep)))
                       (sessiond-tests--entry "e" "dd" '(:role "future"))
                       '(:type "message" :id "f" :parentId "e" :timestamp 5)
                       '(:type "newest" :id "g" :parentId "f" :timestamp "2025")
                       '(:type "compaction" :id "h" :parentId "g" :timestamp "2025" :summary "s"
                         :tokensBefore 9)
                       '(:type "custom_message" :id "i" :parentId "h" :timestamp "2025"
                         :customType "x" :content "shown" :display t)))))
      (sessiond-transcript path)
      (sessiond-tests--sees "User  2025-06-01 10:00" "" "Assistant  2025-06-01 10:00"
                            "▸ data..." "▸ data..." "▸ new..."
                            "▸ Tool result: unknown  2025-06-01 10:00"
                            "· image unknown type, 0 bytes" ""
                            "Command  2025-06-01 10:00" "$ ls" "x" ""
                            "Assistant  2025-06-01 10:00  p/m"
                            (format "▸ deep  %s…..." (make-string 199 ?\[))
                            "" "future  2025-06-01 10:00"
                            "" "Message  1970-01-01 00:00" "· Entry of type newest"
                            "" "Summary of compacted messages  2025  9 tokens before" "s"
                            "" "x  2025" "shown"))))

(ert-deftest sessiond-transcript-draws-what-the-view-has ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session
                 "one" :entries
                 (list (sessiond-tests--assistant
                        "a" :null '(:type "toolCall" :id "c" :name "edit" :arguments
                                    (:path "a.el" :oldText "x" :newText "y\nz"))
                        '(:type "toolCall" :id "d" :name "bash" :arguments
                          (:command "ls" :env "A\nB" :timeout 5)))
                       '(:type "message" :id "b" :parentId "a" :timestamp "2025-06-01T10:00:01.000Z"
                         :message (:role "assistant" :content [] :stopReason "error"
                                   :errorMessage "over\nloaded" :provider "p" :model "m"
                                   :usage (:input 1 :output 1 :cacheRead 0 :cacheWrite 0
                                           :totalTokens 2
                                           :cost (:input 0 :output 0 :cacheRead 0 :cacheWrite 0
                                                  :total 0.25))))
                       '(:type "message" :id "s" :parentId "b" :timestamp "2025-06-01T10:00:01.000Z"
                         :message (:role "bashExecution" :command "ls" :output "x" :exitCode 2))))))
      (sessiond-transcript path)
      (sessiond-tests--sees "Assistant  2025-06-01 10:00  p/m" "▸ edit  a.el" "-x" "+y" "+z"
                            "▸ bash  ls..."
                            "" "Assistant  2025-06-01 10:00  p/m  $0.2500" "! over loaded"
                            "" "Command  2025-06-01 10:00  exit code 2" "$ ls" "x")
      (goto-char (point-min))
      (search-forward "-x")
      (should (eq (get-text-property (match-beginning 0) 'face) 'diff-removed))
      (search-forward "+y")
      (should (eq (get-text-property (match-beginning 0) 'face) 'diff-added))
      (sessiond-tests--press "<backtab>")
      (should (string-match-p "▸ bash  ls\n  env:\n    A\n    B\n  timeout: 5\n"
                              (sessiond-tests--visible))))))

(ert-deftest sessiond-transcript-joins-results-that-arrive-to-their-calls ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session
                 "one" :entries
                 (list (sessiond-tests--user "u" :null "Go")
                       (sessiond-tests--assistant
                        "a" "u" '(:type "thinking" :thinking "Hm.")
                        '(:type "toolCall" :id "c" :name "bash" :arguments (:command "ls"))
                        '(:type "toolCall" :id "d" :name "edit" :arguments
                          (:path "a.el" :oldText "x" :newText "y")))))))
      (sessiond-transcript path)
      (goto-char (point-min))
      (search-forward "thinking")
      (sessiond-tests--press "TAB")
      ;; What does not change is not drawn again, so it stays unfolded.
      (sessiond-tests--append
       path (sessiond-tests--entry "r" "a" '(:role "toolResult" :toolCallId "c" :toolName "bash"
                                             :content "one")))
      (sessiond-tests--sees "User  2025-06-01 10:00" "Go" ""
                            "Assistant  2025-06-01 10:00  p/m" "▸ thinking" "  Hm." "▸ bash  ls"
                            "▸ edit  a.el" "-x" "+y"
                            "▸ Tool result: bash  ls  2025-06-01 10:00...")
      (should (looking-back "thinking" 1))
      (sessiond-tests--append
       path (sessiond-tests--entry "s" "r" '(:role "toolResult" :toolCallId "d" :toolName "edit"
                                             :content "Done." :details (:diff "-7 x\n+7 y"))))
      (sessiond-tests--sees "User  2025-06-01 10:00" "Go" ""
                            "Assistant  2025-06-01 10:00  p/m" "▸ thinking..." "▸ bash  ls"
                            "▸ edit  a.el"
                            "▸ Tool result: bash  ls  2025-06-01 10:00..."
                            "▸ Tool result: edit  a.el  2025-06-01 10:00..."
                            "    7 -x" "    7 +y")
      (should (looking-back "thinking" 1))
      (sessiond-tests--append path (sessiond-tests--user "v" "s" "Thanks"))
      (sessiond-tests--soon (string-suffix-p "Thanks\n" (sessiond-tests--visible)))
      (should (= (how-many "^Assistant" (point-min)) 1)))))

(ert-deftest sessiond-transcript-reads-page-by-page ()
  (sessiond-tests--with
    (let* ((sessiond-transcript--page 2)
           (path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-transcript path)
      (apply #'sessiond-tests--sees sessiond-tests--transcript)
      (apply #'sessiond-tests--append path
             (mapcar (lambda (n)
                       (sessiond-tests--user (format "e%d" n) (if (= n 0) "l1" (format "e%d" (1- n)))
                                             (format "%d" n)))
                     (number-sequence 0 9)))
      (sessiond-tests--soon (string-suffix-p "\n9\n" (sessiond-tests--visible)))
      (sessiond-tests--append path (sessiond-tests--user "w" "u1" "Another way"))
      (sessiond-tests--sees "User  2025-06-01 10:00  [start]" "List the files" ""
                            "User  2025-06-01 10:00" "Another way"))))

;;; Trees

(ert-deftest sessiond-tree-shows-branches-leaf-and-labels ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-list)
      (sessiond-tests--press "t")
      (should (equal (buffer-name) "*sessiond tree: one*"))
      (let ((lines (split-string (sessiond-tests--visible) "\n" t)))
        (should (equal (length lines) 7))
        (should (equal (nth 0 lines) "• user: List the files  [start]"))
        (should (string-prefix-p "• assistant" (nth 1 lines)))
        (should (string-prefix-p "• toolResult" (nth 2 lines)))
        (should (equal (nthcdr 3 lines)
                       '("• assistant: Two files."
                         "  ├─ user: Delete them"
                         "• └─ user: Thank you"
                         "•    label: start  ← leaf"))))
      (should (equal (get-text-property (point) 'sessiond-entry) "l1"))
      (goto-char (point-min))
      (search-forward "Delete")
      (sessiond-tests--append path (sessiond-tests--user "u4" "l1" "Bye"))
      (sessiond-tests--soon (string-suffix-p "•    label: start\n•    user: Bye  ← leaf\n"
                                             (sessiond-tests--visible)))
      (should (equal (get-text-property (point) 'sessiond-entry) "u2"))
      (sessiond-tests--press "RET")
      (should (equal (buffer-name) "*sessiond transcript: one*"))
      (should (looking-at "User .*\nDelete them\n\\'"))
      (should-not (string-match-p "Thank you" (sessiond-tests--visible)))
      (sessiond-tests--press "g")
      (should (string-match-p "Thank you" (sessiond-tests--visible))))))

(ert-deftest sessiond-tree-shows-deep-sessions ()
  (sessiond-tests--with
    (let* ((count 3000)
           (path (sessiond-tests--session
                  "deep" :entries
                  (cl-loop for n below count
                           collect (sessiond-tests--user
                                    (format "e%d" n) (if (zerop n) :null (format "e%d" (1- n)))
                                    (format "%d" n))))))
      (sessiond-tree path)
      (should (= (count-lines (point-min) (point-max)) count))
      (should (equal (get-text-property (point) 'sessiond-entry) "e2999")))))

;;; Commands, starting and ending

(ert-deftest sessiond-rename-asks-for-a-session ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt table &rest _)
                   (let ((metadata (completion-metadata "" table nil)))
                     (should (eq (completion-metadata-get metadata 'category) 'sessiond-session))
                     (should (string-match-p "  6 messages  ~/work\\'"
                                             (funcall (completion-metadata-get
                                                       metadata 'annotation-function)
                                                      "List the files"))))
                   (car (all-completions "" table))))
                ((symbol-function 'read-string) (lambda (&rest _) "Named")))
        (call-interactively #'sessiond-rename))
      (should (equal (plist-get (sessiond-tests--last-line path) :name) "Named"))
      (sessiond-transcript path)
      (should (equal (buffer-name) "*sessiond transcript: Named*"))
      (sessiond-tests--answering "Other" "r")
      (sessiond-tests--soon (equal (buffer-name) "*sessiond transcript: Other*"))
      (sessiond-tests--soon (string-prefix-p "Other  transcript  ~/work"
                                             (sessiond--session-header))))))

(ert-deftest sessiond-says-what-to-do-without-the-program ()
  (sessiond-tests--with
    (let* ((sessiond-program "no-such-sessiond")
           (oops (should-error (sessiond-list) :type 'user-error)))
      (should (equal (cadr oops) "sessiond: Program no-such-sessiond not found; install sessiond (pip install . in a checkout) or set `sessiond-program'"))
      (should-not (get-buffer "*sessiond: ~/work*")))
    (let ((sessiond-options '("--no-such-option")))
      (sessiond-list)
      (sessiond-tests--soon (and sessiond--status
                                 (string-match-p "sessiond ended with code 2: .*--no-such-option"
                                                 sessiond--status))))))

(ert-deftest sessiond-ends-a-daemon-that-refuses-to-start ()
  (sessiond-tests--with
    (cl-flet ((running () (seq-filter #'process-live-p (process-list))))
      (let ((before (running)) (lost 0))
        (let ((sessiond-lost-functions (list (lambda (&rest _) (cl-incf lost)))))
          (should (string-match-p "profile"
                                  (cadr (should-error (sessiond-connect
                                                       :initialize '(:profile "no-such-agent"))
                                                      :type 'sessiond-lost))))
          (sessiond-tests--soon (equal (running) before))
          (should (= lost 1)))))))

(ert-deftest sessiond-refuses-a-daemon-of-another-version-by-one-error ()
  (sessiond-tests--with
    (let ((script (expand-file-name "../../../tests/two_clients/other_version.py"
                                    sessiond-tests--folder)))
      (dolist (mode '("refuses" "ignores"))
        (should (string-match-p
                 "\\`\\(The\\|This\\) daemon speaks protocol version 2"
                 (cadr (should-error (sessiond-connect :program "python3" :options (list script mode))
                                     :type 'sessiond-lost))))))))

(ert-deftest sessiond-does-not-block-the-first-command ()
  (let ((sessiond-tests--started nil))
    (sessiond-tests--with
      (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
            (wait (symbol-function 'accept-process-output)))
        (cl-letf (((symbol-function 'accept-process-output)
                   (lambda (&rest _) (ert-fail "the first command waited"))))
          (sessiond-list))
        (should (equal sessiond--status "starting sessiond…"))
        (should (eq wait (symbol-function 'accept-process-output)))
        (should (equal (buffer-string) " starting sessiond…"))
        (sessiond-tests--soon (string-match-p "List the files" (sessiond-tests--visible)))
        (should-not sessiond--status)
        (sessiond-stop)
        (sessiond-transcript path "u1")
        (sessiond-tests--soon (looking-at-p "List the files\\|User")))
      (cl-letf (((symbol-function 'sessiond--wait-until-ready)
                 (lambda (&rest _) (ert-fail "a directory without sessions waited"))))
        (let ((default-directory temporary-file-directory))
          (sessiond-list)
          (sessiond-tests--soon (string-match-p "There are no sessions of this directory"
                                                (sessiond-tests--visible))))))))

(ert-deftest sessiond-stops-a-daemon-that-is-still-starting ()
  (let ((sessiond-tests--started nil))
    (sessiond-tests--with
      (sessiond-list)
      (let ((client sessiond--client))
        (should (eq (sessiond-client-state client) 'starting))
        (sessiond-stop)
        (should (eq (sessiond-client-state client) 'ended))
        (should-not (eq (sessiond-client-exit-code client) 0))))))

(ert-deftest sessiond-list-deletes-what-programs-only-show ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))) transcript)
      (sessiond-transcript path)
      (setq transcript (current-buffer))
      (bury-buffer)
      (let ((default-directory (concat sessiond-tests--work "/"))) (sessiond-list))
      (sessiond-tests--answering t "D")
      (should-not (file-exists-p path))
      (should-not (buffer-live-p transcript)))))

(ert-deftest sessiond-list-asks-again-before-it-deletes-what-a-program-writes ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
          (answers '(t nil t t)) (asked nil) transcript)
      (sessiond-transcript path)
      (setq transcript (current-buffer))
      (bury-buffer)
      (let ((default-directory (concat sessiond-tests--work "/"))) (sessiond-list))
      (sessiond-open sessiond--client (list :path path))
      (cl-letf (((symbol-function 'yes-or-no-p)
                 (lambda (question) (push question asked) (pop answers))))
        (sessiond-tests--press "D")
        (should (string-prefix-p "Session is open on this connection as "
                                 (car asked)))
        (should (string-search path (car asked)))
        (should (file-exists-p path))
        (with-current-buffer transcript (should (sessiond--attached-p)))
        (sessiond-tests--press "D"))
      (should-not answers)
      (should-not (file-exists-p path))
      (should-not (buffer-live-p transcript)))))

(ert-deftest sessiond-shows-names-and-errors-as-they-are-in-its-header ()
  (sessiond-tests--with
    (let* ((work (concat sessiond-tests--home "/50%d\u202e%f"))
           (path (sessiond-tests--session
                  "one" :cwd work
                  :entries (list (sessiond-tests--user "u" :null "%b is 100%- of %%b" 1)))))
      (sessiond-transcript path)
      (setq sessiond--status "%n")
      (sessiond-tests--soon (string-match-p "of" (sessiond--session-header)))
      (let ((header (sessiond--session-header)))
        (should (string-prefix-p "%%b is 100%%- of %%%%b  " header))
        (should (string-search "/50%%d\ufffd%%f  %%n" header)))
      (let ((default-directory (concat work "/")))
        (make-directory work)
        (sessiond-list))
      (setq sessiond--status "%b")
      (should (equal (eval (cadr mode-line-process)) " %%b"))
      (should (string-search "50%d\ufffd%f" (buffer-name))))))

(ert-deftest sessiond-header-tells-of-damage ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (write-region "no entry 100%\n" nil path t 'silent)
      (sessiond-transcript path)
      (should (string-match-p "line 9: " (sessiond--session-header)))
      (write-region "neither\n" nil path t 'silent)
      (sessiond-tests--append path (sessiond-tests--user "v" "l1" "Thanks"))
      (sessiond-tests--soon (string-match-p "(and 1 more)" (sessiond--session-header))))))

;;; What can be done with a session

(defun sessiond-tests--lines (path)
  "Return the entries of the file PATH."
  (with-temp-buffer
    (insert-file-contents path)
    (mapcar (lambda (line) (json-parse-string line :object-type 'plist :null-object :null))
            (split-string (buffer-string) "\n" t))))

(defun sessiond-tests--last (path)
  "Return the last entry of the file PATH."
  (car (last (sessiond-tests--lines path))))

(defmacro sessiond-tests--showing (path entry &rest body)
  "Do BODY in the transcript of PATH, with point at ENTRY."
  (declare (indent 2) (debug t))
  `(progn
     (sessiond-transcript ,path)
     (sessiond-tests--soon (gethash ,entry sessiond-transcript--positions))
     (goto-char (gethash ,entry sessiond-transcript--positions))
     ,@body))

(ert-deftest sessiond-replies-to-the-branch-that-is-shown ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-tests--showing path "u3"
        (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "And now?")))
          (sessiond-tests--press "c"))
        (let ((entry (sessiond-tests--last path)))
          (should (equal (plist-get entry :parentId) "l1"))
          (should (equal (plist-get (plist-get entry :message) :role) "user")))
        (sessiond-tests--soon (string-match-p "And now\\?" (sessiond-tests--visible)))
        (should-error (sessiond-reply path "  ") :type 'user-error)))))

(ert-deftest sessiond-does-not-reply-past-what-nobody-has-read ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-tests--showing path "u3"
        ;; What was written is known to the daemon at once, and to this buffer not before it waits.
        (sessiond-tests--append path (sessiond-tests--user "new" "l1" "Wait"))
        (cl-letf (((symbol-function 'sessiond--tip-here)
                   (lambda (_path) '(:expectedTipId "l1"))))
          (should-error (sessiond-reply path "Go on") :type 'user-error))
        (should (equal (plist-get (sessiond-tests--last path) :id) "new"))))))

(ert-deftest sessiond-branches-and-labels-at-an-entry ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-tests--showing path "a2"
        (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "again")))
          (sessiond-tests--press "b"))
        (let ((entry (sessiond-tests--last path)))
          (should (equal (list (plist-get entry :type) (plist-get entry :parentId)
                               (plist-get entry :targetId) (plist-get entry :label))
                         '("label" "a2" "a2" "again")))))
      (sessiond-tests--showing path "u1"
        (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "begin")))
          (sessiond-tests--press "L"))
        (should (equal (plist-get (sessiond-tests--last path) :label) "begin"))
        (sessiond-tests--press "u")
        (should (equal (plist-get (sessiond-tests--last path) :label) "start"))))))

(ert-deftest sessiond-forks-with-the-results-of-calls ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-tests--showing path "a1"
        (sessiond-tests--press "F")
        (sessiond-tests--soon (not (equal sessiond--path path)))
        (should (equal (seq-filter (lambda (id) (member id '("u1" "a1" "r1" "a2")))
                                   (mapcar (lambda (each) (plist-get each :id))
                                           (sessiond-tests--lines sessiond--path)))
                       '("u1" "a1" "r1")))
        (should (equal (plist-get (car (sessiond-tests--lines sessiond--path)) :cwd)
                       sessiond-tests--work))))))

(ert-deftest sessiond-undoes-what-was-deleted-and-named ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond--rename path "A name")
      (cl-letf (((symbol-function 'yes-or-no-p) #'always)
                ((symbol-function 'sessiond--subject) (lambda () path)))
        (call-interactively #'sessiond-delete))
      (should-not (file-exists-p path))
      (sessiond-undo)
      (should (file-exists-p path))
      (sessiond-undo)
      (should (equal (plist-get (sessiond-tests--last path) :type) "session_info"))
      (should (equal (plist-get (sessiond-tests--last path) :name) ""))
      (should (string-match-p "Nothing" (progn (sessiond-undo) (or (current-message) "Nothing"))))
      (let ((inhibit-message t))
        (sessiond--delete path)
        (sessiond-restore path))
      (should (file-exists-p path)))))

(ert-deftest sessiond-exports-and-checks-and-repairs ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (list (sessiond-tests--user "u1" :null "List the files"))))
          (page (concat sessiond-tests--home "/page.html")))
      (sessiond-export path page)
      (should (string-match-p "List the files"
                              (with-temp-buffer (insert-file-contents page) (buffer-string))))
      (should-error (sessiond-export path (concat page ".pdf")) :type 'user-error)
      (sessiond-check path)
      (should-not (get-buffer "*sessiond check*"))
      (write-region "{half a line\n" nil path t 'silent)
      (sessiond-tests--append path (sessiond-tests--user "v" "u1" "Thanks"))
      (sessiond-check path)
      (should (string-match-p ":3: " (sessiond-tests--visible "*sessiond check*")))
      (cl-letf (((symbol-function 'yes-or-no-p) #'always)) (sessiond-repair path))
      (should (directory-files (file-name-directory path) nil "\\.bak-"))
      (should (equal (plist-get (sessiond-tests--last path) :id) "v")))))

(ert-deftest sessiond-shows-usage-and-compares-branches ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-usage "model")
      (sessiond-tests--soon (string-match-p "p/m" (sessiond-tests--visible "*sessiond usage*")))
      (sessiond-tests--showing path "u3" (sessiond-diff path "u2"))
      (sessiond-tests--soon (string-match-p "Delete them"
                                            (sessiond-tests--visible "*sessiond diff*")))
      (sessiond-tests--soon (with-current-buffer "*sessiond diff*"
                              (derived-mode-p 'diff-mode))))))

(ert-deftest sessiond-resumes-in-a-terminal ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (process-environment (cons "SESSIOND_AGENT_COMMAND=echo resumed" process-environment)))
      (sessiond-resume path)
      (sessiond-tests--soon (string-match-p "resumed" (sessiond-tests--visible)))
      (should (string-match-p "one\\.jsonl" (sessiond-tests--visible)))
      (let ((kill-buffer-query-functions nil)) (kill-buffer)))))

(ert-deftest sessiond-menu-has-one-command-for-each-key ()
  (sessiond-tests--with
    (sessiond-tests--session "one" :entries (sessiond-tests--talk))
    (sessiond-list)
    (sessiond-tests--press "?")
    (unwind-protect
        (let ((keys (mapcar (lambda (suffix) (oref suffix key)) transient--suffixes)))
          (should (equal keys (delete-dups (copy-sequence keys)))))
      (transient--emergency-exit))))

(ert-deftest sessiond-sends-no-notification-to-a-process-that-has-ended ()
  (sessiond-tests--with
    (let* ((client (sessiond--current-client))
           (process (sessiond--child (sessiond-client-connection client))))
      (signal-process process 'SIGKILL)
      (while (process-live-p process) (sleep-for 0 1) (process-status process))
      (sessiond-notify client "$/cancelRequest" (list :id 1000)))))

(ert-deftest sessiond-runs-in-a-session-of-its-own-and-ends-with-emacs ()
  (sessiond-tests--with
    (let* ((script (concat sessiond-tests--home "/editor.el"))
           (library (expand-file-name "../build" sessiond-tests--folder))
           (output (generate-new-buffer " *editor*"))
           editor daemon)
      (with-temp-file script
        (prin1 '(progn (require 'sessiond)
                       (message "%d" (plist-get (sessiond-request (sessiond--current-client) "daemon/status")
                                                :pid))
                       (while t (sleep-for 1)))
               (current-buffer)))
      (unwind-protect
          (progn
            (setq editor (make-process :name "editor" :buffer output :connection-type 'pipe
                                       :command (list (expand-file-name invocation-name
                                                                        invocation-directory)
                                                      "-Q" "--batch" "-L" library "-l" script)))
            (sessiond-tests--soon (with-current-buffer output
                                    (goto-char (point-min))
                                    (re-search-forward "^[0-9]+$" nil t)))
            (setq daemon (string-to-number (with-current-buffer output (match-string 0))))
            (should (equal (alist-get 'pgrp (process-attributes daemon)) daemon))
            (signal-process editor 'SIGKILL)
            (sessiond-tests--soon (null (process-attributes daemon))))
        (delete-process editor)
        (kill-buffer output)))))

(ert-deftest sessiond-tells-no-loss-when-it-is-shut-down ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (kinds nil) (lost 0)
           (sessiond-lost-functions (list (lambda (&rest _) (cl-incf lost))))
           (client (sessiond-connect)))
      (sessiond-open client (list :path path)
                     :on-change (lambda (change) (push (plist-get change :kind) kinds)))
      (sessiond-shutdown client)
      (should (equal kinds '("ended")))
      (should (= lost 0)))))

(ert-deftest sessiond-builds-answers-with-all-that-pi-needs ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (session (sessiond-open (sessiond--current-client) (list :path path)))
           (message (sessiond-assistant-message "Hi" "p" "m" :api "x"))
           (id (plist-get (sessiond-request session "session/appendMessage" (list :message message))
                          :id)))
      (should (equal (plist-get message :stopReason) "stop"))
      (should (equal (sessiond-session-leaf session) id))
      (should (equal (sessiond-session-tip session) id)))))

(ert-deftest sessiond-opens-by-id-and-makes-no-session-unless-asked ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (missing (concat sessiond-tests--home "/missing.jsonl"))
           (open (lambda (&rest params)
                   (sessiond-session-state
                    (sessiond-open (sessiond--current-client) params)))))
      (should (equal (plist-get (funcall open :id "one") :sessionFile) path))
      (dolist (params (list '(:id "unknown") (list :path missing)))
        (should-error (apply open params) :type 'sessiond-session-not-found))
      (should (equal (plist-get (funcall open :path missing :mustExist :json-false) :entryCount)
                     0)))))

(ert-deftest sessiond-loses-a-session-whose-file-is-gone-after-a-crash ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (kept (sessiond-tests--session "two" :entries (sessiond-tests--talk)))
           (client (sessiond--current-client))
           (events nil) (changes nil) (reconnected nil)
           (sessiond-reconnected-functions
            (list (lambda (_client lost) (setq reconnected (cons t lost)))))
           (session (sessiond-open client (list :path path)
                                   :on-change (lambda (change) (push change changes))))
           (other (sessiond-open client (list :path kept)
                                 :on-change (lambda (change) (push change changes)))))
      (sessiond-subscribe client (list :cwd sessiond-tests--work)
                          (lambda (event) (push (plist-get event :kind) events)))
      (delete-file path)
      (sessiond-tests--crash)
      (sessiond-tests--soon reconnected)
      (should (equal (cdr reconnected) (list session)))
      (should-not (file-exists-p path))
      (should-error (sessiond-request session "session/getState") :type 'sessiond-session-not-found)
      (should (equal (sort (delete-dups (mapcar (lambda (change) (plist-get change :kind))
                                                (seq-remove (lambda (change)
                                                              (equal (plist-get change :kind) "deleted"))
                                                            changes)))
                           #'string<)
                     '("lost" "reconnected")))
      (should (equal (car events) "reconnected"))
      (sessiond-tests--append kept (sessiond-tests--user "u9" "l1" "Again" 0))
      (sessiond-tests--soon (equal (car events) "changed"))
      (should-not (file-exists-p path))
      (sessiond-close other))))

(ert-deftest sessiond-loses-a-session-whose-file-is-another-session-after-a-crash ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (session (sessiond-open (sessiond--current-client) (list :path path))))
      (signal-process (sessiond--child (sessiond-client-connection sessiond--client)) 'SIGSTOP)
      (delete-file path)
      (rename-file (sessiond-tests--session "other" :entries (sessiond-tests--talk)) path)
      (sessiond-tests--crash)
      (should (string-match-p "another session"
                              (cadr (should-error (sessiond-request session "session/getEntries")))))
      (should (= (plist-get (sessiond-request sessiond--client "daemon/status") :openSessions) 0)))))

(ert-deftest sessiond-keeps-the-leaf-of-a-following-session-across-a-crash ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (open (lambda () (sessiond-open (sessiond--current-client) (list :path path :follow t))))
           (back (funcall open))
           (following (funcall open))
           (leaf (lambda (session)
                   (plist-get (sessiond-request session "session/getLeafId") :leafId))))
      (sessiond-request back "session/branch" '(:entryId "u2"))
      (dotimes (_ 2)
        (sessiond-tests--crash)
        (should (equal (funcall leaf back) "u2")))
      (sessiond-tests--append path (sessiond-tests--user "u9" "l1" "Again" 0))
      (sessiond-tests--soon (equal (funcall leaf following) "u9"))
      (sessiond-tests--crash)
      (should (equal (funcall leaf following) "u9")))))

(ert-deftest sessiond-keeps-an-empty-session-across-a-crash ()
  (sessiond-tests--with
    (let ((session (sessiond-open (sessiond--current-client) (list :cwd sessiond-tests--work)
                                  :method "session/create"))
          (append (lambda (session)
                    (plist-get (sessiond-request
                                session "session/appendMessage"
                                (list :message (sessiond-user-text "hello")))
                               :id))))
      (sessiond-tests--crash)
      (should (funcall append session))
      (sessiond-request session "session/newSession")
      (sessiond-tests--crash)
      (should (funcall append session))
      ;; It is no longer empty, even if its leaf is before the first entry.
      (sessiond-request session "session/resetLeaf")
      (delete-file (plist-get (sessiond-session-state session) :sessionFile))
      (sessiond-tests--crash)
      (should-error (funcall append session) :type 'sessiond-session-not-found))))

(ert-deftest sessiond-keeps-a-subscription-to-stores-across-a-crash ()
  (sessiond-tests--with
    (let* ((sessiond-profile "coderclaw")
           (store (concat sessiond-tests--home "/.coderclaw/agents/main/sessions/sessions.json"))
           (events nil))
      (make-directory (file-name-directory store) t)
      (write-region "{}" nil store nil 'silent)
      (sessiond-subscribe (sessiond--current-client) nil
                          (lambda (event) (push event events)) :family "gateway")
      (sessiond-tests--crash)
      (sessiond-tests--soon (equal (plist-get (car events) :kind) "reconnected"))
      (write-region "{\"agent:main:main\":{\"sessionId\":\"one\",\"updatedAt\":1}}" nil store nil
                    'silent)
      (sessiond-tests--soon (equal (plist-get (car events) :kind) "changed"))
      (should (equal (plist-get (elt (plist-get (car events) :changes) 0) :sessionKey)
                     "agent:main:main")))))

(ert-deftest sessiond-reads-page-by-page ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (client (sessiond--current-client))
           (session (sessiond-open client (list :path path)))
           (ids nil) (done nil))
      (sessiond-each-entry session (lambda (entry) (push (plist-get entry :id) ids))
                           (lambda (oops) (setq done (list oops))) '(:limit 2))
      (sessiond-tests--soon done)
      (should (equal (list done (reverse ids))
                     '((nil) ("u1" "a1" "r1" "a2" "u2" "u3" "l1"))))
      (setq ids nil done nil)
      (sessiond-each-entry session (lambda (entry) (push (plist-get entry :id) ids)
                                     (when (equal (plist-get entry :id) "r1") 'stop))
                           (lambda (oops) (setq done (list oops))) '(:limit 2))
      (sessiond-tests--soon done)
      (should (equal (reverse ids) '("u1" "a1" "r1")))
      (setq done nil ids nil)
      (sessiond-each-session client (list :cwd sessiond-tests--work)
                             (lambda (info) (push (plist-get info :path) ids))
                             (lambda (_) (sessiond-each-match
                                          client "files"
                                          (lambda (hit) (push (plist-get (plist-get hit :info) :path)
                                                              ids))
                                          (lambda (oops) (setq done (list oops))))))
      (sessiond-tests--soon done)
      (should (equal (list done ids) (list '(nil) (list path path))))
      (setq done nil)
      (sessiond-each-match client "(" #'ignore (lambda (oops) (setq done oops)) '(:mode "regex"))
      (sessiond-tests--soon done)
      (should (equal (plist-get (plist-get done :data) :kind) "InvalidQuery")))))

(ert-deftest sessiond-errors-have-conditions-by-code ()
  (sessiond-tests--with
    (let ((client (sessiond--current-client)))
      (should-error (sessiond-request client "no/such") :type 'sessiond-method-not-found)
      (should-error (sessiond-request client "session/open" '(:path 1))
                    :type 'sessiond-invalid-params)
      (sessiond-shutdown client)
      (should-error (sessiond-request client "session/listAll") :type 'sessiond-lost))))

(ert-deftest sessiond-has-an-index-and-a-menu ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-transcript path)
      (should (equal (mapcar #'car (funcall imenu-create-index-function))
                     '("User: List the files" "Assistant: ▸ thinking"
                       "Assistant: Two files." "User: Thank you")))
      (imenu "User: Thank you")
      (should (looking-at-p "User"))
      (sessiond-tests--press "?")
      (should (eq transient-current-prefix nil))
      (should (eq (oref transient--prefix command) 'sessiond-menu))
      (transient--emergency-exit)
      (sessiond-tree path)
      (should (equal (mapcar #'car (funcall imenu-create-index-function))
                     '("user: List the files  [start]" "user: Delete them" "user: Thank you"))))))

(ert-deftest sessiond-continues-after-a-crash ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (sessiond-list)
      (let ((list (current-buffer)))
        (sessiond-transcript path)
        (sessiond-tests--crash)
        (sessiond-tests--append path (sessiond-tests--user "u4" "l1" "Still there?" 0))
        (sessiond-tests--soon (string-match-p "Still there\\?" (sessiond-tests--visible)))
        (sessiond-tests--append path (sessiond-tests--user "u5" "u4" "Hello?" 0))
        (sessiond-tests--soon (string-match-p "Hello\\?" (sessiond-tests--visible)))
        (with-current-buffer list
          (sessiond-tests--soon (string-match-p "List the files +8" (sessiond-tests--visible))))))))

(ert-deftest sessiond-appends-once-across-a-crash ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (session (sessiond-open (sessiond--current-client) (list :path path)))
           (answers nil))
      (sessiond-request session "session/branch" '(:entryId "u2"))
      (dotimes (n 50)
        (when (= n 25) (sessiond-tests--crash))
        (sessiond-request-async session "session/appendCustomEntry"
                                (list :customType "n" :data n)
                                (lambda (answer) (push (plist-get answer :id) answers))))
      (sessiond-tests--soon (= (length answers) 50))
      (let ((branch (plist-get (sessiond-request session "session/getBranch") :entries)))
        (should (equal (seq-map (lambda (entry) (plist-get entry :id)) (seq-drop branch 5))
                       (reverse answers)))
        (should (equal (plist-get (elt branch 4) :id) "u2"))))))

(defun sessiond-tests--proxied (method moment)
  "Let later clients talk through a proxy that does MOMENT at METHOD; see proxy.py.
Return the file of its log, and the file that holds back answers."
  (let ((log (concat sessiond-tests--home "/proxy.log"))
        (fuse (concat sessiond-tests--home "/fuse")))
    (setq sessiond-options
          (list (expand-file-name "../../../tests/two_clients/proxy.py" sessiond-tests--folder)
                log fuse method moment "0" "--" (sessiond--program nil))
          sessiond-program "python3")
    (list log fuse)))

(defmacro sessiond-tests--with-proxy (method moment &rest body)
  "Do BODY with a daemon behind a proxy that does MOMENT at METHOD."
  (declare (indent 2) (debug t))
  `(let ((sessiond-tests--started nil)
         (sessiond-program nil)
         (sessiond-options nil))
     (sessiond-tests--with
       (sessiond-tests--proxied ,method ,moment)
       (sessiond--current-client)
       ,@body)))

(defun sessiond-tests--crash-behind ()
  "Kill the daemon behind the proxy."
  (signal-process (plist-get (sessiond-request sessiond--client "daemon/status") :pid) 'SIGKILL))

(ert-deftest sessiond-transcript-shows-the-newer-of-two-answers ()
  (sessiond-tests--with-proxy "session/getView" "late"
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (fuse (nth 2 (cdr (sessiond-client-command sessiond--client))))
           (changed (symbol-function 'sessiond-transcript--changed))
           (buffer (progn (sessiond-transcript path) (current-buffer)))
           (heard nil)
           (others (lambda ()
                     (seq-remove (lambda (request)
                                   (equal (sessiond--request-method request) "session/getView"))
                                 (sessiond-client-requests sessiond--client))))
           (timer (run-at-time
                   0 0.02
                   (lambda ()
                     (with-current-buffer buffer
                       (when (and heard (not sessiond--timer) (not (funcall others)))
                         (ignore-errors (delete-file fuse))))))))
      (write-region "" nil fuse nil 'silent)
      (cl-letf (((symbol-function 'sessiond-transcript--changed)
                 (lambda (kind)
                   (setq heard t)
                   (funcall changed kind))))
        (run-at-time 0 nil (lambda ()
                             (sessiond-tests--append
                              path (sessiond-tests--user "u4" "l1" "Still there?" 0))))
        (unwind-protect (sessiond-transcript-refresh)
          (cancel-timer timer)))
      (sessiond-tests--soon (string-match-p "Still there\\?" (sessiond-tests--visible))))))

(ert-deftest sessiond-reports-a-restart-before-later-changes ()
  (sessiond-tests--with-proxy "session/open" "change"
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (kinds nil)
           (session (sessiond-open sessiond--client (list :path path)
                                   :on-change (lambda (change)
                                                (push (plist-get change :kind) kinds)))))
      (sessiond-request session "session/branch" '(:entryId "u2"))
      (dotimes (_ 2)
        (sessiond-tests--crash-behind)
        (should (equal (plist-get (sessiond-request session "session/getLeafId") :leafId) "u2")))
      (should (equal (reverse kinds)
                     '("appended" "reconnected" "appended" "reconnected" "appended")))))
  (sessiond-tests--with-proxy "catalog/subscribe" "change"
    (sessiond-tests--session "one" :entries (sessiond-tests--talk))
    (let ((kinds nil))
      (sessiond-subscribe sessiond--client (list :cwd sessiond-tests--work)
                          (lambda (change) (push (plist-get change :kind) kinds)))
      (sessiond-tests--crash-behind)
      (sessiond-tests--soon (length= kinds 3))
      (should (equal (reverse kinds) '("changed" "reconnected" "changed"))))))

(ert-deftest sessiond-shows-again-what-was-open-before-a-stop ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (list (progn (sessiond-list) (current-buffer)))
           (transcript (progn (sessiond-transcript path) (current-buffer)))
           (tree (progn (sessiond-tree path) (current-buffer))))
      (sessiond-stop)
      (with-current-buffer transcript
        (should (string-match-p "press g" sessiond--status)))
      (sessiond-tests--append path (sessiond-tests--user "u4" "l1" "Still there?" 0))
      (sessiond--current-client)
      (dolist (buffer (list transcript tree))
        (with-current-buffer buffer
          (sessiond-tests--soon (string-match-p "Still there\\?" (sessiond-tests--visible)))
          (should-not sessiond--status)))
      (with-current-buffer list
        (sessiond-tests--soon (string-match-p "List the files +7" (sessiond-tests--visible))))
      (should (= (plist-get (sessiond-request sessiond--client "daemon/status") :openSessions) 2)))))

(ert-deftest sessiond-opens-a-session-once-that-is-shown-twice-while-it-starts ()
  (let ((sessiond-tests--started nil))
    (sessiond-tests--with
      (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
        (sessiond-transcript path)
        (sessiond-transcript path)
        (sessiond-tests--soon (string-match-p "Thank you" (sessiond-tests--visible)))
        (should (= (plist-get (sessiond-request sessiond--client "daemon/status") :openSessions) 1))))))

(ert-deftest sessiond-gives-up-on-a-program-that-keeps-crashing ()
  (sessiond-tests--with
    (let* ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (session (sessiond-open (sessiond--current-client) (list :path path)))
           (start (symbol-function 'sessiond--start))
           (starts 1))
      (cl-letf (((symbol-function 'sessiond--start)
                 (lambda (client)
                   (cl-incf starts)
                   (funcall start client)
                   (sessiond-tests--crash))))
        (sessiond-tests--crash)
        (should (string-match-p "sessiond ended with code 9"
                                (cadr (should-error (sessiond-request session "session/getState")
                                                    :type 'sessiond-error))))
        (should (eq (sessiond-client-state sessiond--client) 'ended))
        (should (= starts 3)))
      (sessiond-list)
      (sessiond-tests--soon (eq (sessiond-client-state sessiond--client) 'ready)))))

(ert-deftest sessiond-tells-of-a-session-lost-with-the-process ()
  (sessiond-tests--with
    (let ((session (sessiond-open (sessiond--current-client) '(:cwd "/w") :method "session/inMemory")))
      (sessiond-tests--crash)
      (should (equal (cadr (should-error (sessiond-request session "session/getState")))
                     "The session was in memory and ended with sessiond")))))

(ert-deftest sessiond-errors-have-conditions-by-kind ()
  (sessiond-tests--with
    (let ((oops (should-error (sessiond-open (sessiond--current-client)
                                             '(:path "/no/such.jsonl" :mustExist t))
                              :type 'sessiond-session-not-found)))
      (should (equal (plist-get (nth 2 oops) :code) 1002)))))

(ert-deftest sessiond-cancels-a-request-that-is-quit ()
  (sessiond-tests--with
    (let ((client (sessiond--current-client)) sent)
      (cl-letf* ((send (symbol-function 'sessiond--transmit-notification))
                 ((symbol-function 'sessiond--transmit-notification)
                  (lambda (client method params)
                    (push method sent)
                    (funcall send client method params))))
        (catch 'quit
          (cl-letf (((symbol-function 'accept-process-output)
                     (lambda (&rest _) (throw 'quit nil))))
            (sessiond-request client "session/listAll"))))
      (should (equal sent '("$/cancelRequest")))
      (should (plist-get (sessiond-request client "daemon/status") :pid)))))

;; Each daemon counts its handles from the start, so an old one may be another session's in a new daemon.

(ert-deftest sessiond-sends-nothing-to-a-closed-session-after-a-crash ()
  (sessiond-tests--with
    (let* ((client (sessiond--current-client))
           (path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (closed (sessiond-open client '(:cwd "/w") :method "session/inMemory"))
           (open (sessiond-open client (list :path path))))
      (sessiond-close closed)
      (sessiond-tests--crash)
      (should-error (sessiond-request closed "session/appendCustomEntry" '(:customType "misplaced"))
                    :type 'sessiond-unknown-session)
      (sessiond-close closed)
      (should (= (plist-get (sessiond-request open "session/getState") :entryCount) 7)))))

(ert-deftest sessiond-closes-nothing-else-across-a-crash ()
  (sessiond-tests--with
    (let* ((client (sessiond--current-client))
           (path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (changes nil)
           (closed (sessiond-open client '(:cwd "/w") :method "session/inMemory"))
           (open (sessiond-open client (list :path path)))
           (ended (sessiond-subscribe client '(:cwd "/w") #'ignore)))
      (sessiond-subscribe client (list :cwd sessiond-tests--work)
                          (lambda (change) (push (plist-get change :kind) changes)))
      (sessiond-tests--crash (lambda ()
                               (sessiond-close closed)
                               (sessiond-unsubscribe ended)))
      (should (= (plist-get (sessiond-request open "session/getState") :entryCount) 7))
      (sessiond-tests--append path (sessiond-tests--user "u4" "l1" "Still there?" 0))
      (sessiond-tests--soon (equal changes '("changed" "reconnected"))))))

(ert-deftest sessiond-closes-what-a-cancelled-request-opened ()
  (sessiond-tests--with
    (let ((client (sessiond--current-client)))
      (cl-flet ((quit-in (function)
                  (catch 'quit
                    (cl-letf (((symbol-function 'accept-process-output)
                               (lambda (&rest _) (throw 'quit nil))))
                      (funcall function)))))
        (quit-in (lambda () (sessiond-open client '(:cwd "/w") :method "session/inMemory")))
        (quit-in (lambda () (sessiond-subscribe client '(:cwd "/w") #'ignore)))
        (sessiond-request client "daemon/status")
        (let ((status (sessiond-request client "daemon/status")))
          (should (= (plist-get status :openSessions) 0)))
        (should-not (sessiond-client-subscriptions client))))))

(ert-deftest sessiond-does-not-send-what-was-cancelled-while-it-starts ()
  (sessiond-tests--with
    (let* ((client (sessiond--current-client))
           (path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (session (sessiond-open client (list :path path))))
      (cl-flet ((cancel ()
                  (sessiond-cancel session (sessiond-request-async
                                            session "session/appendCustomEntry"
                                            '(:customType "c") #'ignore #'ignore))))
        (sessiond-tests--crash #'cancel)
        (sessiond-tests--soon (eq (sessiond-client-state client) 'starting))
        (cancel))
      (should (= (plist-get (sessiond-request session "session/getState") :entryCount) 7)))))

(ert-deftest sessiond-fails-only-the-request-that-is-no-json ()
  (let ((client (sessiond-start :environment (list "SESSIOND_SHARED=0")))
        (answers nil))
    (unwind-protect
        (progn
          (sessiond-request-async client "daemon/status" (list :x (current-buffer)) #'ignore
                                  (lambda (oops) (push (plist-get oops :code) answers)))
          (sessiond-request-async client "daemon/status" nil
                                  (lambda (_) (push 'status answers)))
          (sessiond-tests--soon (equal answers '(status -32602))))
      (sessiond-shutdown client))))

(ert-deftest sessiond-connect-ends-what-it-started-when-it-is-quit ()
  (sessiond-tests--with
    (let (process)
      (catch 'quit
        (cl-letf (((symbol-function 'sessiond--wait-until-ready)
                   (lambda (client)
                     (setq process (sessiond--process client))
                     (throw 'quit nil))))
          (sessiond-connect)))
      (should-not (process-live-p process)))))

(ert-deftest sessiond-closes-sessions-of-killed-buffers ()
  (sessiond-tests--with
    (let ((path (sessiond-tests--session "one" :entries (sessiond-tests--talk))))
      (cl-flet ((open () (plist-get (sessiond-request sessiond--client "daemon/status") :openSessions)))
        (sessiond-transcript path)
        (sessiond-tree path)
        (should (= (open) 2))
        (kill-buffer)
        (kill-buffer "*sessiond transcript: one*")
        (should (= (open) 0))))))

;;; Programs

(ert-deftest sessiond-runs-the-example-of-the-readme ()
  "In a directory without sessions."
  (sessiond-tests--with
    (let ((readme (expand-file-name "../README.md" sessiond-tests--folder))
          (code nil) (said nil))
      (with-temp-buffer
        (insert-file-contents readme)
        (search-forward "## For programs")
        (search-forward "```elisp\n")
        (setq code (read (current-buffer))))
      (cl-letf (((symbol-function 'message)
                 (lambda (format &rest values) (push (apply #'format-message format values) said))))
        (eval code t)
        (sessiond-tests--soon (seq-some (lambda (text) (string-match-p "\\`[0-9a-f]\\{16\\}\\'" text))
                                        said))))))

(ert-deftest sessiond-serves-programs ()
  (sessiond-tests--with
    (let* ((client (sessiond-connect))
           (changes nil)
           (path (sessiond-tests--path "fresh"))
           (session (sessiond-open client (list :path path :mustExist :json-false)
                                   :on-change
                                   (lambda (change) (push (plist-get change :kind) changes)))))
      (unwind-protect
          (let ((id (plist-get (sessiond-request session "session/appendMessage"
                                                 '(:message (:role "user" :content "hello")))
                               :id)))
            (should (equal (plist-get (elt (plist-get (sessiond-request session "session/getBranch")
                                                      :entries)
                                           0)
                                      :message)
                           '(:role "user" :content "hello")))
            (should-not changes)
            (sessiond-tests--append path (sessiond-tests--user "x" id "foreign"))
            (sessiond-tests--soon (equal changes '("appended")))
            (should (equal (sessiond-request session "session/getLeafId") (list :leafId id))))
        (should (equal (sessiond-shutdown client) 0))))))

(ert-deftest sessiond-list-keeps-a-session-whose-change-is-of-an-unknown-kind ()
  (with-temp-buffer
    (setq-local sessiond-list--sessions (make-hash-table :test #'equal))
    (sessiond-list--take [(:path "/a" :modified "1")])
    (cl-letf (((symbol-function 'sessiond--schedule) #'ignore))
      (sessiond-list--changed '(:kind "changed" :changes [(:kind "archived" :path "/a")]))
      (should (equal (gethash "/a" sessiond-list--sessions) '(:path "/a" :modified "1")))
      (sessiond-list--changed '(:kind "changed" :changes [(:kind "removed" :path "/a")]))
      (should (equal (hash-table-count sessiond-list--sessions) 0)))))

(defun sessiond-tests--known (value)
  "Return VALUE without the members that a later version has added."
  (cond ((vectorp value) (cl-map 'vector #'sessiond-tests--known value))
        ((and (consp value) (keywordp (car value)))
         (cl-loop for (name each) on value by #'cddr
                  unless (eq name :addedLater)
                  append (list name (sessiond-tests--known each))))
        (t value)))

(ert-deftest sessiond-is-a-client-of-a-later-daemon ()
  (let* ((protocol (expand-file-name "../../../protocol/" sessiond-tests--folder))
         (future (with-temp-buffer
                   (insert-file-contents (concat protocol "future/answers.json"))
                   (json-parse-buffer :object-type 'plist :null-object :null
                                      :false-object :json-false)))
         (client (sessiond-start :program "python3"
                                 :options (list (concat protocol "tests/future_daemon.py"))
                                 :environment '("SESSIOND_SHARED=0")))
         (views 0)
         (changes nil))
    (unwind-protect
        (progn
          (seq-doseq (answer (plist-get future :answers))
            (seq-doseq (method (plist-get answer :methods))
              (unless (member method '("initialize" "shutdown"))
                (let ((result (sessiond-request client method)))
                  (should (equal (sessiond-tests--known result)
                                 (sessiond-tests--known (plist-get answer :result))))
                  (when (equal method "session/getView")
                    (with-temp-buffer
                      (sessiond-transcript-mode)
                      (sessiond-transcript--insert-all (plist-get result :items))
                      (when (> (buffer-size) 0) (cl-incf views))))))))
          (should (> views 0))
          (seq-do-indexed
           (lambda (sent index)
             (let ((oops (should-error (sessiond-request client "session/open"
                                                         (list :path (format "error: %d" index)))
                                       :type 'sessiond-error)))
               (should (equal (plist-get (nth 2 oops) :code) (plist-get sent :code)))))
           (plist-get future :errors))
          (sessiond-subscribe client nil (lambda (event) (push event changes)) :family "gateway")
          (sessiond-tests--soon changes)
          (should (equal (seq-map (lambda (each) (plist-get each :kind))
                                  (seq-take (plist-get (car (last changes)) :changes) 2))
                         '("added" "addedLater"))))
      (sessiond-shutdown client))))

(ert-deftest sessiond-keeps-values-apart ()
  (sessiond-tests--with
    (let* ((session (sessiond-open (sessiond--current-client) '(:cwd "/w") :method "session/inMemory"))
           (data '(:null :null :false :json-false :true t :object nil :array [] :text "Ä😀" :n 1.5)))
      (sessiond-request session "session/appendCustomEntry" (list :customType "c" :data data))
      (should (equal (plist-get (plist-get (sessiond-request session "session/getLeafEntry") :entry)
                                :data)
                     data))
      (sessiond-request sessiond--client "session/appendCustomEntry"
                        (sessiond-json (format "{\"session\":\"%s\",\"customType\":\"c\",\"data\":[\"\\ud83d\",123456789012345678901]}"
                                               (sessiond-session-handle session))))
      (should (equal (plist-get (plist-get (sessiond-request session "session/getLeafEntry") :entry)
                                :data)
                     ["\xfffd" "123456789012345678901"])))))

(ert-deftest sessiond-carries-deep-and-large-values-and-unusual-ids ()
  (sessiond-tests--with
    (let* ((session (sessiond-open (sessiond--current-client) '(:cwd "/w") :method "session/inMemory"))
           (nested (lambda (depth)
                     (let ((value [])) (dotimes (_ (1- depth) value) (setq value (vector value))))))
           (ids nil))
      (dolist (data (list (funcall nested 400)
                          (apply #'concat (make-list 65536 "0123456789abcdef"))
                          '(:jsonrpc "2.0" :id 1 :method "exit" :params nil)))
        (push (format "ä \"quoted\" \\ 😀 %d" (length ids)) ids)
        (should (equal (plist-get (sessiond-request
                                   session "session/appendCustomEntry"
                                   (list :customType "c" :data data :newEntryId (car ids)))
                                  :id)
                       (car ids)))
        ;; As text, because `equal' ends at a depth of 200.
        (should (equal (sessiond--encode
                        (plist-get (plist-get (sessiond-request session "session/getEntry" (list :id (car ids)))
                                              :entry)
                                   :data))
                       (sessiond--encode data))))
      (should-error (sessiond-request session "session/appendCustomEntry"
                                      (list :customType "c" :data (funcall nested 600)))
                    :type 'sessiond-error))))

(ert-deftest sessiond-knows-every-method ()
  (sessiond-tests--with
    (let ((methods (plist-get (plist-get (sessiond-client-server (sessiond--current-client))
                                         :capabilities)
                              :methods)))
      (seq-doseq (method methods)
        (unless (or (string-prefix-p "$/" method)
                    (member method '("initialize" "initialized" "shutdown" "exit")))
          (should (assoc method sessiond-api-methods)))))))

;;; Markdown, previews and long texts

(defun sessiond-tests--faces (text)
  "Return the parts of TEXT with faces: (PART . FACE)."
  (let ((position 0) (parts nil))
    (while (< position (length text))
      (let ((next (next-single-property-change position 'face text (length text)))
            (face (get-text-property position 'face text)))
        (when face (push (cons (substring-no-properties text position next) face) parts))
        (setq position next)))
    (nreverse parts)))

(ert-deftest sessiond-markdown-has-faces-in-each-message-on-its-own ()
  (let ((sessiond-markdown t))
    (should (equal (sessiond-tests--faces
                    (sessiond-markdown-propertize
                     "# Title\n- a `*code*` and **bold**\n> said\n```python\n# no title\n"))
                   '(("# Title" . sessiond-markdown-heading)
                     ("-" . sessiond-markdown-markup)
                     ("`*code*`" . sessiond-markdown-code)
                     ("**bold**" . bold)
                     ("> said" . sessiond-markdown-quote)
                     ("```python" . sessiond-markdown-markup)
                     ("# no title" . sessiond-markdown-code))))
    (should (equal (sessiond-tests--faces
                    (sessiond-markdown-propertize "see [it](http://x/y) *now*, 2*3*4 http://z."))
                   '(("[it](http://x/y)" . sessiond-markdown-link)
                     ("*now*" . italic)
                     ("http://z." . sessiond-markdown-link))))
    (sessiond-tests--with
      (sessiond-transcript
       (sessiond-tests--session
        "one" :entries (list (sessiond-tests--user "u" :null "```\nnever closed")
                             (sessiond-tests--assistant "a" "u" (sessiond-tests--text "**yes**")))))
      (goto-char (point-min))
      (search-forward "never")
      (should (eq (get-text-property (match-beginning 0) 'face) 'sessiond-markdown-code))
      (search-forward "**yes")
      (should (eq (get-text-property (match-beginning 0) 'face) 'bold)))
    (setq sessiond-markdown nil)
    (should-not (sessiond-tests--faces (sessiond-markdown-propertize "# Title")))))

(ert-deftest sessiond-list-previews-the-session-at-point ()
  (sessiond-tests--with
    (let ((sessiond-preview-delay 0)
          (one (sessiond-tests--session
                "one" :entries (list (sessiond-tests--user "u" :null "First session" 100)))))
      (sessiond-tests--session
       "two" :entries (list (sessiond-tests--user "u" :null (string-join (make-list 60 "long") "\n") 10)))
      (sessiond-list)
      (sessiond-tests--soon (= (count-lines (point-min) (point-max)) 2))
      (goto-char (point-min))
      (let ((list (current-buffer)))
        (cl-flet ((preview ()
                    (let ((buffer (get-buffer "*sessiond preview*")))
                      (and buffer (sessiond-tests--visible buffer)))))
          (sessiond-tests--press "f")
          (sessiond-tests--soon (string-search "… 40 more lines" (or (preview) "")))
          (should (eq (current-buffer) list))
          (should (get-buffer-window "*sessiond preview*"))
          (forward-line)
          (run-hooks 'post-command-hook)
          (sessiond-tests--soon (string-search "\nFirst session\n" (preview)))
          ;; What another program appends is shown, too.
          (sessiond-tests--append one (sessiond-tests--user "v" "u" "More" 5))
          (sessiond-tests--soon (string-search "\nMore\n" (preview)))
          ;; No handle is left open.
          (sessiond-tests--soon
           (= 0 (plist-get (sessiond-request sessiond--client "daemon/status") :openSessions)))
          (sessiond-tests--press "f")
          (should-not (get-buffer "*sessiond preview*"))))
      (sessiond-tests--press "o")
      (should (> (count-windows) 1))
      (should (derived-mode-p 'sessiond-transcript-mode)))))

(ert-deftest sessiond-shows-hostile-texts-without-delay ()
  (sessiond-tests--with
    (let* ((long (mapconcat #'identity
                            (list (make-string 300000 ?\[)
                                  (concat "```" (make-string 300000 ?a) "`")
                                  (apply #'concat (make-list 100000 "](x[a")))
                            "\n"))
           (path (sessiond-tests--session
                  "long" :entries (list (sessiond-tests--user "u" :null long 100)
                                        (sessiond-tests--user
                                         "v" "u" (apply #'concat (make-list 3000 "line\n")) 90)))))
      (sessiond-tests--session "control")
      (write-region
       (concat "{\"type\":\"message\",\"id\":\"u\",\"parentId\":null,"
               "\"timestamp\":\"2025-06-01T10:00:01.000Z\",\"message\":{\"role\":\"user\","
               "\"content\":\"nul\\u0000 \\\\u0000 \\u202eover\"}}\n")
       nil (sessiond-tests--path "control") t 'silent)
      (sessiond-list)
      (sessiond-tests--soon (string-search "nul␀ \\u0000 �over" (buffer-string)))
      (should (= (count-lines (point-min) (point-max)) 2))
      (should (< (buffer-size) 5000))
      (sessiond-transcript path)
      (should (string-search (concat (make-string 5000 ?\[) "… 295000 more characters")
                             (buffer-string)))
      (should (string-search "… 1000 more lines" (buffer-string)))
      (sessiond-tests--press "x")
      (should (> (buffer-size) 1100000))
      (sessiond-tests--press "x")
      (should (< (buffer-size) 60000)))))

(ert-deftest sessiond-user-text-has-the-current-time ()
  (let ((before (* 1000 (float-time)))
        (message (sessiond-user-text "hello")))
    (should (equal (list (plist-get message :role) (plist-get message :content)) '("user" "hello")))
    (should (integerp (plist-get message :timestamp)))
    (should (<= (- before 1) (plist-get message :timestamp) (+ 1 (* 1000 (float-time)))))))

;;; Sharing

(ert-deftest sessiond-tests-sharing ()
  "A daemon is shared unless the option or the environment says otherwise."
  (cl-flet ((sharing (environment option)
              (let ((process-environment (cons environment process-environment))
                    (sessiond-shared option))
                (sessiond--sharing))))
    (should (equal (sharing "SESSIOND_SHARED" 'default) '("SESSIOND_SHARED=1")))
    (should (equal (sharing "SESSIOND_SHARED" nil) '("SESSIOND_SHARED=0")))
    (should (equal (sharing "SESSIOND_SHARED=0" 'default) nil))
    (should (equal (sharing "SESSIOND_SHARED=0" t) '("SESSIOND_SHARED=1")))))

;; The path of a socket must be short.
(ert-deftest sessiond-appends-once-when-a-shared-daemon-is-killed ()
  (sessiond-tests--with
    (let* ((runtime (make-temp-file "/tmp/sd" t))
           (process-environment
            (append (list "SESSIOND_SHARED=1" "SESSIOND_IDLE_EXIT=0.1"
                          (concat "XDG_RUNTIME_DIR=" runtime))
                    process-environment))
           (path (sessiond-tests--session "one" :entries (sessiond-tests--talk)))
           (clients (list (sessiond-connect) (sessiond-connect) (sessiond-connect)))
           (sessions (mapcar (lambda (client) (sessiond-open client (list :path path))) clients))
           (status (sessiond-request (car clients) "daemon/status"))
           (expected nil)
           (answered 0))
      (unwind-protect
          (progn
            (should (equal (plist-get status :connections) 3))
            (dotimes (count 20)
              (when (= count 10)
                (signal-process (plist-get status :pid) 'SIGKILL))
              (seq-do-indexed
               (lambda (session number)
                 (push (format "%d-%d" number count) expected)
                 (sessiond-request-async session "session/appendCustomEntry"
                                         (list :customType "n" :data (car expected))
                                         (lambda (_) (setq answered (1+ answered)))))
               sessions))
            (sessiond-tests--soon (= answered 60))
            (let ((found nil))
              (with-temp-buffer
                (insert-file-contents path)
                (while (re-search-forward "\"data\":\"\\([0-9-]+\\)\"" nil t)
                  (push (match-string 1) found)))
              (should (equal (sort found #'string<) (sort expected #'string<)))))
        (mapc #'sessiond-shutdown clients)
        (delete-directory runtime t)))))

(provide 'sessiond-tests)
;;; sessiond-tests.el ends here
