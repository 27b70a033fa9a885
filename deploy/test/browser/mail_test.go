package browser

import (
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// inbox is an SMTP server that keeps the last mail with a subject to each address.
type inbox struct {
	mu    sync.Mutex
	mails map[string]string // the text, by recipient and subject
}

// mailbox has what the product sends.
var mailbox = &inbox{mails: map[string]string{}}

// listen starts the server and returns the product's settings.
func (i *inbox) listen() (env []string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() { _ = smtp.NewServer(i).Serve(l) }()
	return []string{"SMTP_URL=smtp://" + l.Addr().String(), "MAIL_FROM=Quayside <q@quayside.example>"}, nil
}

func (i *inbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &delivery{inbox: i}, nil }

// delivery is a session.
type delivery struct {
	inbox *inbox
	to    string
}

func (d *delivery) Mail(string, *smtp.MailOptions) error      { return nil }
func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error { d.to = to; return nil }
func (d *delivery) Reset()                                    {}
func (d *delivery) Logout() error                             { return nil }

func (d *delivery) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	d.inbox.mu.Lock()
	defer d.inbox.mu.Unlock()
	d.inbox.mails[d.to+" "+m.Header.Get("Subject")] = string(text)
	return err
}

// takes waits for a mail and returns the path of its link.
func (b *tab) takes(to, subject string) (link string) {
	b.Helper()
	key := to + " " + subject
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		mailbox.mu.Lock()
		text := mailbox.mails[key]
		mailbox.mu.Unlock()
		if found := regexp.MustCompile(`(?m)^https?://[^/\s]+(/\S*)`).FindStringSubmatch(text); found != nil {
			return found[1]
		}
		if time.Now().After(deadline) {
			b.Fatalf("no mail %q with a link: %q", key, text)
		}
	}
}

// An invited person joins by the link in the mail, and later resets a forgotten password by another.
func TestMailedLinksLeadToTheirPages(t *testing.T) {
	t.Parallel()
	o := found(t, "Valle Verde")
	invited := person{email: "mail." + o.owner.email, password: "salt and citrus winds"}
	owner := enter(t, o)
	owner.visit(o.path("/members"))
	owner.fill("#email", invited.email)
	owner.follow("#invite")
	owner.sees("The invitation is on its way to " + invited.email)
	owner.accessible()

	b := open(t)
	b.visit(b.takes(invited.email, "Invitation to Valle Verde"))
	b.awaits(`location.hash === "" && document.querySelector("#code").value !== ""`)
	b.accessible()
	b.fill("#name", "Thandi Nkosi")
	b.fill("#password", invited.password)
	b.follow("#accept")
	b.sees("Thandi Nkosi")
	b.visit("/settings/account")
	b.sees(invited.email)
	b.accessible()
	if strings.Contains(b.body(), "not verified") {
		t.Error("the mailed invitation did not verify the address")
	}
	b.follow("#to-password")
	b.accessible()

	lost := open(t)
	lost.visit("/sign-in")
	lost.follow("#to-forgot")
	lost.accessible()
	lost.fill("#email", invited.email)
	lost.follow("#send")
	lost.sees("the newest mail")
	lost.visit(lost.takes(invited.email, "Reset your Quayside password"))
	lost.awaits(`location.hash === "" && document.querySelector("#code").value !== ""`)
	lost.accessible()
	invited.password = "a quay of many oranges"
	lost.fill("#password", invited.password)
	lost.follow("#reset")
	lost.sees("Your password was set.")
	lost.signIn(invited)
	b.visit(o.shipments(""))
	b.sees("Your session has ended")
	b.accessible()
}
