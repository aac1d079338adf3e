module sessiond

go 1.23
