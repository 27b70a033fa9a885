package web

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authn "github.com/descope/virtualwebauthn"
	totpcode "github.com/pquerna/otp/totp"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// addApp adds an authenticator app on the pages, and returns what it shows and the recovery codes.
func (b *browser) addApp(t *testing.T) (show func() string, recovery []string) {
	t.Helper()
	wantTo(t, b.post(t, securityPath+"/app/new", nil), securityPath+"/app")
	page := b.get(t, securityPath+"/app")
	want(t, page, http.StatusOK, `<svg class="qr"`)
	found := regexp.MustCompile(`id="key">([A-Z2-7]{32})<`).FindStringSubmatch(page.Body.String())
	if found == nil {
		t.Fatalf("no key in\n%s", page.Body)
	}
	show = func() string {
		code, err := totpcode.GenerateCode(found[1], b.clock())
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	want(t, b.post(t, securityPath+"/app", url.Values{"code": {"000000"}}), http.StatusUnprocessableEntity,
		"This code isn't valid.", found[1])
	shown := b.post(t, securityPath+"/app", url.Values{"code": {show()}})
	want(t, shown, http.StatusOK, "Keep your recovery codes")
	recovery = regexp.MustCompile(`([A-Z2-7]{4}-){4}[A-Z2-7]{4}`).FindAllString(shown.Body.String(), -1)
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes in\n%s", len(recovery), shown.Body)
	}
	return show, recovery
}

func TestWithAnAppThePasswordLeadsToThePageOfTheCode(t *testing.T) {
	t.Parallel()
	w := start(t)
	show, recovery := w.member(t, tokens.RoleOwner).addApp(t)
	w.pass(time.Minute)
	password := url.Values{"email": {"owner@acme.example"}, "password": {secret}, "next": {api("/new")}}
	b := w.browser()
	wantTo(t, b.post(t, "/sign-in", password), "/sign-in/code")
	before := b.cookie
	wantTo(t, b.get(t, api("")), "/sign-in?next="+url.QueryEscape(api("")))
	want(t, b.get(t, "/sign-in/code"), http.StatusOK, "authenticator app")
	want(t, b.post(t, "/sign-in/code", url.Values{"code": {"000000"}}), http.StatusUnprocessableEntity,
		"This code isn't valid.")
	wantTo(t, b.post(t, "/sign-in/code", url.Values{"code": {show()}}), api("/new"))
	if b.cookie == before {
		t.Error("the cookie is that of the time before the code")
	}
	want(t, b.get(t, api("/new")), http.StatusOK)
	wantTo(t, b.post(t, "/sign-in/code", url.Values{"code": {recovery[0]}}), "/sign-in?ended=1")

	other := w.browser()
	other.post(t, "/sign-in", password)
	wantTo(t, other.post(t, "/sign-in/code", url.Values{"code": {recovery[0]}}), api("/new"))
	want(t, other.get(t, securityPath), http.StatusOK, "9 recovery codes are unused", "!"+recovery[1])
	wantTo(t, other.post(t, "/settings/password", url.Values{"current": {secret}, "password": {secret + secret}}),
		"/sign-in/code")
	password.Set("password", secret+secret)
	late := w.browser()
	late.post(t, "/sign-in", password)
	w.pass(codeStepLife)
	wantTo(t, late.post(t, "/sign-in/code", url.Values{"code": {recovery[1]}}), "/sign-in?ended=1")
}

func TestAnInvitationDoesNotReplaceTheCode(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.member(t, tokens.RoleOwner).addApp(t)
	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	boss := w.signedIn(t, "boss@other.example")
	page := boss.post(t, "/settings/"+string(other)+"/members/invitations",
		url.Values{"email": {"owner@acme.example"}, "role": {"member"}})
	code := regexp.MustCompile(`([A-Z2-7]{4}-){4}[A-Z2-7]{4}`).FindString(page.Body.String())
	wantTo(t, w.browser().post(t, "/sign-in/invitation",
		url.Values{"email": {"owner@acme.example"}, "code": {code}, "password": {secret}}), "/sign-in/code")
}

func TestTheAppIsRemoved(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.member(t, tokens.RoleOwner)
	b.addApp(t)
	wantTo(t, b.post(t, securityPath+"/app/remove", nil), securityPath)
	want(t, b.get(t, securityPath), http.StatusOK, "Your password alone signs you in again.",
		"Add an authenticator app")
	w.signedIn(t, b.email)
	want(t, b.get(t, "/settings/"+string(acme)+"/audit-log"), http.StatusOK, "User factor added", "User factor removed")
}

// device is an authenticator of a browser with a passkey.
type device struct {
	authn.Authenticator
	authn.Credential
}

var party = authn.RelyingParty{ID: "quayside.example", Name: "Quayside", Origin: origin}

// sign returns the fields of a form with the passkey's answer to a new challenge.
func (b *browser) sign(t *testing.T, k *device, field string) url.Values {
	t.Helper()
	options, err := authn.ParseAssertionOptions(b.post(t, "/sign-in/passkey/challenge", nil).Body.String())
	if err != nil {
		t.Fatal(err)
	}
	k.Counter++
	return url.Values{field: {authn.CreateAssertionResponse(party, k.Authenticator, k.Credential, *options)}}
}

// addPasskey adds a passkey on the pages.
func (b *browser) addPasskey(t *testing.T) *device {
	t.Helper()
	options, err := authn.ParseAttestationOptions(b.post(t, securityPath+"/passkeys/challenge", nil).Body.String())
	if err != nil {
		t.Fatal(err)
	}
	k := &device{
		authn.NewAuthenticatorWithOptions(authn.AuthenticatorOptions{UserHandle: []byte(options.UserID)}),
		authn.NewCredential(authn.KeyTypeRSA),
	}
	wantTo(t, b.post(t, securityPath+"/passkeys", url.Values{
		"name":    {"Office laptop"},
		"passkey": {authn.CreateAttestationResponse(party, k.Authenticator, k.Credential, *options)},
	}), securityPath)
	return k
}

func TestAPasskeyIsAddedSignsInAndIsRemoved(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.member(t, tokens.RoleOwner)
	want(t, b.post(t, securityPath+"/passkeys", url.Values{"name": {"x"}, "passkey": {"{}"}}),
		http.StatusUnprocessableEntity, "Your browser made no passkey.")
	k := b.addPasskey(t)
	want(t, b.get(t, securityPath), http.StatusOK, "Office laptop", "never used")
	b.addApp(t)
	visitor := w.browser()
	want(t, visitor.get(t, "/sign-in"), http.StatusOK, "Passkeys need JavaScript",
		`data-passkey="/sign-in/passkey/challenge"`)
	form := visitor.sign(t, k, "passkey")
	form.Set("next", api(""))
	wantTo(t, visitor.post(t, "/sign-in/passkey", form), api(""))
	want(t, w.browser().post(t, "/sign-in/passkey", form), http.StatusUnprocessableEntity,
		"This passkey isn't valid here.")
	page := visitor.get(t, securityPath)
	want(t, page, http.StatusOK, "last used")
	id := regexp.MustCompile(`name="passkey" value="([^"]+)"`).FindStringSubmatch(page.Body.String())
	wantTo(t, visitor.post(t, securityPath+"/passkeys/remove", url.Values{"passkey": {id[1]}}), securityPath)
	stranger := w.browser()
	want(t, stranger.post(t, "/sign-in/passkey", stranger.sign(t, k, "passkey")), http.StatusUnprocessableEntity)
}

// TestAnOldSessionIsAskedBeforeEveryRouteThatNeedsAProof drives the table, so that a route that is added is tested.
func TestAnOldSessionIsAskedBeforeEveryRouteThatNeedsAProof(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.pass(proofLife + time.Second)
	before := countRows(t, w)
	n := 0
	for _, rt := range table {
		if !rt.proof {
			continue
		}
		n++
		_, path := concrete(rt.pattern)
		want(t, owner.post(t, path, url.Values{"name": {"<ERP>"}}), http.StatusForbidden, "Confirm that it",
			`action="`+path+`"`, `<input type="hidden" name="name" value="&lt;ERP&gt;">`, `id="proof-password"`)
	}
	if after := countRows(t, w); n < 10 || after != before {
		t.Errorf("%d routes: %+v became %+v", n, before, after)
	}
}

// sendKept sends the form that the page of the proof holds, with something added.
func (b *browser) sendKept(t *testing.T, page *httptest.ResponseRecorder, more url.Values) *httptest.ResponseRecorder {
	t.Helper()
	body, _, _ := strings.Cut(page.Body.String(), `id="prove"`)
	_, body, _ = strings.Cut(body, `id="prove-form"`)
	form := url.Values{}
	hidden := regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`)
	for _, field := range hidden.FindAllStringSubmatch(body, -1) {
		form.Add(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	maps.Copy(form, more)
	return b.post(t, api(""), form)
}

func TestAfterTheProofTheFormContinues(t *testing.T) {
	t.Parallel()
	for field, prepare := range map[string]func(*testing.T, *browser) (right func() string){
		"proof-password": func(*testing.T, *browser) func() string { return func() string { return secret } },
		"proof-code": func(t *testing.T, b *browser) func() string {
			t.Helper()
			show, _ := b.addApp(t)
			return show
		},
		"proof-passkey": func(t *testing.T, b *browser) func() string {
			t.Helper()
			k := b.addPasskey(t)
			return func() string { return b.sign(t, k, "proof-passkey").Get("proof-passkey") }
		},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			b := w.member(t, tokens.RoleOwner)
			right := prepare(t, b)
			form := b.generateForm(t)
			w.pass(proofLife + time.Second)
			page := b.post(t, api(""), form)
			want(t, page, http.StatusForbidden, "Confirm that it")
			wrong := b.sendKept(t, page, url.Values{field: {"000000"}})
			want(t, wrong, http.StatusUnprocessableEntity, "Confirm that it", `value="ERP"`, "!000000")
			before := b.cookie
			shown := b.sendKept(t, wrong, url.Values{field: {right()}})
			want(t, shown, http.StatusOK, "Copy your new token")
			if !tokenText.MatchString(shown.Body.String()) || b.cookie == before {
				t.Errorf("the cookie is %q, was %q\n%s", b.cookie, before, shown.Body)
			}
			want(t, b.post(t, api(""), b.generateForm(t)), http.StatusOK, "Copy your new token")
		})
	}
}

// A session that ended while a proof was checked does not come back by it.
func TestASessionIsProvedOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.member(t, tokens.RoleOwner)
	forms := make([]url.Values, 4)
	for i := range forms {
		forms[i] = b.generateForm(t)
		forms[i].Set("proof-password", secret)
	}
	w.pass(proofLife + time.Second)
	var made, ended atomic.Int32
	var sending sync.WaitGroup
	for _, form := range forms {
		tab := *b
		sending.Go(func() {
			switch res := tab.post(t, api(""), form); {
			case res.Code == http.StatusOK:
				made.Add(1)
			case strings.HasPrefix(res.Header().Get("Location"), "/sign-in?"):
				ended.Add(1)
			default:
				t.Errorf("%d %v", res.Code, res.Header())
			}
		})
	}
	sending.Wait()
	if made.Load() != 1 || ended.Load() != 3 {
		t.Errorf("one session made %d tokens by %d proofs, and ended for %d", made.Load(), len(forms), ended.Load())
	}
}

func TestAProofForAnotherPageLeadsBackToIt(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.member(t, tokens.RoleOwner)
	webhooks := "/webhooks/" + string(acme) + "?all=1"
	w.pass(proofLife + time.Second)
	for asked, back := range map[string]string{
		webhooks: webhooks, "//evil.example/x": "/x", "https://evil.example": home, `/\evil.example`: home,
	} {
		want(t, b.get(t, provePath+"?"+url.Values{"return": {asked}}.Encode()), http.StatusOK, "Then you return",
			`name="return" value="`+back+`"`, `action="`+provePath+`"`)
	}
	form := url.Values{"return": {webhooks}}
	for range 2 { // also when the last proof is recent
		form.Del("proof-password")
		want(t, b.post(t, provePath, form), http.StatusForbidden, "Confirm that it", "Then you return")
		form.Set("proof-password", "not "+secret)
		want(t, b.post(t, provePath, form), http.StatusUnprocessableEntity, "Incorrect password", "Then you return")
		form.Set("proof-password", secret)
		wantTo(t, b.post(t, provePath, form), webhooks)
	}
	want(t, b.post(t, api(""), b.generateForm(t)), http.StatusOK, "Copy your new token")
	form.Set("return", "//evil.example")
	wantTo(t, b.post(t, provePath, form), home)
}

func TestAnotherPersonsPasskeyProvesNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	b, stranger := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleAdmin)
	b.addPasskey(t)
	k := stranger.addPasskey(t)
	w.pass(proofLife + time.Second)
	want(t, b.post(t, api(""), b.sign(t, k, "proof-passkey")), http.StatusUnprocessableEntity,
		"This passkey isn't valid here.")
}

func TestAPersonOfTheIssuerProvesItThere(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	b := w.browser()
	b.atIssuer(t, claimsOf("1", "anna@acme.example"))
	want(t, b.get(t, "/settings/account"), http.StatusOK, "!"+securityPath)
	want(t, b.get(t, securityPath), http.StatusNotFound)
	w.pass(proofLife + time.Second)
	from := http.Header{"Sec-Fetch-Site": {"same-origin"}, "Referer": {origin + api("/new")}}
	want(t, b.send(t, http.MethodPost, api(""), b.generateForm(t), from), http.StatusForbidden,
		`href="/sign-in/oidc?again=1&amp;next=`+strings.ToLower(url.QueryEscape(api("/new"))), "!proof-password")
	earlier := claimsOf("1", "anna@acme.example")
	earlier.AuthTime = w.clock().Add(-proofLife - time.Second)
	b.atIssuer(t, earlier) // the session there is older than the one here
	want(t, b.post(t, api(""), b.generateForm(t)), http.StatusForbidden, "Confirm that it")
	for _, c := range []people.Claims{earlier, claimsOf("1", "anna@acme.example")} {
		wantTo(t, b.get(t, "/sign-in/oidc?again=1"), "https://issuer.example/auth?state=state&prompt=login")
		if status, _, page := b.fromIssuer(t, c); (status == http.StatusSeeOther) != c.AuthTime.IsZero() {
			t.Errorf("%d, %s", status, page)
		}
	}
	want(t, b.post(t, api(""), b.generateForm(t)), http.StatusOK, "Copy your new token")
}

func TestWithoutSettingsThereAreNoFactors(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) {
		c.People = people.NewService(c.People.Reader.(people.Repository), people.Config{
			Passwords: password.New(cheap), Now: time.Now,
		})
	})
	owner := w.member(t, tokens.RoleOwner)
	for _, rt := range table {
		method, path := concrete(rt.pattern)
		if strings.HasPrefix(path, securityPath) || strings.HasPrefix(path, "/sign-in/passkey") {
			if res := owner.send(t, method, path, nil, nil); res.Code != http.StatusNotFound {
				t.Errorf("%s: %d", rt.pattern, res.Code)
			}
		}
	}
	want(t, w.browser().get(t, "/sign-in"), http.StatusOK, "!passkey")
}

func TestChangesOfFactorsAreMailedAndAResetKeepsThem(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	b := w.member(t, tokens.RoleOwner)
	w.deliver(t)
	if m := next(t, arrived); m.subject != newSignIn {
		t.Fatalf("%+v", m)
	}
	_, recovery := b.addApp(t)
	k := b.addPasskey(t)
	w.deliver(t)
	m := next(t, arrived) // one for both
	for _, change := range []string{
		"The authenticator app was added to your account.", "The passkey Office laptop was added", accountPath,
	} {
		if m.to != b.email || !strings.Contains(m.text, change) || len(arrived) > 0 {
			t.Errorf("%+v, want %q", m, change)
		}
	}
	lost := w.browser()
	want(t, lost.post(t, "/sign-in/forgot", url.Values{"email": {b.email}}), http.StatusOK)
	form := url.Values{"email": {b.email}, "code": {mailed(t, w, arrived, b.email)}, "password": {secret + secret}}
	wantTo(t, lost.post(t, "/sign-in/reset", form), "/sign-in?reset=1")
	wantTo(t, lost.post(t, "/sign-in", form), "/sign-in/code")
	wantTo(t, lost.post(t, "/sign-in/code", url.Values{"code": {recovery[0]}}), home)
	want(t, lost.get(t, securityPath), http.StatusOK, "Office laptop", "9 recovery codes are unused")
	for w.deliver(t); len(arrived) > 0; w.deliver(t) {
		<-arrived
	}
	w.pass(people.MailKindOf("sign-in").Pause)
	other := w.browser()
	wantTo(t, other.post(t, "/sign-in/passkey", other.sign(t, k, "passkey")), home)
	w.deliver(t)
	for m = next(t, arrived); m.subject != newSignIn; m = next(t, arrived) { // beside that of the reset
	}
}
