// Package mail sends mail by SMTP: plain text, without anything that is loaded from elsewhere.
//
// Guarantees: the connection is encrypted, by TLS from the start (smtps) or STARTTLS (smtp),
// unless the server is on this machine; a code is in the text and in the fragment of a link,
// which browsers send to no server; and no error has the text of a mail or the password.
package mail

import (
	"context"
	_ "embed" // for the texts
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"text/template"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// timeout bounds the connection, and then the sending.
const timeout = 4 * time.Second

// Server is how mail is sent.
type Server struct {
	options []gomail.Option
	host    string
	from    string
	texts   *template.Template
}

// New returns a server from a URL such as smtp://user:password@mail.example.com:587. from is
// the sender, such as Quayside <quayside@example.com>; public the address of the pages.
func New(server, from string, public *url.URL) (*Server, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, fmt.Errorf("must be like smtp://user:password@mail.example.com:587, or smtps")
	}
	if err := gomail.NewMsg().From(from); err != nil {
		return nil, fmt.Errorf("the sender is not an address such as Quayside <quayside@example.com>")
	}
	s := &Server{host: u.Hostname(), from: from, texts: readTexts(public)}
	s.options = append(s.options, gomail.WithTimeout(timeout))
	switch {
	case u.Scheme == "smtps":
		s.options = append(s.options, gomail.WithSSLPort(false))
	case address.Loopback(u.Hostname()):
		s.options = append(s.options, gomail.WithTLSPortPolicy(gomail.NoTLS))
	default:
		s.options = append(s.options, gomail.WithTLSPortPolicy(gomail.TLSMandatory))
	}
	if port, _ := strconv.Atoi(u.Port()); port > 0 { // digits, or none
		s.options = append(s.options, gomail.WithPort(port))
	}
	if name := u.User.Username(); name != "" {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(name), gomail.WithPassword(password))
	}
	return s, nil
}

//go:embed mails.txt
var mails string

// readTexts reads the mails' texts, with links to the pages at an address.
func readTexts(public *url.URL) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"minute": func(t time.Time) string { return t.Format("2 Jan 2006, 15:04 UTC") },
		"life":   func() int { return int(people.CodeLife.Minutes()) },
		"page":   func(path ...any) string { return public.JoinPath(tokens.Texts(path)...).String() },
		// A page whose form the fragment fills in.
		"link": func(path, email, code string) string {
			return public.JoinPath(path).String() + "#" + url.Values{"email": {email}, "code": {code}}.Encode()
		},
	}).Parse(mails))
}

// Send implements people.Mail.
func (s *Server) Send(ctx context.Context, d people.Delivery) error {
	var b strings.Builder
	if err := s.texts.ExecuteTemplate(&b, d.Name, d); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	subject, text, _ := strings.Cut(b.String(), "\n")
	m := gomail.NewMsg()
	if err := m.From(s.from); err != nil {
		return fmt.Errorf("mail from %s: %w", s.from, err)
	}
	if err := m.To(d.To); err != nil {
		return fmt.Errorf("mail to %s: %w", d.To, err)
	}
	m.Subject(subject)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetMessageID()
	m.SetDate()
	m.SetBodyString(gomail.TypeTextPlain, text)
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.host, err)
	}
	if err := client.DialAndSendWithContext(ctx, m); err != nil {
		return fmt.Errorf("mail to %s by %s: %w", d.To, s.host, err)
	}
	return nil
}

var _ people.Mail = (*Server)(nil)
