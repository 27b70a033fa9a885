package people

import (
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Bounds of user input.
const (
	maxName     = 100  // code points
	maxEmail    = 254  // bytes, RFC 5321
	minPassword = 12   // code points
	maxPassword = 1024 // bytes: more is only work for us
)

// faults collects the faults of an input.
type faults struct{ tokens.ValidationError }

// mailHost matches the host names that receive mail from the internet: with a dot, and no address.
var mailHost = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

// email returns text as an address is stored; see canonical.
func (f *faults) email(text string) string {
	email, ok := canonical(text)
	switch {
	case email == "":
		f.Add("email", tokens.Required, "is required")
	case !ok || !mailHost.MatchString(email[strings.LastIndex(email, "@")+1:]):
		f.Add("email", tokens.InvalidValue,
			"must be an e-mail address such as name@example.com; international domains in the form "+
				"name@xn--bcher-kva.example")
	}
	return email
}

// canonical returns text as an address is stored, in lower case, and whether it is an address. Only ASCII is accepted:
// several Unicode characters have the same lower case or look alike, so that one person's address could pass for
// another's.
func canonical(text string) (email string, ok bool) {
	email = normalize(text)
	address, err := mail.ParseAddress(email)
	ok = err == nil && address.Address == email && len(email) <= maxEmail
	return email, ok && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// normalize returns text as accounts are looked up by it.
func normalize(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// name returns text without the white space around it.
func (f *faults) name(text string, least int) string { return f.Text("name", text, least, maxName) }

// role returns the role with a name.
func (f *faults) role(name string) tokens.Role {
	if !slices.Contains(tokens.Roles(), tokens.Role(name)) {
		f.Add("role", tokens.InvalidValue, "must be one of %s", strings.Join(tokens.Texts(tokens.Roles()), ", "))
	}
	return tokens.Role(name)
}

// claimedName returns the name that an issuer states, or "" for one that the forms here refuse.
func claimedName(text string) string {
	var wrong faults
	if name := wrong.name(text, 0); wrong.OrNil() == nil {
		return name
	}
	return ""
}

// A password that takes less than a million guesses (score 0 or 1) is a common one.
// Rating takes the longer the longer it is, so only the first bytes are rated.
const (
	minScore = 2
	maxRated = 64
)

// password follows NIST SP 800-63B: length counts, composition does not, and common passwords are refused.
func (f *faults) password(text, email string) {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		f.Add("password", tokens.InvalidText, "must be UTF-8 without control characters")
	case n < minPassword:
		f.Add("password", tokens.InvalidValue,
			"must have at least %d characters; a phrase of several words is easy to remember", minPassword)
	case len(text) > maxPassword:
		f.Add("password", tokens.TooLong, "must have at most %d bytes", maxPassword)
	case strings.EqualFold(text, email):
		f.Add("password", tokens.InvalidValue, "must not be the e-mail address")
	case zxcvbn.PasswordStrength(text[:min(len(text), maxRated)], []string{email}).Score < minScore:
		f.Add("password", tokens.InvalidValue,
			"is too easy to guess: common words with digits behind them, repetitions and sequences are; a phrase of "+
				"several words is easy to remember")
	}
}
