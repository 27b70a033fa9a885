package logbuffer_test

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/logbuffer"
)

// A Caddyfile lets lines of the access log wait 100 ms for others.
func ExampleStderr_UnmarshalCaddyfile() {
	stderr := new(logbuffer.Stderr)
	err := stderr.UnmarshalCaddyfile(caddyfile.NewTestDispenser("buffered_stderr 100ms"))
	fmt.Println(time.Duration(stderr.Gather), err)
	// Output: 100ms <nil>
}
