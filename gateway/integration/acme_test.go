package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// With GATEWAY_TLS=auto the gateway obtains a certificate for each host of GATEWAY_ADDRESS. TEST_PEBBLE is the
// program of an ACME server, which validates by TLS-ALPN (RFC 8737).
func TestCertificatesAreObtainedByACME(t *testing.T) {
	t.Parallel()

	public := freePort(t)
	names := newNameServer(t, netip.MustParseAddr("127.0.0.1"))
	directory, management, authority, roots := startPebble(t, names.overTCP(t), public)
	issuers := x509.NewCertPool()
	root := fetch(t, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs:    roots,
		MinVersion: tls.VersionTLS12,
	}}}, management+"/roots/0", "")
	if !issuers.AppendCertsFromPEM(root) {
		t.Fatalf("no certificate: %s", root)
	}
	g := start(t, options{public: public, env: map[string]string{
		"GATEWAY_TLS":     "auto",
		"GATEWAY_ADDRESS": "https://:" + public + " https://api.example.com:" + public,
		"ACME_DIRECTORY":  directory,
		"ACME_EMAIL":      "operations@example.com",
		"SSL_CERT_FILE":   authority,
	}})
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: issuers, ServerName: "api.example.com", MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}}
	for _, host := range []string{"api.example.com", "other.example.com"} {
		if body := fetch(t, client, "https://127.0.0.1:"+public+"/robots.txt", host); len(body) == 0 {
			t.Errorf("host %s: the response is empty", host)
		}
	}
	if t.Failed() {
		t.Logf("log of the gateway:\n%s", g.log)
	}
}

// startPebble runs an ACME server that validates at port of the addresses that the name server has. It returns the URLs
// of its directory and of its management interface, and the certificate of both.
func startPebble(t *testing.T, nameServer,
	port string,
) (directory, management, certificateFile string, roots *x509.CertPool) {
	t.Helper()
	program := os.Getenv("TEST_PEBBLE")
	if program == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("TEST_PEBBLE is not set")
		}
		t.Skip("TEST_PEBBLE is not set; `make test-all` sets it")
	}
	certificateFile, keyFile, roots := certificate(t)
	directoryPort, managementPort := freePort(t), freePort(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": "127.0.0.1:" + directoryPort, "managementListenAddress": "127.0.0.1:" + managementPort,
		"certificate": certificateFile, "privateKey": keyFile, "tlsPort": json.Number(port),
	}})
	if err != nil {
		t.Fatal(err)
	}
	configFile := filepath.Join(t.TempDir(), "pebble.json")
	if err := os.WriteFile(configFile, config, 0o600); err != nil {
		t.Fatal(err)
	}
	log := new(lockedBuffer)
	pebble := exec.CommandContext(t.Context(), program, "-config", configFile, "-dnsserver", nameServer)
	pebble.Env = []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"}
	pebble.Stdout, pebble.Stderr = log, log
	if err := pebble.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pebble.Process.Kill()
		_ = pebble.Wait()
		if t.Failed() {
			t.Logf("log of pebble:\n%s", log)
		}
	})
	return "https://localhost:" + directoryPort + "/dir", "https://localhost:" + managementPort, certificateFile, roots
}

// fetch repeats a GET until its response is 200.
func fetch(t *testing.T, client *http.Client, url, host string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := client.Do(request)
		if err == nil {
			body, readErr := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK && readErr == nil {
				return body
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", url, err)
		case <-tick.C:
		}
	}
}
