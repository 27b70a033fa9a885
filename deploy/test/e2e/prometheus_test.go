package e2e

import (
	"bytes"
	"encoding/json"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rightlyEmpty are queries without data in normal operation: no alert fires, no service or connection fails, no
// identity
// is refused, no certificate is probed, only compose sets how many replicas are expected, and each program is scraped.
var rightlyEmpty = []string{
	`sum by (alertname, severity) (ALERTS{alertstate="firing"})`,
	`sum by (service, code) (rate(quayside_gateway_upstream_failures_total[$__rate_interval]))`,
	`sum by (service) (rate(quayside_gateway_upstream_retries_total[$__rate_interval]))`,
	`sum by (service) (rate(quayside_gateway_upstream_ejections_total[$__rate_interval]))`,
	`sum by (job, instance) (rate(quayside_shipments_request_seconds_count{code="401"}[1m]))` +
		` / sum by (job, instance) (rate(quayside_shipments_request_seconds_count[1m])) > 0.1`,
	`sum by (job, instance) (rate(quayside_tokens_request_seconds_count{code="401",route!~"/internal/.+"}[1m]))` +
		` / sum by (job, instance) (rate(quayside_tokens_request_seconds_count{route!~"/internal/.+"}[1m])) > 0.1`,
	`probe_ssl_earliest_cert_expiry - time() < 14 * 24 * 3600`,
	`(sum by (job) (up) < on (job) quayside:replicas:expected)`,
	`absent(up{job="gateway"})`,
	`absent(up{job="tokens-svc"})`,
	`absent(up{job="shipments-svc"})`,
}

// TestEveryQueryOfDashboardsAndRulesHasData in a Prometheus that scrapes this stack.
// Alerts are silent here, so their comparisons return 0 or 1 ("bool") instead of
// nothing: an expression without data names a metric or a label that does not exist.
func TestEveryQueryOfDashboardsAndRulesHasData(t *testing.T) {
	t.Parallel()
	if stack.PrometheusURL == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("prometheus is not installed")
		}
		t.Skip("prometheus is not installed: apt-get install prometheus")
	}
	missing := map[string]string{} // source of each query
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				if !slices.Contains(rightlyEmpty, q.Expr) {
					missing[strings.ReplaceAll(q.Expr, "$__rate_interval", "1m")] = d.Title + ", " + p.Title
				}
			}
		}
	}
	comparison, operands := regexp.MustCompile(` (==|>|<) `), regexp.MustCompile(` or (on \(\w+\) )?`)
	alerts := 0
	for _, rule := range rules(t) {
		if rule.Type == "alerting" {
			alerts++
		}
		for _, part := range operands.Split(rule.Query, -1) { // an operand with data would hide one without
			if !slices.Contains(rightlyEmpty, part) {
				missing[comparison.ReplaceAllString(part, " $1 bool ")] = rule.Type + " rule " + rule.Name
			}
		}
	}
	if alerts < 16 || len(missing) < 80 {
		t.Fatalf("%d alerts, %d queries", alerts, len(missing))
	}

	token := fresh(t, "admin", "--limit", "10000").Secret
	limit := time.Now().Add(time.Minute)
	for len(missing) > 0 && time.Now().Before(limit) {
		traffic(t, token)
		for expr := range missing {
			if hasData(t, expr) {
				delete(missing, expr)
			}
		}
	}
	for expr, from := range missing {
		t.Errorf("no data: %s: %s", from, expr)
	}
}

type dashboard struct {
	Title  string
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// dashboards are the dashboards that Grafana loads.
func dashboards(t *testing.T) []dashboard {
	t.Helper()
	files, err := filepath.Glob("../../monitoring/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards (%v)", err)
	}
	all := make([]dashboard, len(files))
	for i, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &all[i]); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return all
}

// traffic uses each kind of route once, and waits until a document has been read.
func traffic(t *testing.T, token string) {
	t.Helper()
	a := do(t, call{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid})
	a.wants(t, http.StatusCreated, "")
	location := a.header.Get("Location")
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("type", "packing_list")
	file, err := w.CreateFormFile("file", "list.csv")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("../../examples/packing-list.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(list)
	_ = w.Close()
	do(t, call{
		method: http.MethodPost, path: location + "/documents", token: token, body: form.String(),
		header: http.Header{"Content-Type": {w.FormDataContentType()}},
	}).wants(t, http.StatusCreated, "")
	eventually(t, 20*time.Second, "the document", func() bool {
		a := send(t, call{path: location, token: token, header: http.Header{"Prefer": {"wait=1"}}}.request(t), "")
		return a.status == http.StatusOK && decode[one](t, a).Shipment.Status == "ready_for_review"
	})
	do(t, call{path: location + "x", token: token}).wants(t, http.StatusNotFound, "")
	do(t, call{path: "/api/v1/tokens", token: token}).wants(t, http.StatusOK, "")
	do(t, call{path: "/api/v1/shipments"}).wants(t, http.StatusUnauthorized, "missing_token")
}

type rule struct{ Type, Name, Query, Health, LastError string }

// rules are the rules that Prometheus has loaded and evaluated.
func rules(t *testing.T) (all []rule) {
	t.Helper()
	eventually(t, 20*time.Second, "the evaluation of all rules", func() bool {
		var found struct{ Groups []struct{ Rules []rule } }
		prometheus(t, "/api/v1/rules", nil, &found)
		all = nil
		for _, g := range found.Groups {
			all = append(all, g.Rules...)
		}
		for _, r := range all {
			if r.Health == "err" {
				t.Fatalf("%s: %s", r.Name, r.LastError)
			}
			if r.Health != "ok" {
				return false
			}
		}
		return len(all) > 0
	})
	return all
}

// hasData reports whether an expression has a value that is a number.
func hasData(t *testing.T, expr string) bool {
	t.Helper()
	var found struct {
		Result []struct{ Value [2]any }
	}
	prometheus(t, "/api/v1/query", url.Values{"query": {expr}}, &found)
	for _, sample := range found.Result {
		text, _ := sample.Value[1].(string)
		if value, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(value) {
			return true
		}
	}
	return false
}

// prometheus calls Prometheus's API.
func prometheus(t *testing.T, path string, query url.Values, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.PrometheusURL+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Status != "success" {
		t.Fatalf("%s: %s %v: %s", path, res.Status, err, query.Get("query")+body.Error)
	}
}
