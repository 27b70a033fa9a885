package mail

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

const password = "s3cret"

// server is an SMTP server that keeps what it learns.
type server struct {
	credentials, senders chan string
	login                bool // it offers AUTH, and takes mail after it only
	known                bool // the session's person
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) {
	session := *s
	if s.login {
		return &loginSession{&session}, nil
	}
	return &session, nil
}

func (s *server) Mail(from string, _ *smtp.MailOptions) error {
	if s.login && !s.known {
		return smtp.ErrAuthRequired
	}
	s.senders <- from
	return nil
}
func (s *server) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *server) Data(r io.Reader) error               { _, err := io.Copy(io.Discard, r); return err }
func (s *server) Reset()                               {}
func (s *server) Logout() error                        { return nil }

type loginSession struct{ *server }

func (s *loginSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *loginSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, given string) error {
		s.credentials <- name + ":" + given
		if s.known = given == password; !s.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

// TestMailIsEncryptedAndLogsIn by TLS from the start and by STARTTLS. A remote server without encryption, which a
// man-in-the-middle can strip, or with another's certificate gets neither the password nor the mail.
func TestMailIsEncryptedAndLogsIn(t *testing.T) {
	t.Parallel()
	authority := httptest.NewTLSServer(nil)
	t.Cleanup(authority.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(authority.Certificate())
	const remote, sender = "mail.example.com", "q@example.com"
	for name, c := range map[string]struct {
		scheme, host, password    string
		encrypted, login, foreign bool
		logsIn, sends             bool
	}{
		"STARTTLS":                        {scheme: "smtp", host: remote, encrypted: true, sends: true},
		"STARTTLS, login":                 {"smtp", remote, password, true, true, false, true, true},
		"STARTTLS, wrong password":        {"smtp", remote, "wr0ng", true, true, false, true, false},
		"STARTTLS, another's certificate": {"smtp", remote, password, true, true, true, false, false},
		"TLS, login":                      {"smtps", remote, password, true, true, false, true, true},
		"TLS, another's certificate":      {"smtps", remote, password, true, true, true, false, false},
		"no encryption":                   {scheme: "smtp", host: remote, password: password, login: true},
		"no encryption, no login":         {scheme: "smtp", host: remote},
		"this machine":                    {scheme: "smtp", host: "127.0.0.1", sends: true},
	} {
		there := &server{credentials: make(chan string, 9), senders: make(chan string, 9), login: c.login}
		running := smtp.NewServer(there)
		running.AllowInsecureAuth = true
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		if c.encrypted {
			running.TLSConfig = authority.TLS
		}
		if c.scheme == "smtps" {
			listener = tls.NewListener(listener, authority.TLS)
		}
		go func() { _ = running.Serve(listener) }()
		t.Cleanup(func() { _ = running.Close() })

		u := url.URL{Scheme: c.scheme, Host: c.host + ":" + port}
		if c.password != "" {
			u.User = url.UserPassword("quayside", c.password)
		}
		s, err := New(u.String(), "Quayside <"+sender+">", &url.URL{})
		if err != nil {
			t.Fatal(err)
		}
		s.host = "127.0.0.1"
		if !c.foreign {
			s.options = append(s.options, gomail.WithTLSConfig(&tls.Config{ServerName: s.host, RootCAs: trusted}))
		}
		err = s.Send(t.Context(), people.Delivery{
			To: "anna@acme.example", Name: "reset", Letters: []people.Letter{{Code: "ABCD-EFGH"}}, Events: 1,
		})
		if c.sends != (err == nil) || err != nil && (strings.Contains(err.Error(), password) ||
			strings.Contains(err.Error(), "wr0ng") || strings.Contains(err.Error(), "ABCD")) {
			t.Errorf("%s: %v", name, err)
		}
		if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok != c.foreign {
			t.Errorf("%s: %v", name, certificate)
		}
		for what, got := range map[string]struct {
			learned chan string
			want    string
			yes     bool
		}{
			"a login": {there.credentials, "quayside:" + c.password, c.logsIn}, "a mail": {there.senders, sender, c.sends},
		} {
			select {
			case text := <-got.learned:
				if !got.yes || text != got.want {
					t.Errorf("%s: %s of %q", name, what, text)
				}
			default:
				if got.yes {
					t.Errorf("%s: no %s", name, what)
				}
			}
		}
	}
}
