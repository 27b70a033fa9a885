package publicid_test

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

func ExampleFormat() {
	id := uuid.MustParse("0199f1b8-5c02-7456-bbe4-8d303d4b34ef")
	text := publicid.Format("ship", id)
	parsed, ok := publicid.Parse("ship", text)
	fmt.Println(text, parsed == id, ok)
	// Output: ship_01k7rvgq02ehbbqs4d60ympd7f true true
}
