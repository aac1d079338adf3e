module sessiond

go 1.23

require github.com/creachadair/jrpc2 v1.3.1
