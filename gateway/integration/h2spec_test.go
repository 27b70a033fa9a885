package integration

import (
	"encoding/xml"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The gate adds no fault to those that h2spec finds in a bare Caddy. TEST_H2SPEC is the program.
func TestH2specFindsNoMoreFaultsThanInABareCaddy(t *testing.T) {
	t.Parallel()

	h2spec := os.Getenv("TEST_H2SPEC")
	if h2spec == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("TEST_H2SPEC is not set")
		}
		t.Skip("TEST_H2SPEC is not set; `make test-all` sets it")
	}
	service := newReplica(t, 1, "")
	g := start(t, options{env: map[string]string{"SHIPMENTS_PORT": service.port}})
	bare := startBare(t, net.JoinHostPort(service.ip.String(), service.port))
	ofGateway, ofBare := faults(t, h2spec, g), faults(t, h2spec, bare)
	for fault, message := range ofGateway {
		if _, too := ofBare[fault]; !too {
			t.Errorf("%s: %s", fault, message)
		}
	}
	t.Logf("faults of the gateway: %d, of a bare Caddy: %d", len(ofGateway), len(ofBare))
}

// faults runs h2spec and returns what failed, by section and description.
func faults(t *testing.T, h2spec string, g *gateway) map[string]string {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	// It fails when there are faults, which the report lists.
	output, runErr := exec.CommandContext(t.Context(), h2spec, "--port", port, "--path", "/api/v1/openapi.json",
		"--junit-report", report).CombinedOutput()
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v, %v\n%s", err, runErr, output)
	}
	var suites struct {
		Suites []struct {
			Cases []struct {
				Package string `xml:"package,attr"`
				Class   string `xml:"classname,attr"`
				Failure string `xml:"failure"`
				Error   string `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(raw, &suites); err != nil {
		t.Fatal(err)
	}
	found, cases := map[string]string{}, 0
	for _, suite := range suites.Suites {
		for _, c := range suite.Cases {
			cases++
			if c.Failure != "" || c.Error != "" {
				found[c.Package+" "+c.Class] = c.Failure + c.Error
			}
		}
	}
	if cases < 100 {
		t.Fatalf("h2spec ran %d cases\n%s", cases, output)
	}
	return found
}
