package main

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/base32"
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

//go:embed data.sql
var dataSQL string

// small is how many shipments the organization has that the large one is
// compared with, and each of the others.
const small = 1000

// organization is one of those that data.sql makes.
type organization struct {
	name  string         // org_…
	id    string         // as Postgres has it
	total map[string]int // by status; "" is all
}

// fill creates the data and returns the large organization and a small one.
func fill(ctx context.Context, db *sql.DB, s settings) (large, other organization, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return large, other, err
	}
	defer func() { _ = conn.Close() }()
	for name, value := range map[string]int{"large": s.shipments, "small": small, "others": s.others} {
		if _, err := conn.ExecContext(ctx, `SELECT set_config($1, $2, false)`, "scale."+name, strconv.Itoa(value)); err != nil {
			return large, other, err
		}
	}
	for _, statements := range []string{dataSQL, `VACUUM ANALYZE`, `CHECKPOINT`} {
		if _, err := conn.ExecContext(ctx, statements); err != nil {
			return large, other, fmt.Errorf("create the data: %w", err)
		}
	}
	if large, err = readOrganization(ctx, db, 0); err != nil {
		return large, other, err
	}
	other, err = readOrganization(ctx, db, 1)
	return large, other, err
}

// readOrganization reads an organization and counts its shipments.
func readOrganization(ctx context.Context, db *sql.DB, nth int) (o organization, err error) {
	if err := db.QueryRowContext(ctx, `SELECT id FROM scale_organizations WHERE nth = $1`, nth).Scan(&o.id); err != nil {
		return o, err
	}
	id, err := uuid.Parse(o.id)
	if err != nil {
		return o, err
	}
	o.name = "org_" + crockford(id)
	o.total, err = count(ctx, db, o.id)
	return o, err
}

// count counts an organization's shipments, one by one.
func count(ctx context.Context, db *sql.DB, org string) (map[string]int, error) {
	rows, err := db.QueryContext(ctx, `
		SELECT coalesce(status, ''), count(*) FROM shipments WHERE organization_id = $1 GROUP BY ROLLUP (status)`, org)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	total := map[string]int{}
	for rows.Next() {
		var status string
		var n int
		if err := rows.Scan(&status, &n); err != nil {
			return nil, err
		}
		total[status] = n
	}
	return total, rows.Err()
}

var digits = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// crockford writes a UUID as identifiers do: 130 bits in 26 digits, of which the
// first two bits are zero. Base32 pads at the end, so 30 zero bits are put in front.
func crockford(id uuid.UUID) string {
	return digits.EncodeToString(append(make([]byte, 4), id[:]...))[6:]
}
