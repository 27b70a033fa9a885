package people_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// post is a mail server, and the programs that use it at one time.
type post struct {
	db     *sqlx.DB
	people *people.Service
	tokens *tokens.Service
	now    time.Time
	down   error
	sent   []people.Delivery
}

func (p *post) Send(_ context.Context, d people.Delivery) error {
	if p.down == nil {
		p.sent = append(p.sent, d)
	}
	return p.down
}

func posting(t *testing.T) *post {
	t.Helper()
	p := &post{db: database(t), now: time.Now().UTC().Truncate(time.Second)}
	p.restart(t)
	return p
}

func (p *post) restart(t *testing.T) {
	t.Helper()
	peppers, err := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	repo, clock := postgres.NewRepository(p.db), func() time.Time { return p.now }
	p.people = people.NewService(repo, people.Config{Passwords: cheap(), Mail: p, Now: clock})
	p.tokens = tokens.NewService(repo, tokens.Config{Peppers: peppers, Now: clock, Notices: p.people.NoticesOfToken})
}

// delivers sends what is due, and fails unless these are the mails and the events in each.
func (p *post) delivers(t *testing.T, want ...string) {
	t.Helper()
	p.sent = nil
	if _, err := p.people.Deliver(t.Context()); !errors.Is(err, p.down) {
		t.Error(err)
	}
	var got []string
	for _, d := range p.sent {
		got = append(got, fmt.Sprintf("%s to %s: %d", d.Name, d.To, d.Events))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q were sent, want %q", got, want)
	}
}

func (p *post) token(t *testing.T, by people.User, end time.Time) {
	t.Helper()
	_, _, err := p.tokens.CreateToken(t.Context(), acting(by, tokens.RoleOwner), org,
		tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}, ExpiresAt: end})
	if err != nil {
		t.Fatal(err)
	}
}

const owner = "anna@acme.example"

func TestNoticesOutliveOutagesAndRestarts(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	p.token(t, u, p.now.AddDate(0, 0, 30))
	p.delivers(t, "made to "+owner+": 1")
	p.now, p.down = p.now.AddDate(0, 0, 24), errors.New("connection refused")
	for range 2 { // the second time there is nothing new
		if err := p.people.NotifyExpiring(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.delivers(t)
	p.restart(t)
	p.down = nil
	p.delivers(t) // the next attempt is later
	p.now = p.now.Add(10 * time.Second)
	p.delivers(t, "expiring to "+owner+": 1")
	p.now = p.now.AddDate(0, 0, 1)
	p.delivers(t)
}

func TestNoticesAreGathered(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	p.token(t, u, time.Time{})
	p.delivers(t, "made to "+owner+": 1")
	for range 30 {
		p.token(t, u, time.Time{})
	}
	p.delivers(t)
	p.now = p.now.Add(10 * time.Minute)
	p.delivers(t, "made to "+owner+": 30")
	if d := p.sent[0]; len(d.Letters) != 20 || d.More() != 10 || d.Letters[0].Token.Name != "ERP" {
		t.Errorf("%d letters, %d more", len(d.Letters), d.More())
	}
}

// TestCodesAreMadeWhenTheirMailIsSent, so that none is stored, and a mail that was sent late or twice has a good one.
func TestCodesAreMadeWhenTheirMailIsSent(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	for _, address := range []string{owner, "unknown@acme.example"} {
		if err := p.people.RequestReset(t.Context(), address, here); err != nil {
			t.Fatal(err)
		}
	}
	invite(t, p.people, u, "bert@acme.example", "member")
	p.down = errors.New("connection refused")
	for range 2 {
		p.delivers(t)
		p.now = p.now.Add(time.Second)
	}
	if open, err := p.people.Invitations(t.Context(), org); err != nil || len(open) != 1 || !open[0].Unsent {
		t.Errorf("%+v, %v, want one whose mail was not sent", open, err)
	}
	p.now, p.down = p.now.Add(10*time.Second), nil
	p.delivers(t, "reset to "+owner+": 1", "invitation to bert@acme.example: 1")
	reset, invited := p.sent[0].Letters[0], p.sent[1].Letters[0]
	var stored string
	if err := p.db.Get(&stored, `SELECT string_agg(m::text, ' ') FROM mails m`); err != nil ||
		strings.Contains(stored, reset.Code) || strings.Contains(stored, invited.Code) {
		t.Errorf("%s, %v", stored, err)
	}
	if _, err := p.people.ResetPassword(t.Context(), owner, reset.Code, secret+secret, here); err != nil {
		t.Error(err)
	}
	if invited.Invitation.OrganizationName != "Acme" {
		t.Errorf("%+v", invited.Invitation)
	}
	accept(t, p.people, people.Acceptance{Email: "bert@acme.example", Code: invited.Code, Name: "Bert", Password: secret})
}

// TestAResetDoesNotVoidAVerification: nor does a verification void a reset.
func TestAResetDoesNotVoidAVerification(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	codes := map[string]string{}
	for _, ask := range []func() error{
		func() error { return p.people.RequestVerification(t.Context(), u, here) },
		func() error { return p.people.RequestReset(t.Context(), owner, here) },
	} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.people.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := p.sent[len(p.sent)-1]
		codes[last.Name] = last.Letters[0].Code
	}
	if err := p.people.VerifyAddress(t.Context(), u, codes["verify"], here); err != nil {
		t.Error(err)
	}
	if _, err := p.people.ResetPassword(t.Context(), owner, codes["reset"], secret+secret, here); err != nil {
		t.Error(err)
	}
}

// TestSignInsInNewBrowsersAndNewPasswordsAreMailed, also of accounts without a password.
func TestSignInsInNewBrowsersAndNewPasswordsAreMailed(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	if _, err := p.people.ChangePassword(t.Context(), u.ID, secret, newSecret, here); err != nil {
		t.Fatal(err)
	}
	p.delivers(t, "factor to "+owner+": 1")
	p.now = p.now.Add(time.Hour)
	u, _, err := p.people.SignInWith(t.Context(), claims("1", owner), "", here)
	if err != nil {
		t.Fatal(err)
	}
	p.delivers(t, "factor to "+owner+": 1") // an issuer was connected
	client := here
	for _, want := range [][]string{{"sign-in to " + owner + ": 1"}, nil} {
		if _, _, err := p.people.SignInWith(t.Context(), claims("1", owner), "", client); err != nil {
			t.Fatal(err)
		}
		p.delivers(t, want...)
		if client.Device, err = p.people.NewDevice(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		p.now = p.now.Add(time.Hour)
	}
}

func TestExpiredMailsAreNotSent(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	if err := p.people.RequestReset(t.Context(), owner, here); err != nil {
		t.Fatal(err)
	}
	p.token(t, u, time.Time{})
	invite(t, p.people, u, "bert@acme.example", "member")
	p.now = p.now.Add(people.CodeLife)
	p.delivers(t, "made to "+owner+": 1", "invitation to bert@acme.example: 1")
	p.token(t, u, time.Time{})
	p.now = p.now.AddDate(0, 0, 3)
	p.delivers(t)
}

func TestMailedInvitationsAreBounded(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	invited := func(address string) error {
		_, _, err := p.people.Invite(t.Context(), acting(u, tokens.RoleOwner), org, address, "member")
		return err
	}
	for n := range 4 {
		throttled := new(people.ThrottledError)
		if err := invited("victim@other.example"); errors.As(err, &throttled) != (n == 3) {
			t.Errorf("invitation %d to one address: %v", n, err)
		}
	}
	for n := range 48 {
		throttled := new(people.ThrottledError)
		if err := invited(fmt.Sprintf("%d@other.example", n)); errors.As(err, &throttled) != (n == 47) {
			t.Errorf("invitation %d of the organization: %v", n+3, err)
		}
	}
}

// TestAMailIsSentByOneReplica, until the time for it is over: then the replica may be gone. A mail without an attempt
// comes before.
func TestAMailIsSentByOneReplica(t *testing.T) {
	t.Parallel()
	p := posting(t)
	u, _ := enroll(t, p.people, anna)
	p.token(t, u, time.Time{})
	repo := postgres.NewRepository(p.db)
	claims := func(at time.Time, want string) {
		t.Helper()
		d, err := repo.ClaimMail(t.Context(), at, at.Add(time.Minute))
		if d.Name != want || (err != nil) != (want == "") {
			t.Errorf("%q, %v, want %q", d.Name, err, want)
		}
	}
	claims(p.now, "made")
	claims(p.now.Add(59*time.Second), "")
	p.now = p.now.Add(2 * time.Minute)
	invite(t, p.people, u, "bert@acme.example", "member")
	claims(p.now, people.MailInvitation)
	claims(p.now, "made")
}

// outbox has one mail.
type outbox struct {
	people.Repository

	due time.Time
}

func (o *outbox) ClaimMail(_ context.Context, now, _ time.Time) (people.Delivery, error) {
	return people.Delivery{Name: "made", Attempts: 3, ExpiresAt: now.Add(time.Hour)}, nil
}

func (o *outbox) SettleMail(ctx context.Context, _ people.Delivery, due time.Time) error {
	o.due = due
	return ctx.Err()
}

func (o *outbox) Send(ctx context.Context, _ people.Delivery) error { <-ctx.Done(); return ctx.Err() }

func TestTheWaitAfterAFailureAlsoHoldsWhenTheMailServerHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := new(outbox)
		n, err := people.NewService(o, people.Config{Mail: o}).Deliver(t.Context())
		if wait := time.Until(o.due); n != 0 || wait.Round(time.Second) != 40*time.Second {
			t.Errorf("%d sent, %v; the next attempt is in %v", n, err, wait)
		}
	})
}
