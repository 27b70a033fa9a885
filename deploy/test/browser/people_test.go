package browser

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// person is a user who can sign in.
type person struct{ email, password string }

// organization is an organization of one test.
type organization struct {
	id    string
	name  string
	owner person
}

// path is the address of one of its pages.
func (o organization) path(page string) string { return "/settings/" + o.id + page }

// found creates an organization with an owner.
func found(t *testing.T, name string) organization {
	t.Helper()
	if stack == nil {
		t.Skip("no Chromium on PATH; on Debian: apt-get install chromium")
	}
	id, err := stack.CreateOrganization(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	o := organization{id: id, name: name}
	o.owner = o.join(t, "owner")
	return o
}

var lastPerson atomic.Int32

// join makes a new user a member of the organization.
func (o organization) join(t *testing.T, role string) person {
	t.Helper()
	p := person{email: fmt.Sprintf("%s%d@quayside.example", role, lastPerson.Add(1))}
	var err error
	if p.password, err = stack.CreateUser(t.Context(), p.email, o.id, role); err != nil {
		t.Fatal(err)
	}
	if p.password == "" {
		t.Fatalf("%s was there already", p.email)
	}
	db, err := sql.Open("postgres", stack.DSN("tokens"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	// As if they had chosen it themselves.
	_, err = db.ExecContext(t.Context(), `UPDATE users SET password_temporary = false WHERE email = $1`, p.email)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// admit makes an existing user a member of the organization.
func (o organization) admit(t *testing.T, p person, role string) {
	t.Helper()
	if _, err := stack.CreateUser(t.Context(), p.email, o.id, role); err != nil {
		t.Fatal(err)
	}
}

// signIn signs a user in on the current page. On a busy machine hashing the password
// may take longer than the time-out of a request; then signIn repeats it.
func (b *tab) signIn(p person) {
	b.Helper()
	page, status := b.path(), 0
	for range 5 {
		b.fill("#email", p.email)
		b.fill("#password", p.password)
		if status = b.follow("#sign-in"); status != http.StatusServiceUnavailable {
			break
		}
		b.visit(page)
	}
	if status != http.StatusOK || strings.HasPrefix(b.path(), "/sign-in") {
		b.Fatalf("after signing in: got the page %s, %d:\n%s", b.path(), status, b.body())
	}
}

// enter opens a browser with the tokens of the organization, signed in as its owner.
func enter(t *testing.T, o organization) *tab {
	t.Helper()
	b := open(t)
	b.visit(o.path("/api"))
	b.signIn(o.owner)
	if b.path() != o.path("/api") {
		t.Fatalf("after signing in: got the page %s, want the requested one", b.path())
	}
	return b
}
