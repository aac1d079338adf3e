module append

go 1.23

require sessiond v0.0.0

require github.com/creachadair/jrpc2 v1.3.1 // indirect

replace sessiond => ../../../clients/go
