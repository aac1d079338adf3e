module github.com/sessiond/sessiond/clients/together/tests/go

go 1.23

require github.com/sessiond/sessiond/clients/go v0.0.0

require github.com/creachadair/jrpc2 v1.3.1 // indirect

replace github.com/sessiond/sessiond/clients/go => ../../../go
