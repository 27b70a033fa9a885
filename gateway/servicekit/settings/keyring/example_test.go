package keyring_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

func ExampleParse() {
	keys, err := keyring.Parse("2:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=," +
		"1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg=")
	fmt.Println(keys, err)
	// Output: 2, 1 <nil>
}
