package heapfloor_test

import "github.com/quayside/quayside/gateway/servicekit/process/heapfloor"

func ExampleRaise() {
	heapfloor.Raise()
}
