package web

import (
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	netmail "net/mail"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/quayside/quayside/tokens-svc/internal/mail"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const newSignIn = "New sign-in to Quayside"

// message is a mail that arrived.
type message struct{ to, from, subject, text string }

// inbox is an SMTP server's sessions.
type inbox struct {
	arrived chan message
	from    string
	to      string
}

func (i *inbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &inbox{arrived: i.arrived}, nil }
func (i *inbox) Mail(from string, _ *smtp.MailOptions) error { i.from = from; return nil }
func (i *inbox) Reset()                                      {}
func (i *inbox) Rcpt(to string, _ *smtp.RcptOptions) error   { i.to = to; return nil }
func (i *inbox) Logout() error                               { return nil }

func (i *inbox) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	i.arrived <- message{i.to, m.Header.Get("From"), m.Header.Get("Subject"), string(text)}
	return err
}

// mailing returns a world that sends mail, and what arrives.
func mailing(t *testing.T) (*world, <-chan message) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan message, 20)
	server := smtp.NewServer(&inbox{arrived: arrived})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	public, _ := url.Parse(origin)
	sender, err := mail.New("smtp://"+listener.Addr().String(), "Quayside <quayside@quayside.example>", public)
	if err != nil {
		t.Fatal(err)
	}
	return startMailing(t, sender), arrived
}

// deliver sends the mails that are due.
func (w *world) deliver(t *testing.T) {
	t.Helper()
	if _, err := w.people.Deliver(t.Context()); err != nil {
		t.Error(err)
	}
}

// next returns what arrived first.
func next(t *testing.T, arrived <-chan message) message {
	t.Helper()
	select {
	case m := <-arrived:
		return m
	default:
		t.Fatal("no mail arrived")
		return message{}
	}
}

// mailed returns the code in the next mail to an address that has one.
func mailed(t *testing.T, w *world, arrived <-chan message, to string) (code string) {
	t.Helper()
	w.deliver(t)
	m := next(t, arrived)
	for m.subject == newSignIn {
		m = next(t, arrived)
	}
	code = regexp.MustCompile(`(?m)^[A-Z2-7]{4}(-[A-Z2-7]{4}){4}\r?$`).FindString(m.text)
	if m.to != to || m.from != `"Quayside" <quayside@quayside.example>` || code == "" {
		t.Fatalf("%+v", m)
	}
	return strings.TrimSpace(code)
}

func TestAPasswordIsResetByAMailedCode(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	anna := w.member(t, tokens.RoleMember)
	w.exec(t, `UPDATE users SET verified_at = NULL`)
	const address = "member@acme.example"
	lost := w.browser()
	want(t, lost.get(t, "/sign-in"), http.StatusOK, "Forgot your password?")
	unknown := lost.post(t, "/sign-in/forgot", url.Values{"email": {"nobody@acme.example"}})
	known := lost.post(t, "/sign-in/forgot", url.Values{"email": {address}})
	w.deliver(t)
	if a, b := unknown.Body.String(), known.Body.String(); strings.ReplaceAll(a, "nobody@", "member@") != b {
		t.Errorf("%s\n%s", a, b)
	}
	code := mailed(t, w, arrived, address)
	form := url.Values{"email": {address}, "code": {code}, "password": {"short"}}
	want(t, lost.post(t, "/sign-in/reset", form), http.StatusUnprocessableEntity, `href="#password"`)
	form.Set("password", "a completely new phrase")
	wrong := url.Values{"email": {"owner@acme.example"}, "code": {code}, "password": {"a completely new phrase"}}
	want(t, lost.post(t, "/sign-in/reset", wrong), http.StatusUnprocessableEntity, "This code isn't valid")
	wantTo(t, lost.post(t, "/sign-in/reset", form), "/sign-in?reset=1")
	want(t, lost.post(t, "/sign-in/reset", form), http.StatusUnprocessableEntity, "This code isn't valid")
	wantTo(t, anna.get(t, "/settings/account"), "/sign-in?ended=1&next=%2Fsettings%2Faccount")
	wantTo(t, lost.post(t, "/sign-in", url.Values{"email": {address}, "password": {"a completely new phrase"}}), home)
	w.pass(people.MailKindOf("sign-in").Pause)
	if n := w.count(t, `SELECT count(*) FROM users WHERE verified_at IS NOT NULL`); n != 1 {
		t.Error("the address is not verified")
	}
	w.deliver(t)
	// Of the unknown account there is none, and the browser of the reset is known.
	if m := next(t, arrived); !strings.Contains(m.text, "Your password was reset") || len(arrived) != 0 {
		t.Errorf("%+v", m)
	}
	if log := w.log.String(); strings.Contains(log, code) {
		t.Error(log)
	}
}

func TestMailedCodesEnd(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	w.member(t, tokens.RoleMember)
	const address = "member@acme.example"
	request := url.Values{"email": {address}}
	lost := w.browser()
	want(t, lost.post(t, "/sign-in/forgot", request), http.StatusOK)
	first := mailed(t, w, arrived, address)
	want(t, lost.post(t, "/sign-in/forgot", request), http.StatusOK)
	second := mailed(t, w, arrived, address)
	w.deliver(t)
	form := url.Values{"email": {address}, "code": {first}, "password": {"a completely new phrase"}}
	want(t, lost.post(t, "/sign-in/reset", form), http.StatusUnprocessableEntity, "This code isn't valid")
	w.pass(people.CodeLife)
	form.Set("code", second)
	want(t, lost.post(t, "/sign-in/reset", form), http.StatusUnprocessableEntity, "This code isn't valid")
	w.exec(t, `UPDATE users SET disabled_at = now()`)
	want(t, lost.post(t, "/sign-in/forgot", request), http.StatusOK)
	w.deliver(t)
	if len(arrived) != 0 {
		t.Errorf("a disabled account gets %+v", <-arrived)
	}
}

// TestStrangersDoNotKeepTheHolderFromResetting: they cause three mails, of which the last has
// a code that is good for the rest of the window.
func TestStrangersDoNotKeepTheHolderFromResetting(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	w.member(t, tokens.RoleMember)
	const address = "member@acme.example"
	stranger, holder := w.browser(), w.browser()
	stranger.address = "198.51.100.66"
	code := ""
	for i := range people.AttemptsPerAddress {
		want(t, stranger.post(t, "/sign-in/forgot", url.Values{"email": {address}}), http.StatusOK)
		w.deliver(t)
		if i < 3 {
			code = mailed(t, w, arrived, address)
		}
	}
	want(t, stranger.post(t, "/sign-in/forgot", url.Values{"email": {address}}), http.StatusTooManyRequests,
		"Too many attempts")
	w.pass(people.AttemptWindow - time.Second)
	want(t, holder.post(t, "/sign-in/forgot", url.Values{"email": {address}}), http.StatusOK, "the newest mail")
	w.deliver(t)
	if len(arrived) > 0 {
		t.Errorf("one more: %+v", <-arrived)
	}
	form := url.Values{"email": {address}, "code": {code}, "password": {"a completely new phrase"}}
	wantTo(t, holder.post(t, "/sign-in/reset", form), "/sign-in?reset=1")
}

func TestAMailedInvitationVerifiesTheAddress(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	owner := w.member(t, tokens.RoleOwner)
	path := "/settings/" + string(acme) + "/members/invitations"
	wantTo(t, owner.post(t, path, url.Values{"email": {"new@acme.example"}, "role": {"member"}}),
		"/settings/"+string(acme)+"/members")
	want(t, owner.get(t, "/settings/"+string(acme)+"/members"), http.StatusOK, "on its way to new@acme.example")
	code := mailed(t, w, arrived, "new@acme.example")
	wantTo(t, w.browser().post(t, "/sign-in/invitation", acceptance("new@acme.example", code)), shipmentsOfAcme)
	if n := w.count(t, `SELECT count(*) FROM users WHERE email = 'new@acme.example' AND verified_at IS NOT NULL`); n != 1 {
		t.Error("the address is not verified")
	}
}

func TestAnAddressIsVerifiedByAMailedCode(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	member := w.member(t, tokens.RoleMember)
	w.exec(t, `UPDATE users SET verified_at = NULL`)
	want(t, member.get(t, "/settings/account"), http.StatusOK, `href="/settings/verify"`)
	wantTo(t, member.post(t, "/settings/verify/send", nil), "/settings/verify")
	code := mailed(t, w, arrived, "member@acme.example")
	want(t, member.post(t, "/settings/verify", url.Values{"code": {"AAAA-BBBB"}}), http.StatusUnprocessableEntity)
	reset := url.Values{"email": {"member@acme.example"}, "code": {code}, "password": {"a completely new phrase"}}
	want(t, w.browser().post(t, "/sign-in/reset", reset), http.StatusUnprocessableEntity, "This code isn't valid")
	wantTo(t, member.post(t, "/settings/verify", url.Values{"code": {strings.ToLower(code)}}), "/settings")
	want(t, member.get(t, "/settings/account"), http.StatusOK, `!href="/settings/verify"`)
}

func TestWithoutMailThereAreNoCodes(t *testing.T) {
	t.Parallel()
	w := start(t)
	member := w.member(t, tokens.RoleMember)
	want(t, member.get(t, "/sign-in/forgot"), http.StatusNotFound)
	for _, path := range []string{"/sign-in/forgot", "/sign-in/reset", "/settings/verify", "/settings/verify/send"} {
		want(t, member.post(t, path, url.Values{"email": {"member@acme.example"}}), http.StatusNotFound)
	}
}

func TestPeopleAreToldOfWhatIsDoneInTheirName(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	told := func(to, subject string, texts ...string) {
		t.Helper()
		w.deliver(t)
		m := next(t, arrived)
		for _, text := range append(texts, "\r\n") {
			if m.to != to || m.subject != subject || !strings.Contains(m.text, text) {
				t.Errorf("%q is not in %+v", text, m)
			}
		}
		if len(arrived) > 0 {
			t.Errorf("one more: %+v", <-arrived)
		}
	}
	owner := w.member(t, tokens.RoleOwner)
	told("owner@acme.example", newSignIn, "192.0.2.7", origin+"/settings/account")
	owner.post(t, "/settings/sign-out", nil)
	owner.post(t, "/sign-in", url.Values{"email": {owner.email}, "password": {secret}}) // in a browser that is known

	form := owner.generateForm(t)
	form.Set("owner", "organization")
	want(t, owner.post(t, api(""), form), http.StatusOK, "Copy your new token")
	told("owner@acme.example", "API token ERP of Acme Citrus", "created by owner@acme.example, from 192.0.2.7")

	member := w.member(t, tokens.RoleMember)
	told("member@acme.example", newSignIn)
	token := w.token(t, member, "Scanner")
	told("member@acme.example", "API token Scanner of Acme Citrus", origin+api("/"+string(token.ID)))
	id := w.query(t, `SELECT id FROM users WHERE email = 'member@acme.example'`)
	for range 2 { // the second time nothing changes
		owner.post(t, "/settings/"+string(acme)+"/members/"+id+"/role", url.Values{"role": {"packer"}})
	}
	told("member@acme.example", "Your role in Acme Citrus", "owner@acme.example", "packer")

	w.pass(84 * day)
	for range 2 { // each token once
		if err := w.people.NotifyExpiring(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.deliver(t)
	first, second := next(t, arrived), next(t, arrived)
	for _, m := range []message{first, second} {
		if !strings.HasSuffix(m.subject, "expires soon") || len(arrived) > 0 {
			t.Errorf("%+v", m)
		}
	}
	if first.to == second.to {
		t.Errorf("both go to %s", first.to)
	}
}
