package plaintext_test

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

func ExampleBlank() {
	fmt.Println(plaintext.Blank(" \u200b"), plaintext.Blank("PO-1"))
	fmt.Println(strings.ContainsFunc("PO\u20281", plaintext.Refused))
	// Output:
	// true false
	// true
}
