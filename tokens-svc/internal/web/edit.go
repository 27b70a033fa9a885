package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// editForm is the form for a change of a token, as it is stored.
func (s *site) editForm(ctx context.Context, v *visit, t tokens.Token) (tokenForm, error) {
	f, err := s.tokenForm(ctx, v)
	f.Token, f.Name, f.Limit, f.Latest = t, t.Name, strconv.Itoa(t.RateLimit.Limit), f.Policy.Last(t.CreatedAt)
	f.Expiry, f.Expiries = keep, append([]expiryOption{{ID: keep, Name: "Unchanged"}}, f.Expiries...)
	f.Addresses = strings.Join(tokens.Texts(t.IPAllow), "\n")
	f.Preset, f.Chosen = custom, tokens.Texts(t.Permissions)
	for _, p := range f.Presets {
		if slices.Equal(p.Permissions, t.Permissions) {
			f.Preset = p.ID
		}
	}
	f.Grants = append(f.Grants, t.Permissions...) // those that somebody else granted can stay
	slices.Sort(f.Grants)
	f.Grants = slices.Compact(f.Grants)
	if t.RateLimit.Window != time.Minute {
		f.Window = counted(int64(t.RateLimit.Window/time.Second), "second")
	}
	return f, err
}

// edited is the form with faults.
func (f tokenForm) edited(all faults) answer {
	f = f.scrubbed()
	f.Faults = all
	return page("edit", "Edit "+f.Token.Name, f).in("api")
}

func (s *site) showEdit(ctx context.Context, v *visit) (answer, error) {
	row, err := s.findFor(ctx, v, func(row tokenRow) bool { return row.Changeable })
	if err != nil {
		return answer{}, err
	}
	f, err := s.editForm(ctx, v, row.Token)
	return f.edited(nil), err
}

func (s *site) edit(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err != nil {
		return answer{}, err
	}
	f, err := s.editForm(ctx, v, row.Token)
	if err != nil {
		return answer{}, err
	}
	stored := f
	f.read(v)
	patch := f.patch(s.Tokens.Now())
	patch.Revision, _ = strconv.ParseInt(v.PostForm.Get("version"), 10, 64)
	t, err := s.Tokens.UpdateToken(ctx, v.principal(), v.org(), v.token(), patch)
	if errors.Is(err, tokens.ErrChanged) {
		return stored.edited(overtaken("edit-form")).as(http.StatusConflict), nil
	}
	if wrong := faultsOf(err); wrong != nil {
		return f.edited(wrong), nil
	}
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The changes were saved. They apply to the next request with this token.")
	return redirect(v.path("/api/" + string(t.ID))), nil
}

// patch returns what differs from the token. The rest stays, even if it is more than this
// person may grant.
func (f tokenForm) patch(now time.Time) (p tokens.Patch) {
	t := f.Token
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
