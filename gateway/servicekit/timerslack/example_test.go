package timerslack_test

import "github.com/quayside/quayside/gateway/servicekit/timerslack"

// Relax comes first in main, because it may execute the program again.
func ExampleRelax() {
	timerslack.Relax()
}
