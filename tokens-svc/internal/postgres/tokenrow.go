package postgres

import (
	"database/sql"
	"net/netip"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// tokenRow is a row of selectTokens: a token, and what of it is converted.
type tokenRow struct {
	tokens.Token
	Permissions       pq.StringArray
	IPAllow           prefixes
	RateWindowSeconds int
	PepperVersion     int
	MAC               []byte
}

func (r tokenRow) token() tokens.Token {
	t := r.Token
	for _, p := range r.Permissions {
		t.Permissions = append(t.Permissions, tokens.Permission(p))
	}
	t.IPAllow = r.IPAllow
	t.RateLimit.Window = time.Duration(r.RateWindowSeconds) * time.Second
	return t
}

// prefixes is an array of cidr.
type prefixes []netip.Prefix

// Scan implements sql.Scanner.
func (p *prefixes) Scan(src any) error {
	var texts pq.StringArray
	err := texts.Scan(src)
	*p = make(prefixes, len(texts))
	for i, text := range texts {
		if err == nil {
			(*p)[i], err = netip.ParsePrefix(text)
		}
	}
	return err
}

// toDigest fills a MAC of another length, which is not ours, with zeros or cuts it.
func toDigest(version int, mac []byte) tokens.Digest {
	d := tokens.Digest{Version: version}
	copy(d.MAC[:], mac)
	return d
}

// null returns NULL for the zero value.
func null[T comparable](value T) sql.Null[T] { return sql.Null[T]{V: value, Valid: value != *new(T)} }
