package keyring_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

func ExampleParse() {
	keys, err := keyring.Parse("2:bmV3IGtleQ==,1:b2xkIGtleQ==", keyring.Bounds{MaxVersion: 9, Bytes: 7})
	fmt.Println(keys, err)
	// Output: 2, 1 <nil>
}
