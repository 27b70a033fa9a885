package timerslack_test

import "github.com/quayside/quayside/gateway/servicekit/process/timerslack"

// Relax comes first in main, because it may execute the program again.
func ExampleRelax() {
	timerslack.Relax()
}
