package problem_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

func ExampleProblem_Write() {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/v1/things/7", nil)
	p := problem.New(http.StatusNotFound, "not_found", "Not found", "there is no such thing")
	_ = p.Write(w, r)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 404 {"type":"/problems/not_found","title":"Not found","status":404,"detail":"There is no such thing.","instance":"/api/v1/things/7","code":"not_found","request_id":""}
}

func ExampleSummary() {
	fmt.Println(problem.Summary(1, "field"))
	fmt.Println(problem.Summary(2, "query parameter"))
	// Output:
	// 1 field is not valid; see errors.
	// 2 query parameters are not valid; see errors.
}
