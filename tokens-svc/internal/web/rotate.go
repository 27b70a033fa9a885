package web

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// overlap is a choice of how long the old token goes on working.
type overlap struct {
	ID, Name string
	Length   time.Duration
	Ends     moment // for this token, if it is rotated now
}

var overlaps = []overlap{
	{ID: "0", Name: "None: the old token stops working at once"},
	{ID: "1h", Name: "1 hour", Length: time.Hour},
	{ID: "24h", Name: "24 hours", Length: tokens.DefaultGrace},
	{ID: "7d", Name: "7 days", Length: tokens.MaxGrace},
}

// rotateForm is the page on which a token is rotated.
type rotateForm struct {
	pages.Faults
	tokenEntry
	Nonce    string
	Overlap  string
	Overlaps []overlap
}

func (s *site) rotatePage(row tokenEntry, chosen string) answer {
	f := &rotateForm{tokenEntry: row, Nonce: rand.Text(), Overlap: chosen, Overlaps: slices.Clone(overlaps)}
	now := s.Tokens.Now()
	for i, o := range f.Overlaps {
		end := now.Add(o.Length)
		if !row.ExpiresAt.IsZero() && row.ExpiresAt.Before(end) {
			end = row.ExpiresAt
		}
		f.Overlaps[i].Ends = moment{At: end, Now: now}
	}
	return page("rotate", "Rotate "+f.Name, f)
}

func (s *site) showRotate(ctx context.Context, v *visit) (answer, error) {
	row, err := s.findFor(ctx, v, func(row tokenEntry) bool { return row.Changeable })
	return s.rotatePage(row, "24h"), err
}

func (s *site) rotate(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err != nil {
		return answer{}, err
	}
	form := s.rotatePage(row, v.PostForm.Get("overlap"))
	at := slices.IndexFunc(overlaps, func(o overlap) bool { return o.ID == v.PostForm.Get("overlap") })
	if at < 0 {
		return form.with(fault{Field: "overlap", Text: "Choose an overlap."}), nil
	}
	done, err := s.Tokens.RotateToken(ctx, v.keyed(), v.org(), v.token(), overlaps[at].Length)
	if err != nil {
		return s.notMade(ctx, v, err, form)
	}
	return s.shown(done.Token, done.Secret, done.Previous), nil
}
