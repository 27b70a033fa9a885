package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// certificate makes a certificate for 127.0.0.1, and returns its files and the pool of roots that verifies it.
func certificate(t *testing.T) (certificateFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificateFile, keyFile = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		certificateFile: {Type: "CERTIFICATE", Bytes: der},
		keyFile:         {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return certificateFile, keyFile, roots
}

// HTTP/1.1 and HTTP/2, with TLS and without, are the same gateway.
func TestBothVersionsAreServedWithTLSAndWithout(t *testing.T) {
	t.Parallel()

	upstream := new(recorder)
	plain := start(t, options{upstream: upstream})
	certificateFile, keyFile, roots := certificate(t)
	secret := start(t, options{upstream: upstream, tokens: plain.tokens, env: map[string]string{
		"GATEWAY_TLS": "on", "GATEWAY_TLS_CERTIFICATE": certificateFile, "GATEWAY_TLS_KEY": keyFile,
	}})
	secretURL := strings.Replace(secret.url, "http://127.0.0.1", "https://localhost", 1)
	if got := secret.exchange(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.0 400 ") {
		t.Errorf("plain HTTP to the listener with TLS: %s", got)
	}
	token, id := plain.tokens.create("")
	// An address of its own: other tests use up the window of 127.0.0.1.
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(newLoopback(t))}}
	for _, tt := range []struct {
		url   string
		major int
	}{{plain.url, 1}, {plain.url, 2}, {secretURL, 1}, {secretURL, 2}} {
		transport := &http.Transport{
			Protocols: new(http.Protocols), DialContext: dialer.DialContext,
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		}
		transport.Protocols.SetHTTP1(tt.major == 1)
		transport.Protocols.SetHTTP2(tt.major == 2)
		transport.Protocols.SetUnencryptedHTTP2(tt.major == 2)
		t.Cleanup(transport.CloseIdleConnections)
		client := &http.Client{Transport: transport}
		for authorization, want := range map[string]int{"Bearer " + token: http.StatusOK, "": http.StatusUnauthorized} {
			var response *http.Response
			eventually(t, func() bool { // on a busy machine introspections time out
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url+"/api/v1/shipments",
					strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", authorization)
				got, err := client.Do(request)
				if err != nil {
					t.Fatalf("HTTP/%d at %s: %v\n%s", tt.major, tt.url, err, secret.log)
				}
				_ = got.Body.Close()
				response = got
				return got.StatusCode != http.StatusServiceUnavailable
			}, "a response other than 503", secret.log)
			if response.StatusCode != want || response.ProtoMajor != tt.major {
				t.Errorf("HTTP/%d at %s: %s %s, want %d", tt.major, tt.url, response.Proto, response.Status, want)
			}
			if len(response.Header["X-Ratelimit-Limit"]) != 1 || len(response.Header["X-Request-Id"]) != 1 {
				t.Errorf("HTTP/%d at %s: %v", tt.major, tt.url, response.Header)
			}
		}
		if got := upstream.last(); got == nil || got.Header.Get("X-Token-Id") != id || got.ProtoMajor != 1 {
			t.Errorf("HTTP/%d at %s: the service received %v", tt.major, tt.url, got)
		}
	}
}

func TestHTTP2SettingsHaveTheLimits(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	c := g.dialHTTP2(t)
	frame, err := c.ReadFrame()
	settings, ok := frame.(*http2.SettingsFrame)
	if err != nil || !ok {
		t.Fatalf("%v %v", frame, err)
	}
	for id, most := range map[http2.SettingID]uint32{
		http2.SettingMaxConcurrentStreams: 100,
		http2.SettingMaxHeaderListSize:    33 << 10,
	} {
		if got, sent := settings.Value(id); !sent || got > most || got == 0 {
			t.Errorf("%v: %d %v, want at most %d", id, got, sent, most)
		}
	}
	token, _ := g.tokens.create("")
	status, _ := g.askHTTP2(t, "GET", "/api/v1/shipments", "authorization", "Bearer "+token, "x-large",
		strings.Repeat("x", 40<<10))
	if status == "200" {
		t.Error("headers over 32 KiB are accepted")
	}
}
