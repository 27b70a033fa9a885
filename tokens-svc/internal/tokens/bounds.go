package tokens

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// boundsDomain separates the MACs of bounds from any other use of a pepper. It
// names the version of the encoding.
const boundsDomain = "shpt-bounds/v1\x00"

// bound is a column of api_tokens that limits a token's permissions or for how
// long, and its value: several for a list, none for an empty one or NULL.
type bound struct {
	column string
	values []string
}

// bounds returns the columns that the MAC of a token's bounds covers. A column
// that is added later does not change the MAC of the tokens that have its
// default, provided that it has no value here for that default.
func (t Token) bounds() []bound {
	return []bound{
		{"id", text(t.ID)},
		{"organization_id", text(t.Organization.ID)},
		{"environment", text(t.Environment)},
		{"permissions", Texts(t.Permissions)},
		{"ip_allow", Texts(t.IPAllow)},
		{"rate_limit", text(strconv.Itoa(t.RateLimit.Limit))},
		{"rate_window_seconds", text(strconv.Itoa(int(t.RateLimit.Window / time.Second)))},
		{"created_by_kind", text(t.CreatedBy.Kind)},
		{"created_by_id", text(t.CreatedBy.ID)},
		{"created_at", instants(t.CreatedAt)},
		{"expires_at", instants(t.ExpiresAt)},
		{"revoked_at", instants(t.RevokedAt)},
		{"rotated_from", text(t.RotatedFrom)},
		{"rotated_to", text(t.RotatedTo)},
		{"owner_id", text(t.Owner.ID)},
		{"lineage", t.unlessOwn(t.Lineage)},
		{"test_id", t.testPartition()}, // of organizations
	}
}

// unlessOwn returns nothing for the token's own id, which is the default.
func (t Token) unlessOwn(id TokenID) []string {
	if id == t.ID {
		return nil
	}
	return text(id)
}

// testPartition returns whose data a test token works with.
func (t Token) testPartition() []string {
	if t.Environment != Test {
		return nil
	}
	return text(t.Organization.TestID)
}

func text[T ~string](value T) []string {
	if value == "" {
		return nil
	}
	return []string{string(value)}
}

// instants returns a time in milliseconds, as precisely as it is stored.
func instants(t time.Time) []string {
	if t.IsZero() {
		return nil
	}
	return []string{strconv.FormatInt(t.UnixMilli(), 10)}
}

// SealBounds returns the MAC of the token's bounds under the primary pepper.
func (p Peppers) SealBounds(t Token) Digest { return sealBounds(p.Ring[0], t) }

// VerifyBounds compares a token with the MAC that is stored of its bounds. known
// is false when the MAC's pepper is not loaded; then ok is false, too.
func (p Peppers) VerifyBounds(t Token) (ok, known bool) {
	k, known := p.Find(t.Bounds.Version)
	mac := sealBounds(k, t).MAC
	return known && hmac.Equal(mac[:], t.Bounds.MAC[:]), known
}

// sealBounds is HMAC-SHA-256 over a constant and, for each column that has a
// value, its name, the number of values, and the values. Texts are preceded by
// their length; numbers have 64 bits, big-endian. So no two tokens that differ
// in a bound have the same encoding.
func sealBounds(k keyring.Key, t Token) Digest {
	d := Digest{Version: k.Version}
	h := hmac.New(sha256.New, k.Text)
	_, _ = io.WriteString(h, boundsDomain)
	for _, b := range t.bounds() {
		if len(b.values) == 0 {
			continue
		}
		writeText(h, b.column)
		writeNumber(h, len(b.values))
		for _, v := range b.values {
			writeText(h, v)
		}
	}
	h.Sum(d.MAC[:0])
	return d
}

func writeText(h hash.Hash, text string) {
	writeNumber(h, len(text))
	_, _ = io.WriteString(h, text)
}

func writeNumber(h hash.Hash, n int) {
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) //nolint:gosec // G115: a length or a count
}
