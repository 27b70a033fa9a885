package mail

import (
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
)

// server is one without encryption, which refuses every mail that it gets.
type server struct{ senders chan string }

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return s, nil }
func (s *server) Mail(from string, _ *smtp.MailOptions) error {
	s.senders <- from
	return smtp.ErrAuthRequired
}
func (s *server) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *server) Data(io.Reader) error                 { return nil }
func (s *server) Reset()                               {}
func (s *server) Logout() error                        { return nil }

// TestMailGoesUnencryptedToThisMachineOnly: a remote server without STARTTLS, which a
// man-in-the-middle can strip, gets neither the password nor the mail.
func TestMailGoesUnencryptedToThisMachineOnly(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"127.0.0.1": "q@example.com", "mail.example.com": ""} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		there := &server{make(chan string, 1)}
		running := smtp.NewServer(there)
		go func() { _ = running.Serve(listener) }()
		t.Cleanup(func() { _ = running.Close() })
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		s, err := New("smtp://"+host+":"+port, "Quayside <q@example.com>", &url.URL{})
		if err != nil {
			t.Fatal(err)
		}
		s.host = "127.0.0.1"
		err = s.Send(t.Context(), "anna@acme.example", "x", "s3cret text")
		got := ""
		select {
		case got = <-there.senders:
		default:
		}
		if err == nil || got != want || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got a mail of %q, %v", host, got, err)
		}
	}
}
