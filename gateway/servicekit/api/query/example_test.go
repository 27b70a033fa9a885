package query_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
)

func Example() {
	r := httptest.NewRequest(http.MethodGet, "/things?page=0&statu=open", http.NoBody)
	p := query.Read(r)
	page := p.Number("page", 1, 1000, "")
	status := query.OneOf(p, "status", []string{"open", "closed"})
	if err, ok := errors.AsType[*query.Error](p.Err()); ok {
		for _, f := range err.Faults {
			fmt.Println(f.Code, f.Parameter+":", f.Detail)
		}
		return
	}
	fmt.Println(page, status)
	// Output:
	// invalid_parameter page: page must be a whole number from 1 to 1000
	// unknown_parameter statu: there is no parameter "statu"; did you mean "status"?
}

func ExamplePageLinks() {
	u, _ := url.Parse("/things?status=open&page=2")
	fmt.Println(strings.ReplaceAll(query.PageLinks(u, 2, 10, 15), ", ", ",\n"))
	// Output:
	// </things?page=1&per_page=10&status=open>; rel="first",
	// </things?page=1&per_page=10&status=open>; rel="prev",
	// </things?page=2&per_page=10&status=open>; rel="last"
}
