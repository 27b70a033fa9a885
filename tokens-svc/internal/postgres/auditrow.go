package postgres

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

type headRow struct {
	OrganizationID string `db:"organization_id"`
	Sequence       int64  `db:"sequence"`
	Hash           []byte `db:"hash"`
	KeyVersion     int    `db:"key_version"`
}

func (r headRow) head() audit.Head {
	return audit.Head{Organization: r.OrganizationID, Sequence: r.Sequence, Hash: toHash(r.Hash), KeyVersion: r.KeyVersion}
}

type eventRow struct {
	OrganizationID string           `db:"organization_id"`
	Sequence       int64            `db:"sequence"`
	At             time.Time        `db:"at"`
	ActorKind      audit.Kind       `db:"actor_kind"`
	ActorID        string           `db:"actor_id"`
	ActorName      string           `db:"actor_name"`
	Address        sql.Null[string] `db:"address"`
	RequestID      string           `db:"request_id"`
	Action         audit.Action     `db:"action"`
	Target         string           `db:"target"`
	Details        string           `db:"details"`
	KeyVersion     int              `db:"key_version"`
	Previous       []byte           `db:"previous"`
	Hash           []byte           `db:"hash"`
}

// event returns the row's event. One that cannot be read was not written by
// this program, which is an *audit.Fault.
func (r eventRow) event() (audit.Event, error) {
	e := audit.Event{
		Organization: r.OrganizationID,
		Sequence:     r.Sequence,
		Entry: audit.Entry{
			At:     r.At.UTC(),
			Actor:  audit.Actor{Kind: r.ActorKind, ID: r.ActorID, Name: r.ActorName, RequestID: r.RequestID},
			Action: r.Action,
			Target: r.Target,
		},
		KeyVersion: r.KeyVersion,
		Previous:   toHash(r.Previous),
		Hash:       toHash(r.Hash),
	}
	var err error
	if r.Address.Valid {
		e.Actor.Address, err = netip.ParseAddr(r.Address.V)
	}
	if err != nil {
		return audit.Event{}, r.unreadable("address", err)
	}
	if err := json.Unmarshal([]byte(r.Details), &e.Details); err != nil {
		return audit.Event{}, r.unreadable("details", err)
	}
	return e, nil
}

func (r eventRow) unreadable(member string, err error) error {
	return &audit.Fault{
		Organization: r.OrganizationID, Sequence: r.Sequence, Reason: fmt.Sprintf("was changed: its %s cannot be read: %v", member, err),
	}
}

// toHash copies 32 bytes, which the tables guarantee.
func toHash(b []byte) (h audit.Hash) {
	copy(h[:], b)
	return h
}

// detailsText returns details as jsonb.
func detailsText(details map[string]string) (string, error) {
	if details == nil {
		return "{}", nil
	}
	text, err := json.Marshal(details)
	return string(text), err
}

// nullAddress returns an inet, NULL for the zero address.
// inet knows no zones.
func nullAddress(a netip.Addr) sql.Null[string] {
	return sql.Null[string]{V: a.WithZone("").String(), Valid: a.IsValid()}
}

// address is host() of an inet; zero for NULL.
type address struct{ netip.Addr }

// Scan implements sql.Scanner.
func (a *address) Scan(src any) error {
	var text sql.Null[string]
	err := text.Scan(src)
	if err == nil && text.Valid {
		a.Addr, err = netip.ParseAddr(text.V)
	}
	return err
}
