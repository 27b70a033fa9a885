package monitoring

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAPageArrivesWithItsCauseOnly: the shipped configuration delivers to its receivers.
func TestAPageArrivesWithItsCauseOnly(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("apt-get install prometheus-alertmanager")
	}
	arrived := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var sent struct {
			Alerts []struct {
				Labels struct{ Alertname string }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		for _, alert := range sent.Alerts {
			arrived <- r.URL.Path + " " + alert.Labels.Alertname
		}
	}))
	t.Cleanup(receiver.Close)

	dir, address := t.TempDir(), freeAddress(t)
	config := strings.NewReplacer("ALERTS_URL", receiver.URL+"/alerts", "WATCHDOG_URL", receiver.URL+"/watchdog").
		Replace(content(t, []string{"alertmanager.yml"}))
	if err := os.WriteFile(filepath.Join(dir, "alertmanager.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+dir+"/alertmanager.yml", "--storage.path="+dir,
		"--web.listen-address="+address, "--cluster.listen-address=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })

	alerts := `[{"labels": {"alertname": "PostgresUnavailable", "severity": "page", "job": "tokens-svc"}},
		{"labels": {"alertname": "AvailabilityBudgetBurn", "severity": "page", "slo": "availability"}},
		{"labels": {"alertname": "Watchdog", "severity": "none"}}]`
	for {
		resp, err := http.Post("http://"+address+"/api/v2/alerts", "application/json", bytes.NewBufferString(alerts))
		if err == nil {
			if _ = resp.Body.Close(); resp.StatusCode == http.StatusOK {
				break
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	got := map[string]bool{<-arrived: true, <-arrived: true}
	if !got["/watchdog Watchdog"] || !got["/alerts PostgresUnavailable"] {
		t.Errorf("%v", got)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
