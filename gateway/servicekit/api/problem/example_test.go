package problem_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

func ExampleProblem_Write() {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/things/7", nil)
	problem.New(http.StatusNotFound, "not_found", "Not found", "no such thing").Write(w, r)
	fmt.Print(w.Code, " ", strings.ReplaceAll(w.Body.String(), `,"instance"`, ",\n"+`"instance"`))
	// Output:
	// 404 {"type":"/problems/not_found","title":"Not found","status":404,"detail":"No such thing.",
	// "instance":"/things/7","code":"not_found","request_id":""}
}

func ExampleSummary() {
	fmt.Println(problem.Summary(1, "field"))
	fmt.Println(problem.Summary(2, "query parameter"))
	// Output:
	// 1 field is not valid; see errors.
	// 2 query parameters are not valid; see errors.
}
