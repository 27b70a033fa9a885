package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lib/pq"
)

// lowerBoundCommand is the argument with which this program is the lower bound.
const lowerBoundCommand = "lower-bound"

// lowerBound answers lists and gets of one organization and creates of another
// as directly as Go and Postgres can: prepared statements, no tokens, no limits, no
// row-level security, no events, no counters. Rows are read in the same form
// as the service does.
type lowerBound struct {
	reader, writer    string // organizations, as Postgres has them
	list, get, create *sql.Stmt
}

// listItem is a shipment as the API lists it.
type listItem struct {
	ID           string  `json:"id"`
	Reference    string  `json:"reference"`
	Status       string  `json:"status"`
	Vessel       string  `json:"vessel"`
	Origin       string  `json:"origin"`
	Destination  string  `json:"destination"`
	PalletsCount int     `json:"pallets_count"`
	CreatedAt    string  `json:"created_at"`
	ApprovedAt   *string `json:"approved_at,omitempty"`
}

// detail is a shipment as the API returns it.
type detail struct {
	listItem

	Pallets   []struct{} `json:"pallets"`
	Checks    []struct{} `json:"checks"`
	Documents []struct{} `json:"documents"`
}

// timestamp is the API's format of times.
const timestamp = "2006-01-02T15:04:05.000Z"

const (
	columns      = `id, reference, status, vessel, origin, destination, pallets_count, created_at, approved_at`
	boundListSQL = `
SELECT total.n, row_to_json(s)
FROM (SELECT coalesce(sum(n), 0)::bigint AS n FROM shipment_months WHERE organization_id = $1 AND status = '') total
LEFT JOIN (SELECT version, ` + columns + ` FROM shipments WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT 25) s ON true
ORDER BY s.created_at DESC, s.id DESC`
	boundGetSQL   = `SELECT 1, row_to_json(s) FROM (SELECT ` + columns + ` FROM shipments WHERE organization_id = $1 AND id = $2) s`
	boundWriteSQL = `WITH s AS (INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count, created_at)
		VALUES ($1, gen_random_uuid(), 1, 'pending', $2, $3, $4, $5, 0, now()) RETURNING ` + columns + `) SELECT 1, row_to_json(s) FROM s`
)

func openLowerBound(ctx context.Context, dsn, reader, writer string) (*lowerBound, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.BinaryParameters = true
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	b := &lowerBound{reader: reader, writer: writer}
	for text, statement := range map[string]**sql.Stmt{boundListSQL: &b.list, boundGetSQL: &b.get, boundWriteSQL: &b.create} {
		if *statement, err = db.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // for as long as the program runs
			return nil, err
		}
	}
	return b, nil
}

// serveLowerBound takes its address, a DSN, and the organizations that are read
// and written.
func serveLowerBound(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return errors.New("want ADDRESS DSN READER WRITER")
	}
	b, err := openLowerBound(ctx, args[1], args[2], args[3])
	if err != nil {
		return err
	}
	server := &http.Server{Addr: args[0], Handler: b.handler(), ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (b *lowerBound) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /api/v1/shipments", func(w http.ResponseWriter, r *http.Request) {
		items, total, err := read(b.list.QueryContext(r.Context(), b.reader))
		var page struct {
			Shipments []listItem `json:"shipments"`
			Meta      struct {
				Page    int `json:"page"`
				PerPage int `json:"per_page"`
				Total   int `json:"total"`
			} `json:"meta"`
		}
		page.Shipments = items
		page.Meta.Page, page.Meta.PerPage, page.Meta.Total = 1, 25, total
		reply(w, http.StatusOK, page, err)
	})
	mux.HandleFunc("GET /api/v1/shipments/{id}", func(w http.ResponseWriter, r *http.Request) {
		items, _, err := read(b.get.QueryContext(r.Context(), b.reader, r.PathValue("id")))
		if err == nil && len(items) == 0 {
			err = sql.ErrNoRows
		}
		replyOne(w, http.StatusOK, items, err)
	})
	mux.HandleFunc("POST /api/v1/shipments", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Shipment listItem }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			reply(w, 0, nil, err)
			return
		}
		s := body.Shipment
		items, _, err := read(b.create.QueryContext(r.Context(), b.writer, s.Reference, s.Vessel, s.Origin, s.Destination))
		replyOne(w, http.StatusCreated, items, err)
	})
	return mux
}

// read returns shipments, which are rows of JSON, and the total of their list.
func read(rows *sql.Rows, err error) (items []listItem, total int, _ error) {
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text []byte
		if err := rows.Scan(&total, &text); err != nil {
			return nil, 0, err
		}
		var s struct {
			listItem

			CreatedAt  time.Time  `json:"created_at"`
			ApprovedAt *time.Time `json:"approved_at"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, 0, err
		}
		s.listItem.CreatedAt = s.CreatedAt.UTC().Format(timestamp)
		if s.ApprovedAt != nil {
			s.listItem.ApprovedAt = new(s.ApprovedAt.UTC().Format(timestamp))
		}
		items = append(items, s.listItem)
	}
	return items, total, rows.Err()
}

func replyOne(w http.ResponseWriter, status int, items []listItem, err error) {
	var body struct {
		Shipment detail `json:"shipment"`
	}
	if err == nil {
		body.Shipment = detail{listItem: items[0], Pallets: []struct{}{}, Checks: []struct{}{}, Documents: []struct{}{}}
	}
	reply(w, status, body, err)
}

func reply(w http.ResponseWriter, status int, body any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have gone
}
