module example.com/coldchain

go 1.26.0

// goose requires these versions and imports no package of the first, which proxy.golang.org did not serve. The second is
// excluded as in servicekit.
exclude golang.org/x/exp v0.0.0-20261011100332-faecfb24eb49

exclude golang.org/x/net v0.61.0

require (
	github.com/go-jose/go-jose/v4 v4.1.6 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/maypok86/otter/v2 v2.4.0
	github.com/prometheus/client_golang v1.24.1 // indirect
	go.opentelemetry.io/otel v1.47.0 // indirect
	go.opentelemetry.io/otel/trace v1.47.0 // indirect
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/compress v1.20.1 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.71.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

require github.com/quayside/quayside/gateway/servicekit v0.0.0

replace github.com/quayside/quayside/gateway/servicekit => ../../../gateway/servicekit
