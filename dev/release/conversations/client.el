;;; client.el --- One conversation with the daemon, with the Emacs package  -*- lexical-binding: t; -*-

(require 'sessiond)
(let* ((client (sessiond-connect))
       (state (sessiond-request client "session/inMemory" '(:cwd "/")))
       (session (plist-get state :session)))
  (sessiond-request client "session/appendMessage"
                    (list :session session :message '(:role "user" :content "hello")))
  (seq-doseq (message (plist-get (sessiond-request client "session/buildSessionContext"
                                                   (list :session session))
                                 :messages))
    (princ (format "%s: %s\n" (plist-get message :role) (plist-get message :content)))))
;;; client.el ends here
