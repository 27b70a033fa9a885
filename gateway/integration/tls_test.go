package integration

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// The gateway serves the certificate of its files under every host name, and a renewed one after a reload.
func TestTLSServesEveryHostNameAndRenewedCertificates(t *testing.T) {
	t.Parallel()

	certificateFile, keyFile, roots := certificate(t)
	g := start(t, options{env: map[string]string{
		"GATEWAY_TLS": "on", "GATEWAY_TLS_CERTIFICATE": certificateFile, "GATEWAY_TLS_KEY": keyFile,
	}})
	address := strings.TrimPrefix(g.url, "http://")
	serves := func(roots *x509.CertPool, host string) error {
		transport := &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12},
			DisableKeepAlives: true,
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/robots.txt", http.NoBody)
		if err != nil {
			return err
		}
		request.Host = host
		response, err := (&http.Client{Transport: transport}).Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("host %s: %s", host, response.Status)
		}
		return nil
	}
	for _, host := range []string{"localhost", "api.example", net.JoinHostPort("10.1.2.3", "443")} {
		if err := serves(roots, host); err != nil {
			t.Errorf("host %s: %v", host, err)
		}
	}

	renewed, renewedKey, renewedRoots := certificate(t)
	for from, to := range map[string]string{renewed: certificateFile, renewedKey: keyFile} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	g.reload(t)
	if err := serves(renewedRoots, "localhost"); err != nil {
		t.Errorf("after the reload: %v", err)
	}
}
