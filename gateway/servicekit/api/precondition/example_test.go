package precondition_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
)

// A client changes the version that it read, unless another client changed it before.
func ExampleFailed() {
	const tag = `"8"` // of the version that is stored
	put := httptest.NewRequest(http.MethodPut, "/things/1", nil)
	put.Header.Set("If-Match", `"7"`)
	fmt.Println(precondition.Failed(put, tag))
	put.Header.Set("If-Match", tag)
	fmt.Println(precondition.Failed(put, tag))

	get := httptest.NewRequest(http.MethodGet, "/things/1", nil)
	get.Header.Set("If-None-Match", tag)
	fmt.Println(precondition.Failed(get, tag))
	// Output:
	// 412
	// 0
	// 304
}
