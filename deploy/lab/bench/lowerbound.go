//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/lib/pq"
)

// lowerBoundCommand is the argument with which this program is the lower bound:
// a server that answers the lists and gets of one organization as directly as Go
// and Postgres can, with prepared statements and no tokens, limits or row-level
// security.
const lowerBoundCommand = "lower-bound"

const (
	boundColumns = `id, reference, status, vessel, origin, destination, pallets_count, created_at, approved_at`
	boundListSQL = `SELECT count(*) OVER (), row_to_json(s) FROM (SELECT ` + boundColumns + ` FROM shipments
		WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT 25) s`
	boundGetSQL = `SELECT 1, row_to_json(s) FROM (SELECT ` + boundColumns + ` FROM shipments
		WHERE organization_id = $1 AND id = $2) s`
)

// boundShipment is a shipment as the API lists it. Rows are decoded and encoded
// again, as the service does.
type boundShipment struct {
	ID           string     `json:"id"`
	Reference    string     `json:"reference"`
	Status       string     `json:"status"`
	Vessel       string     `json:"vessel"`
	Origin       string     `json:"origin"`
	Destination  string     `json:"destination"`
	PalletsCount int        `json:"pallets_count"`
	CreatedAt    time.Time  `json:"created_at"`
	ApprovedAt   *time.Time `json:"approved_at,omitempty"`
}

// serveLowerBound takes its address, a DSN and the organization.
func serveLowerBound(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("want ADDRESS DSN ORGANIZATION")
	}
	cfg, err := pq.NewConfig(args[1])
	if err != nil {
		return err
	}
	cfg.BinaryParameters = true
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	list, err1 := db.PrepareContext(ctx, boundListSQL)
	get, err2 := db.PrepareContext(ctx, boundGetSQL)
	var one string
	err3 := db.QueryRowContext(ctx, `SELECT id FROM shipments WHERE organization_id = $1`, args[2]).Scan(&one)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /api/v1/shipments", func(w http.ResponseWriter, r *http.Request) {
		items, total, err := boundRows(list.QueryContext(r.Context(), args[2]))
		meta := map[string]int{"page": 1, "per_page": 25, "total": total}
		boundReply(w, map[string]any{"shipments": items, "meta": meta}, err)
	})
	mux.HandleFunc("GET /api/v1/shipments/one", func(w http.ResponseWriter, r *http.Request) {
		items, _, err := boundRows(get.QueryContext(r.Context(), args[2], one))
		boundReply(w, map[string]any{"shipment": items}, err)
	})
	server := &http.Server{Addr: args[0], Handler: mux, ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// boundRows returns shipments, which are rows of JSON, and the total of their list.
func boundRows(rows *sql.Rows, err error) (items []boundShipment, total int, _ error) {
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text []byte
		if err := rows.Scan(&total, &text); err != nil {
			return nil, 0, err
		}
		var s boundShipment
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, 0, err
		}
		items = append(items, s)
	}
	return items, total, rows.Err()
}

func boundReply(w http.ResponseWriter, body any, err error) {
	text, encodeErr := json.Marshal(body)
	if err := errors.Join(err, encodeErr); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may have gone
}
