module append

go 1.23

require sessiond v0.0.0

replace sessiond => ../../../clients/go
