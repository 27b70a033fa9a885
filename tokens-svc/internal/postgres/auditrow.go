package postgres

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// eventRow is a row of selectEvents: an event, and what of it is converted.
type eventRow struct {
	audit.Event
	Address address
	Details string
}

// event returns the row's event. One that cannot be read was not written by
// this program, which is an *audit.Fault.
func (r eventRow) event() (audit.Event, error) {
	e := r.Event
	e.Actor.Address = r.Address.Addr
	if err := json.Unmarshal([]byte(r.Details), &e.Details); err != nil {
		return audit.Event{}, &audit.Fault{
			Log: e.Log, Sequence: e.Sequence, Reason: fmt.Sprintf("was changed: its details cannot be read: %v", err),
		}
	}
	return e, nil
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
