package resilience

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "github.com/lib/pq" // database/sql's "postgres"
)

// work is a request of an organization, or a few of which the last one counts.
type work = func(context.Context, *organization) sample

func read(ctx context.Context, o *organization) sample      { return o.get(ctx, o.shipment) }
func readToken(ctx context.Context, o *organization) sample { return o.get(ctx, "/api/v1/token") }
func list(ctx context.Context, o *organization) sample      { return o.get(ctx, "/api/v1/shipments") }
func visit(ctx context.Context, o *organization) sample     { return o.get(ctx, "/docs") }

// firstUse sends a token that the gateway does not know.
func firstUse(ctx context.Context, o *organization) sample {
	token := o.fresh[int(o.used.Add(1))%len(o.fresh)]
	return o.request(ctx, http.MethodGet, "/api/v1/token", token, "")
}

func create(ctx context.Context, o *organization) sample { return order(ctx, o, "LAB") }

// order creates a shipment with a reference.
func order(ctx context.Context, o *organization, reference string, header ...string) sample {
	const body = `{"shipment":{"reference":%q,"vessel":"MSC Carmen","origin":"Durban","destination":"Rotterdam"}}`
	return o.request(ctx, http.MethodPost, "/api/v1/shipments", o.token(), fmt.Sprintf(body, reference), header...)
}

func upload(ctx context.Context, o *organization) sample {
	s := create(ctx, o)
	if s.failure() == nil {
		s = o.attach(ctx, s.location, "list.csv", palletList(2, 1), false)
	}
	return s
}

// process is an upload until its checks.
func process(ctx context.Context, o *organization) sample {
	s := upload(ctx, o)
	if shipment, _, _ := strings.Cut(s.location, "/documents"); s.failure() == nil {
		s = o.settled(ctx, shipment)
	}
	return s
}

func preview(ctx context.Context, o *organization) sample {
	return o.attach(ctx, o.shipment, "list.csv", o.list, true)
}

// page is the page of the organization's document.
func (o *organization) page() string {
	return strings.Replace(o.document, "/api/v1/shipments/", "/shipments/"+o.id+"/", 1)
}

// look shows a part of a document that was not shown before.
func look(ctx context.Context, o *organization) sample {
	return o.get(ctx, fmt.Sprintf("%s?row=%d", o.page(), serial.Add(1)))
}

// correct has a document read that was attached and read once, to see what would change.
func correct(ctx context.Context, o *organization) sample {
	return o.submit(ctx, o.page()+"/mapping", "version", "3", "dry_run", "true")
}

func export(ctx context.Context, o *organization) sample {
	return o.get(ctx, "/shipments/"+o.id+"/"+shipmentID.FindString(o.shipment)+"/pallets.xlsx")
}

// notify is a change until its webhook.
func notify(ctx context.Context, o *organization) sample {
	s := create(ctx, o)
	return await(ctx, s, shipmentID.FindString(s.location))
}

// invite is an invitation until its mail.
func invite(ctx context.Context, o *organization) sample {
	to := fmt.Sprintf("guest%d@lab.example", serial.Add(1))
	return await(ctx, o.submit(ctx, "/settings/"+o.id+"/members/invitations", "email", to, "role", "member"), to)
}

func signIn(ctx context.Context, o *organization) sample {
	s := o.submit(ctx, "/sign-in", "email", o.email, "password", password)
	if s.failure() == nil || s.status == http.StatusSeeOther {
		o.cookie = s.cookie
	}
	return s
}

// What follows is for hostile organizations.

// withoutToken comes from the address of the good one, as from an office.
func withoutToken(ctx context.Context, o *organization) sample {
	return o.request(ctx, http.MethodGet, o.shipment, "", "")
}

func guess(ctx context.Context, o *organization) sample {
	return o.submit(ctx, "/sign-in", "email", fmt.Sprintf("%d@lab.example", serial.Add(1)), "password", "wrong")
}

func createToken(ctx context.Context, o *organization) sample {
	permissions := strings.ReplaceAll(everyPermission, ",", `","`)
	return o.post(ctx, "/api/v1/tokens", `{"token":{"name":"Lab","permissions":["`+permissions+`"]}}`)
}

func changeTokens(ctx context.Context, o *organization) sample {
	s := createToken(ctx, o)
	if s.failure() == nil {
		s = o.post(ctx, s.location+"/revoke", "")
	}
	return s
}

func addPallets(ctx context.Context, o *organization) sample {
	return o.attach(ctx, o.shipment, "list.csv", palletList(10, 1), false)
}

// mapSheets names ten sheets, which have 600 kB together.
func mapSheets(ctx context.Context, o *organization) sample {
	mapping := `{"sheet":"` + strings.Repeat("A", 60_000) + `","columns":[{"column":"D","field":"boxes"}]}`
	body := `{"mappings":[` + strings.Repeat(mapping+",", 9) + mapping + `]}`
	return o.request(ctx, http.MethodPut, o.document+"/mapping", o.token(), body)
}

func poll(ctx context.Context, o *organization) sample {
	return o.get(ctx, o.shipment, "Prefer", "wait=8")
}

func filterAudit(ctx context.Context, o *organization) sample {
	return o.get(ctx, "/settings/"+o.id+"/audit-log?q=carl")
}

// attachArchive attaches what the name says is a workbook.
func attachArchive(ctx context.Context, o *organization) sample {
	return o.attach(ctx, o.shipment, "list.xlsx", o.list, false)
}

func uploadToHanging(ctx context.Context, o *organization) sample {
	return o.post(ctx, "/api/v1/hang", string(o.list))
}

// hold sends something over a connection of its own, and reads nothing.
func (o *organization) hold(ctx context.Context, text string) sample {
	conn, err := o.dialer.DialContext(ctx, "tcp", stack.Program("gateway").Address)
	if err != nil {
		return sample{err: err}
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if strings.HasPrefix(url, "https:") {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.WriteString(conn, text); err != nil {
		return sample{err: err}
	}
	wait(ctx, time.Minute)
	return sample{}
}

func connect(ctx context.Context, o *organization) sample {
	return o.hold(ctx, "GET /robots.txt HTTP/1.1\r\nHost: lab\r\n\r\n")
}

func holdDownload(ctx context.Context, o *organization) sample {
	return o.hold(ctx, "GET "+o.shipment+" HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer "+o.token()+"\r\n\r\n")
}

// holdUpload announces 12 MiB and sends 70 kB.
func holdUpload(ctx context.Context, o *organization) sample {
	return o.hold(ctx, fmt.Sprintf("POST %s/documents HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"+`{"document":{"content_base64":"%s`,
		o.shipment, o.token(), 12<<20, strings.Repeat("A", 70_000)))
}

// holdStreams opens 86 streams of HTTP/2 with a window of 0.
func holdStreams(ctx context.Context, o *organization) sample {
	b := bytes.NewBufferString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	frame := func(kind, flags byte, stream uint32, payload string) {
		b.Write(binary.BigEndian.AppendUint32([]byte{0, 0, byte(len(payload)), kind, flags}, stream))
		b.WriteString(payload)
	}
	frame(4, 0, 0, "\x00\x04\x00\x00\x00\x00") // SETTINGS_INITIAL_WINDOW_SIZE
	for i := range uint32(86) {
		frame(1, 5, 1+2*i, "\x82\x86\x01\x03lab\x04\x0f/docs/reference") // HEADERS that end headers and stream
	}
	return o.hold(ctx, b.String())
}

// What a hostile organization has before it begins.

// subscribed is one with webhook endpoints, of which there may be 20.
func subscribed(path string, n int) func(*testing.T, *organization) {
	const body = `{"webhook_endpoint":{"url":"%s/%d","event_types":["shipment.created"]}}`
	return func(t *testing.T, o *organization) {
		for i := range n {
			must(t, o.post(t.Context(), "/api/v1/webhook_endpoints", fmt.Sprintf(body, around+path, i)))
		}
	}
}

// large is one with a shipment of so many lists, each of so many pallets with so many lines.
func large(lists, pallets, lines int) func(*testing.T, *organization) {
	return func(t *testing.T, o *organization) {
		all := make([][]byte, lists)
		for i := range all {
			all[i] = palletList(pallets, lines)
		}
		o.list = palletList(pallets, lines)
		o.ship(t, all...)
	}
}

// unread is one with a document that has no table.
func unread(t *testing.T, o *organization) { o.ship(t, []byte("\n")) }

// templated is one with 20 templates.
func templated(t *testing.T, o *organization) {
	for i := range 20 {
		o.ship(t, fmt.Appendf(nil, "Pallet;Product;Size;Cartons;Net kg/carton;Remark %d\nP1;Avocado;18;12;4,125;x\n", i))
		body := fmt.Sprintf(`{"mappings":[{"columns":[{"column":"D","field":"boxes"}]}],"save_as":"%d"}`, i)
		must(t, o.request(t.Context(), http.MethodPut, o.document+"/mapping", o.token(), body))
	}
}

// archived is one with an archive of as many entries as fit into a file.
func archived(t *testing.T, o *organization) {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for i := range 100_000 {
		if _, err := archive.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%x", i)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = archive.Close() // into memory
	o.list = file.Bytes()
}

// audited is one with 300,000 events in its audit log, until the test ends.
func audited(t *testing.T, o *organization) {
	const events = `INSERT INTO audit_events SELECT $1, n + 1000, now() - n * interval '1 minute', 'user', 'usr_1',
		'anna@lab.example', NULL, 'req_1', 'token.updated', 'tok_000000000001',
		'{"name": "ERP", "permissions": "shipments:read"}', sha256(''), sha256('') FROM generate_series(1, 300000) n`
	db, err := sql.Open("postgres", stack.DSN("tokens"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = db.ExecContext(t.Context(), events, o.id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := db.Exec(`DELETE FROM audit_events WHERE log_id = $1 AND sequence >= 1000`, o.id)
		if err = errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
	})
}
