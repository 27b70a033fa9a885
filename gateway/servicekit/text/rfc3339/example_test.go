package rfc3339_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/text/rfc3339"
)

func ExampleParse() {
	for _, text := range []string{"2026-11-20T16:03:52+02:00", "2026-12-31T23:59:60Z", "2026-11-20 14:03:52"} {
		t, ok := rfc3339.Parse(text)
		fmt.Println(t.UTC(), ok)
	}
	// Output:
	// 2026-11-20 14:03:52 +0000 UTC true
	// 2027-01-01 00:00:00 +0000 UTC true
	// 0001-01-01 00:00:00 +0000 UTC false
}
