package heapfloor_test

import "github.com/quayside/quayside/gateway/servicekit/heapfloor"

func ExampleRaise() {
	heapfloor.Raise()
}
