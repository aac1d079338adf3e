module github.com/sessiond/sessiond/clients/go

go 1.23

require github.com/creachadair/jrpc2 v1.3.1
