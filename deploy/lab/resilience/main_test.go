// Package resilience runs a good organization beside hostile ones, one dimension after the other, in the shipped
// configuration: what the hostile ones do is within the documented limits, and the good one must not notice. And it
// loses one part of the product after the other under load.
//
// Tests have a few of the rows of hostile organizations, and decide about errors and memory. `make neighbours` has all,
// and decides about latency, too. `make lab` has the outages.
package resilience

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/quayside/quayside/deploy/test/devstack"
	"github.com/quayside/quayside/deploy/test/devstack/stacktest"
)

var all = flag.Bool("all", false, "run every row, and decide about latency")

var (
	stack  *devstack.Stack
	url    string              // of the gateway
	around string              // the URL of a receiver of webhooks and of a service; paths with /hang get no response
	dir    string              // has tmp, the programs' /tmp
	env    map[string][]string // of each program
)

// imageEnv is what images and containers set beside the addresses and secrets of a stack.
var imageEnv = map[string][]string{
	"gateway":    {"GOMEMLIMIT=460MiB"}, // nine tenths, as Caddy has it in a container
	"tokens-svc": {"GOMEMLIMIT=460MiB"},
}

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if dir, err = os.MkdirTemp("", "quayside-neighbours-"); err != nil {
		panic(err)
	}
	code := stacktest.Main(m, devstack.Options{}, surround)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// surround starts the servers around the stack, and keeps how programs are configured from now on.
func surround(ctx context.Context, s *devstack.Stack) error {
	receiver := httptest.NewServer(http.HandlerFunc(receive))
	mails, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = smtp.NewServer(mailServer{}).Serve(mails) }()
	stack, around, env = s, receiver.URL, map[string][]string{}
	for _, p := range s.Programs() {
		env[p.Name] = slices.Concat(p.Env, imageEnv[p.Name], []string{
			"TMPDIR=" + filepath.Join(dir, "tmp"),
			"SMTP_URL=smtp://" + mails.Addr().String(), "MAIL_FROM=Quayside <q@quayside.example>",
		})
	}
	hang := fmt.Sprintf("handle /api/v1/hang {\n\timport service hang %s 14MiB\n}\n", receiver.Listener.Addr())
	return errors.Join(os.WriteFile(filepath.Join(s.ServicesDir(), "hang.caddy"), []byte(hang), 0o600), writeCertificate())
}

// writeCertificate writes a certificate with its key.
func writeCertificate() error {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	content := slices.Concat(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "tls.pem"), content, 0o600))
}

// restart kills the programs and starts them anew, so that they remember nothing.
func restart(t *testing.T, withTLS bool) {
	t.Helper()
	file := filepath.Join(dir, "tls.pem")
	url = stack.URL
	for _, p := range stack.Programs() {
		p.Env = env[p.Name]
		if withTLS && p.Name == "gateway" {
			url = strings.Replace(url, "http:", "https:", 1)
			tls := []string{"GATEWAY_TLS=on", "GATEWAY_TLS_CERTIFICATE=" + file, "GATEWAY_TLS_KEY=" + file}
			p.Env = slices.Concat(p.Env, tls)
		}
		if !p.Ended() {
			_ = p.Kill()
		}
	}
	tmp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.RemoveAll(tmp), os.Mkdir(tmp, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, p := range stack.Programs() {
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// receive is the receiver of webhooks, and a service that is ready and hangs.
func receive(_ http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "/hang") {
		<-r.Context().Done()
		return
	}
	body, _ := io.ReadAll(r.Body)
	arrive(shipmentID.FindString(string(body)))
}

// mailServer needs a while for each mail, as others do.
type mailServer struct{ to string }

func (mailServer) NewSession(*smtp.Conn) (smtp.Session, error)  { return &mailServer{}, nil }
func (*mailServer) Mail(string, *smtp.MailOptions) error        { return nil }
func (s *mailServer) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = to; return nil }
func (*mailServer) Reset()                                      {}
func (*mailServer) Logout() error                               { return nil }

func (s *mailServer) Data(io.Reader) error {
	time.Sleep(100 * time.Millisecond)
	arrive(s.to)
	return nil
}

var arrivals sync.Map

// arrival has an element once the webhook of a shipment, or a mail to an address, has arrived.
func arrival(of string) chan struct{} {
	arrival, _ := arrivals.LoadOrStore(of, make(chan struct{}, 1))
	return arrival.(chan struct{})
}

func arrive(of string) {
	select {
	case arrival(of) <- struct{}{}:
	default: // it has arrived before
	}
}
