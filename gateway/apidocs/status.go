package apidocs

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/upstream"
)

// started is about when the gateway did.
var started = time.Now()

// subjects are what people do with the shipped services.
var subjects = map[string]string{"tokens-svc": "Sign-in, settings and tokens"}

// statusRow is the availability of a service.
type statusRow struct{ upstream.Status }

// Subject is the name of the service for people.
func (r statusRow) Subject() string {
	if subject := subjects[r.Service]; subject != "" {
		return subject
	}
	return strings.ToUpper(r.Service[:1]) + strings.TrimSuffix(r.Service[1:], "-svc")
}

// Time is since when it is as it is.
func (r statusRow) Time() pages.Moment { return pages.Moment{At: r.Since, Now: time.Now()} }

// status says which services are available, and since when.
func (s *site) status(w http.ResponseWriter, _ *http.Request) {
	rows := []statusRow{{upstream.Status{Service: "gateway", Availability: discovery.Availability{
		Available: true, Since: started,
	}}}}
	for _, service := range upstream.Statuses() {
		rows = append(rows, statusRow{service})
	}
	title := "All services are available"
	if slices.ContainsFunc(rows, func(r statusRow) bool { return !r.Available }) {
		title = "A service is not available"
	}
	w.Header().Set("Cache-Control", "no-cache")
	s.write(w, "status", page{Frame: frame(title, ""), Body: rows})
}
