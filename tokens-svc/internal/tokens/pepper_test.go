package tokens

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// counting is the pepper 00 01 02 … 1f of the known answers.
var counting = func() []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return key
}()

func peppers(tb testing.TB, versions ...int) Peppers {
	tb.Helper()
	entries := make([]string, len(versions))
	for i, v := range versions {
		key := append([]byte{byte(v)}, counting[1:]...)
		if v == 1 {
			key = counting
		}
		entries[i] = strconv.Itoa(v) + ":" + base64.StdEncoding.EncodeToString(key)
	}
	p, err := ParsePeppers(strings.Join(entries, ","))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestKnownDigests(t *testing.T) {
	t.Parallel()
	p := peppers(t, 1)
	for text, want := range map[string]string{
		"shpt_live_000000000001_0000000000000000000000000000000027i4HK": "1bf16a6883ec5f294e83fbd0b4351fee" +
			"d8d2040fca1881d469870815aeae201d",
		"shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19": "83c1437fd99f287b40fe5da609cd75d4" +
			"fbb309fbd0e57ca10d536dd30b2ceedb",
		"shpt_test_zzzzzzzzzzzz_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz2AqDwp": "83d2c3025912a6b4424aab355e473ee5" +
			"81387653e0d9ef1083d3a54f6dac9b4c",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d := p.Seal(s)
		if got := hex.EncodeToString(d.MAC[:]); got != want || d.Version != 1 {
			t.Errorf("the digest of %s is %d:%s, want 1:%s", text, d.Version, got, want)
		}
	}
}

func TestVerifyTakesThePepperOfTheDigest(t *testing.T) {
	t.Parallel()
	s, other := Generate(Live), Generate(Live)
	sealed := peppers(t, 1).Seal(s)
	tampered := sealed
	tampered.MAC[31] ^= 1
	for name, c := range map[string]struct {
		peppers   Peppers
		presented Secret
		stored    Digest
		ok, known bool
	}{
		"right":                  {peppers(t, 1), s, sealed, true, true},
		"right, older pepper":    {peppers(t, 2, 1), s, sealed, true, true},
		"another token":          {peppers(t, 2, 1), other, sealed, false, true},
		"one bit off":            {peppers(t, 1), s, tampered, false, true},
		"pepper taken away":      {peppers(t, 2), s, sealed, false, false},
		"version of another key": {peppers(t, 2, 1), s, Digest{Version: 2, MAC: sealed.MAC}, false, true},
		"no token":               {peppers(t, 1), Secret{}, sealed, false, true},
	} {
		if ok, known := c.peppers.Verify(c.presented, c.stored); ok != c.ok || known != c.known {
			t.Errorf("%s: ok %v, known %v", name, ok, known)
		}
	}
}

// TestTheFirstPepperSeals: also when its version is not the highest, so that a
// new pepper can be loaded everywhere before anything is sealed with it.
func TestTheFirstPepperSeals(t *testing.T) {
	t.Parallel()
	for _, versions := range [][]int{{9, 4}, {4, 9}} {
		p := peppers(t, versions...)
		if p.Ring[0].Version != versions[0] || p.Seal(Generate(Live)).Version != versions[0] {
			t.Errorf("%v seals with %d", p, p.Seal(Generate(Live)).Version)
		}
	}
}

// locked is storage in which every token is locked by a change.
type locked struct {
	Repository

	peppers   Peppers
	presented Secret
	n         int
}

func (l *locked) FindToken(context.Context, TokenID) (Token, Digest, error) {
	return Token{}, l.peppers.Seal(l.presented), nil
}

func (l *locked) Reseal(ctx context.Context, _ TokenID, _, _ Digest) error {
	l.n++
	<-ctx.Done()
	return ctx.Err()
}

// Connections that introspections need are not taken by tokens that wait to be resealed.
func TestOneTokenIsResealedAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &locked{peppers: peppers(t, 1), presented: Generate(Live)}
		s := NewService(l, Config{Peppers: peppers(t, 2, 1)})
		for want := 1; want < 3; want++ {
			for range 5 {
				if got, err := s.Introspect(t.Context(), l.presented); err != nil || got.Outcome != OutcomeActive {
					t.Error(got, err)
				}
				synctest.Wait()
			}
			if l.n != want {
				t.Errorf("%d were resealed, want %d", l.n, want)
			}
			time.Sleep(resealTimeout)
			synctest.Wait()
		}
	})
}
