package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Choices in a token's form: of single permissions or a single day, and of the expiry as it is.
const (
	custom = "custom"
	keep   = "keep"
)

// expiryOption is a choice of how long a token lasts.
type expiryOption struct {
	ID, Name string
	Days     int
}

var expiryOptions = []expiryOption{
	{"7", "7 days", 7},
	{"30", "30 days", 30},
	{"60", "60 days", 60},
	{"90", "90 days", 90},
	{ID: custom, Name: "Custom date"},
	{ID: "none", Name: "No expiry"},
}

// tokenForm is the form for a new token and for a changed one, as it was filled in.
type tokenForm struct {
	pages.Faults
	Token                     tokens.Token // that is changed; zero: a new one
	Name, Preset, Expiry, Day string
	Addresses, Limit          string
	Chosen                    []string
	Presets                   []tokens.Preset     // that this person may give
	Grants                    []tokens.Permission // likewise
	Expiries                  []expiryOption
	Today, MostLimit, Window  string
	Policy                    tokens.Policy
	Latest                    time.Time // when the policy ends the token at the latest; zero: never
	all                       []tokens.Preset

	Owner          string // person or organization
	MayChooseOwner bool

	// Of a new token only.
	Nonce       string
	Environment tokens.Environment
}

// LastDay is for templates: the day of Latest, or "".
func (f *tokenForm) LastDay() string {
	if f.Latest.IsZero() {
		return ""
	}
	return f.Latest.Format(time.DateOnly)
}

// Has is for templates: it reports whether a permission is ticked.
func (f *tokenForm) Has(p tokens.Permission) bool { return slices.Contains(f.Chosen, string(p)) }

// Ends is for templates: when a token that is saved now would expire.
func (f *tokenForm) Ends(l expiryOption, now time.Time) string {
	switch end := (moment{At: f.Token.ExpiresAt}); {
	case l.ID == keep && !end.Known():
		return "Never"
	case l.ID == keep:
		return end.Minute()
	case l.Days == 0:
		return ""
	}
	return moment{At: now.Add(time.Duration(l.Days) * day)}.Date()
}

// newForm is an empty form, with what the organization's policy allows.
func (s *site) newForm(v *visit) *tokenForm {
	principal, policy := v.principal(), v.person.Membership.Organization.Policy
	now, presets := s.Tokens.Now(), s.Tokens.Permissions().Presets()
	f := &tokenForm{
		Grants: principal.Grants(), Preset: presets[0].ID, Expiry: custom, Window: "minute",
		Policy: policy, Today: now.Format(time.DateOnly), MostLimit: strconv.Itoa(tokens.DefaultRateLimit.Limit),
		Latest: policy.Last(now), all: presets,
		Nonce: rand.Text(), Owner: "person", MayChooseOwner: principal.MayChooseOwner(), Environment: tokens.Live,
	}
	for _, l := range expiryOptions {
		if policy.MaxDays == 0 || l.ID == custom || 0 < l.Days && l.Days <= policy.MaxDays {
			f.Expiries = append(f.Expiries, l)
		}
		if l.Days > 0 && slices.Contains(f.Expiries, l) {
			f.Expiry = l.ID // the longest
		}
	}
	for _, p := range presets {
		refused := func(one tokens.Permission) bool { return !slices.Contains(f.Grants, one) }
		if !slices.ContainsFunc(p.Permissions, refused) {
			f.Presets = append(f.Presets, p)
		}
	}
	return f
}

// editForm is the form for a change of a token, as it is stored.
func (s *site) editForm(v *visit, t tokens.Token) *tokenForm {
	f := s.newForm(v)
	f.Token, f.Name, f.Limit, f.Latest = t, t.Name, strconv.Itoa(t.RateLimit.Limit), f.Policy.Last(t.CreatedAt)
	f.Expiry, f.Expiries = keep, append([]expiryOption{{ID: keep, Name: "Unchanged"}}, f.Expiries...)
	f.Addresses = strings.Join(tokens.Texts(t.IPAllow), "\n")
	f.MayChooseOwner = f.MayChooseOwner && !t.Owner.IsOrganization()
	f.Preset, f.Chosen = custom, tokens.Texts(t.Permissions)
	for _, p := range f.Presets {
		if slices.Equal(p.Permissions, t.Permissions) {
			f.Preset = p.ID
		}
	}
	f.Grants = append(f.Grants, t.Permissions...) // those that somebody else granted can stay
	slices.Sort(f.Grants)
	f.Grants = slices.Compact(f.Grants)
	if window := t.RateLimit.WindowSeconds; window != tokens.DefaultRateLimit.WindowSeconds {
		f.Window = counted(int64(window), "second")
	}
	return f
}

func (f *tokenForm) answer() answer {
	if f.Token.ID == "" {
		return page("generate", "Generate API token", f)
	}
	return page("edit", "Edit "+f.Token.Name, f)
}

// fill takes the values of a form that was sent.
func (f *tokenForm) fill(form url.Values) {
	f.Name, f.Preset, f.Chosen = form.Get("name"), form.Get("preset"), form["permissions"]
	f.Expiry, f.Day = form.Get("expiry"), form.Get("day")
	f.Addresses, f.Limit = form.Get("ip_allow"), strings.TrimSpace(form.Get("limit"))
	f.Environment = tokens.Environment(cmp.Or(form.Get("environment"), string(f.Environment)))
	f.Owner = form.Get("owner")
}

func (s *site) showGenerate(_ context.Context, v *visit) (answer, error) {
	return s.newForm(v).answer(), nil
}

func (s *site) generate(ctx context.Context, v *visit) (answer, error) {
	f := s.newForm(v)
	f.fill(v.PostForm)
	t, secret, err := s.Tokens.CreateToken(ctx, v.keyed(), v.org(), f.draft(s.Tokens.Now()))
	if err != nil {
		return s.notMade(ctx, v, err, f.answer())
	}
	return s.shown(t, secret, tokens.Token{}), nil
}

// draft returns the requested token. What the form cannot have is a value that the service refuses.
func (f *tokenForm) draft(now time.Time) tokens.Draft {
	d := tokens.Draft{
		Name: f.Name, Environment: f.Environment, OfOrganization: f.Owner == "organization",
		IPAllow: f.addresses(), Permissions: f.permissions(), ExpiresAt: f.end(now),
	}
	if n := positive(f.Limit); n != 0 {
		d.RateLimit = tokens.RateLimit{Limit: n, WindowSeconds: tokens.DefaultRateLimit.WindowSeconds}
	}
	return d
}

func (s *site) showEdit(ctx context.Context, v *visit) (answer, error) {
	row, err := s.findFor(ctx, v, func(row tokenEntry) bool { return row.Changeable })
	if err != nil {
		return answer{}, err
	}
	return s.editForm(v, row.Token).answer(), nil
}

func (s *site) edit(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err != nil {
		return answer{}, err
	}
	f := s.editForm(v, row.Token)
	stored := *f
	f.fill(v.PostForm)
	patch := f.patch(s.Tokens.Now())
	patch.Revision, _ = strconv.ParseInt(v.PostForm.Get("version"), 10, 64)
	_, err = s.Tokens.UpdateToken(ctx, v.principal(), v.org(), v.token(), patch)
	if errors.Is(err, tokens.ErrChanged) {
		return versionConflict(stored.answer(), "edit-form"), nil
	}
	if wrong := faultsOf(err); wrong != nil {
		return f.answer().with(wrong...), nil
	}
	return s.done(ctx, err, v.path("/api/"+string(row.ID)),
		"The changes were saved. They apply to the next request with this token.")
}

// patch returns what differs from the token. The rest stays, even if it is more than this person may grant.
func (f *tokenForm) patch(now time.Time) (p tokens.Patch) {
	t := f.Token
	p.OfOrganization = f.Owner == "organization"
	if f.Name != t.Name {
		p.Name = &f.Name
	}
	if chosen := f.permissions(); !slices.Equal(slices.Sorted(slices.Values(chosen)), tokens.Texts(t.Permissions)) {
		p.Permissions = &chosen
	}
	if ranges := f.addresses(); !slices.Equal(ranges, tokens.Texts(t.IPAllow)) {
		p.IPAllow = &ranges
	}
	if n := cmp.Or(positive(f.Limit), tokens.DefaultRateLimit.Limit); n != t.RateLimit.Limit {
		p.RateLimit = &tokens.RateLimit{Limit: n}
	}
	if f.Expiry != keep {
		p.ExpiresAt = new(f.end(now))
	}
	return p
}

func (f *tokenForm) addresses() []string {
	return strings.FieldsFunc(f.Addresses, func(r rune) bool { return strings.ContainsRune(", \r\n\t;", r) })
}

// permissions returns the chosen ones, also of a preset that the form does not offer: the service refuses it.
func (f *tokenForm) permissions() []string {
	if f.Preset == custom {
		return f.Chosen
	}
	for _, p := range f.all {
		if p.ID == f.Preset {
			return tokens.Texts(p.Permissions)
		}
	}
	return nil
}

// end returns when the token is to end, also for a choice that the form does not offer; zero stands for
// never. What is no choice or no day ends now. The service refuses both.
func (f *tokenForm) end(now time.Time) time.Time {
	at := slices.IndexFunc(expiryOptions, func(l expiryOption) bool { return l.ID == f.Expiry })
	switch {
	case at < 0:
		return now
	case f.Expiry == custom:
		last, err := time.Parse(time.DateOnly, f.Day)
		if err != nil {
			return now
		}
		if f.Day == f.LastDay() {
			return f.Latest
		}
		return last.Add(day)
	case expiryOptions[at].Days > 0:
		return now.Add(time.Duration(expiryOptions[at].Days) * day)
	}
	return time.Time{}
}

// positive reads an optional number: 0 for an empty field, and a number that the service refuses
// for anything but a positive one.
func positive(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return -1
	}
	return n
}
