module github.com/quayside/quayside/gateway/servicekit

go 1.26.0

// goose names these versions and uses nothing of them; the module proxy does not hold the first.
exclude golang.org/x/exp v0.0.0-20261011100332-faecfb24eb49

exclude golang.org/x/net v0.61.0

require github.com/google/uuid v1.6.0
