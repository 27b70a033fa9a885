package openapi_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/openapi"
)

func ExampleJSON() {
	document, err := openapi.JSON([]byte("openapi: 3.1.0\ninfo: { title: Things, version: 1.0.0 }\npaths: {}\n"))
	fmt.Println(string(document), err)
	// Output: {"openapi":"3.1.0","info":{"title":"Things","version":"1.0.0"},"paths":{}} <nil>
}
