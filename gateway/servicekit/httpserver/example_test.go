package httpserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
)

func ExampleNewInner() {
	inner := httpserver.NewInner(prometheus.NewRegistry(), func(context.Context) error {
		return errors.New("the database is not migrated")
	})
	w := httptest.NewRecorder()
	inner.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 503 the database is not migrated
}
