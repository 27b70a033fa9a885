package web_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/storage"
	"github.com/quayside/quayside/shipments-svc/internal/documents/worker"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/web"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

// csvReader reads every file as a list with one pallet.
type csvReader struct{}

func (csvReader) Read(
	_ context.Context, _ shipments.DocumentType, _ shipments.Kind, _ io.ReaderAt, _ int64, given []shipments.Assignment,
) (shipments.Reading, error) {
	columns := []list.Column{
		{
			Column: "A", Heading: "Pallet", Field: "pallet_number", Used: true, Rules: []string{"pallet"}, Score: 0.9,
			Alternatives: []list.Alternative{{Field: "lot", Score: 0.4}}, Samples: []string{"P1", "P2"},
		},
		{Column: "B", Heading: "Charge"},
		{Column: "C", Heading: "Farm", Field: "puc", Used: true},
	}
	for _, a := range given {
		for _, c := range a.Columns {
			at := &columns[c.Column[0]-'A']
			at.Field, at.Used = c.Field, c.Field != ""
		}
	}
	if columns[2].Field == "sscc" {
		return shipments.Reading{}, &shipments.UnreadableError{
			Failure: shipments.Failure{Code: "no_pallets", Detail: "No row is a pallet."},
		}
	}
	return shipments.Reading{RowsRead: 1, Pallets: []shipments.Pallet{{
		Number: "P<1>", ProduceName: "Plums", Calibre: "AA", Boxes: 9, BoxWeight: 5000,
		Source: shipments.Source{Row: 2},
	}}, Mappings: []list.Mapping{{HeaderRow: 1, HeaderRows: 1, Columns: columns}}}, nil
}

// Page shows a picture, and Table the list that was read.
func (csvReader) Page(context.Context, shipments.Document, io.ReaderAt, int) ([]byte, error) {
	return []byte("picture"), nil
}

func (csvReader) Table(
	_ context.Context, _ shipments.Document, _ io.ReaderAt, _ string, row int,
) (shipments.TablePart, error) {
	if row == 9 {
		return shipments.TablePart{}, &shipments.UnreadableError{Failure: shipments.Failure{Code: "malformed"}}
	}
	return shipments.TablePart{Sheets: []string{""}, After: 300, ShownTable: shipments.ShownTable{
		RowsCount: 400, Rows: []shipments.ShownRow{
			{Row: 1, Cells: []string{"Pallet", "Charge"}}, {Row: 2, Cells: []string{"P<1>", "7", "ZA1"}},
		},
	}}, nil
}

// site is the pages of a person, as the gateway calls them.
type site struct {
	http.Handler
	service     *shipments.Service
	repo        *postgres.Repository
	db          io.Closer
	dsn         string
	log         *bytes.Buffer
	org, user   string
	permissions string
	proof       time.Time // of who the person is
	cookie      string
}

func start(t *testing.T) *site {
	t.Helper()
	dsn := postgrestest.New(t, postgres.Migrate)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	files, err := storage.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := postgres.NewRepository(db)
	service := shipments.NewService(shipments.Needs{
		Repository: repo, Files: files, Reader: csvReader{}, Pages: csvReader{}, RunChecks: checks.Run,
		NewID: func() shipments.ID { return shipments.ID(uuid.Must(uuid.NewV7())) }, Now: time.Now,
	})
	keys, err := sealing.Parse("1:" + strings.Repeat("A", 43) + "=")
	if err != nil {
		t.Fatal(err)
	}
	hooks := webhooks.NewService(postgres.NewWebhooks(repo, keys),
		func() [16]byte { return uuid.Must(uuid.NewV7()) }, time.Now, false)
	var log bytes.Buffer
	sections, err := pages.ReadSections()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := web.New(web.Config{
		Service: service, Webhooks: hooks, Uploads: transport.NewUploads(), Timeout: 20 * time.Second, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(&log, nil)), Sections: sections,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &site{
		Handler: handler, service: service, repo: repo, db: db, dsn: dsn, log: &log,
		org: publicid.New("org"), user: publicid.New("usr"), proof: time.Now(),
		permissions: "documents:read documents:write shipments:read shipments:review shipments:write",
	}
}

// fill gives the organization n shipments of the vessel Anna.
func (s *site) fill(t *testing.T, n int) {
	t.Helper()
	db, err := sql.Open("postgres", postgrestest.Direct(s.dsn))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	org, _ := publicid.Parse("org", s.org)
	if _, err := db.ExecContext(t.Context(), `
		INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count,
			created_at)
		SELECT $1, gen_random_uuid(), 1, 'pending', 'PO-' || i, 'Anna', 'O', 'D', 0, now() FROM generate_series(1, $2) i`,
		org, n); err != nil {
		t.Fatal(err)
	}
}

func (s *site) request(t *testing.T, method, path, contentType string, body io.Reader) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, body)
	r.Header = http.Header{
		"Content-Type": {contentType}, "X-Organization-Id": {s.org}, "X-Organization-Name": {"Obst%20%26%20Co"},
		"Sec-Fetch-Site": {"same-origin"}, "X-User-Id": {s.user}, "X-User-Name": {"Anna%20%3Cb%3E"},
		"X-Token-Permissions": {s.permissions}, "Cookie": {s.cookie},
	}
	if !s.proof.IsZero() {
		r.Header.Set(assertion.HeaderUserAuthTime, strconv.FormatInt(s.proof.Unix(), 10))
	}
	return r
}

func (s *site) send(t *testing.T, method, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, s.request(t, method, path, contentType, body))
	return w
}

func (s *site) get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	return s.send(t, http.MethodGet, path, "", http.NoBody)
}

func (s *site) post(t *testing.T, path string, form url.Values) *httptest.ResponseRecorder {
	t.Helper()
	return s.send(t, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// attach sends a file as the form does.
func (s *site) attach(t *testing.T, path, dryRun string) *httptest.ResponseRecorder {
	t.Helper()
	return s.attachFiles(t, path, "packing_list", dryRun, "list.csv")
}

// attachFiles sends files, whose content is their name but for list.csv.
func (s *site) attachFiles(t *testing.T, path, kind, dryRun string, names ...string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("type", kind)
	for _, name := range names {
		part, err := form.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, cmp.Or(map[string]string{
			"list.csv": "Pallet\nP1\n", "x.png": "\x89PNG\r\n\x1a\n",
		}[name], "Pallet\n"+name))
	}
	_ = form.WriteField("dry_run", dryRun)
	_ = form.Close()
	return s.send(t, http.MethodPost, path+"/documents", form.FormDataContentType(), &body)
}

// want checks a page's status and texts; those that begin with ! must be missing.
func want(t *testing.T, w *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("%d, want %d: %.3000s", w.Code, status, w.Body)
	}
	for _, text := range texts {
		text, missing := strings.CutPrefix(text, "!")
		if strings.Contains(w.Body.String(), text) == missing {
			t.Errorf("%q, wanted %t, in %.3000s", text, !missing, w.Body)
		}
	}
}

// wantTo checks a redirect and returns where it leads.
func wantTo(t *testing.T, w *httptest.ResponseRecorder, prefix string) string {
	t.Helper()
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, prefix) {
		t.Fatalf("%d to %q, want %s…: %.2000s", w.Code, to, prefix, w.Body)
	}
	return to
}

var (
	keyOf     = regexp.MustCompile(`name="key" value="([^"]+)"`)
	now       = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	versionOf = regexp.MustCompile(`name="version" value="([^"]+)"`)
	draft     = url.Values{
		"reference": {"PO-<1>"}, "vessel": {"MSC Carmen"}, "origin": {"Valparaíso"},
		"destination": {"Rotterdam"},
	}
)

// create makes a shipment on the pages and returns its address.
func (s *site) create(t *testing.T) string {
	t.Helper()
	form := url.Values{"key": {keyOf.FindStringSubmatch(s.get(t, "/shipments/"+s.org+"/new").Body.String())[1]}}
	maps.Copy(form, draft)
	to := wantTo(t, s.post(t, "/shipments/"+s.org, form), "/shipments/"+s.org+"/ship_")
	if again := wantTo(t, s.post(t, "/shipments/"+s.org, form), "/shipments/"); again != to {
		t.Errorf("the form made %s and %s", to, again)
	}
	form.Set("vessel", "MSC Leila")
	want(t, s.post(t, "/shipments/"+s.org, form), http.StatusUnprocessableEntity, "already sent", `value="MSC Leila"`)
	path, _, _ := strings.Cut(to, "?")
	return path
}

func TestAnOfficeReviewsAShipment(t *testing.T) {
	t.Parallel()
	s := start(t)
	base := "/shipments/" + s.org
	list := base + "/list"
	wantTo(t, s.get(t, "/shipments"), base)
	want(t, s.get(t, base), http.StatusOK, "No shipments yet", "Obst &amp; Co", "Anna &lt;b&gt;", `href="`+base+`/new"`)
	path := s.create(t)
	want(t, s.get(t, base), http.StatusOK, `?status=pending">Waiting for documents <span class="count">1</span>`,
		"MSC Carmen → Rotterdam", "No check fails.", `<span class="hint">by you</span>`)
	wantTo(t, s.get(t, base+"?status=processing&q=carmen"), list+"?status=processing&q=carmen")
	want(t, s.get(t, path), http.StatusOK, "PO-&lt;1&gt;", "Pending", "No documents yet", "!id=\"approve\"", `id="attach"`)
	want(t, s.get(t, path+"/history"), http.StatusOK, "Created", "by you")
	want(t, s.attach(t, path, "true"), http.StatusOK,
		"Preview of list.csv: nothing is stored yet", "1 pallet, from 1 row.", "Pallet number", "No documents yet",
		`id="preview-0"`, `href="#preview-0"`, `<span class="status warn">Warning</span></th>`)
	wantTo(t, s.attach(t, path, "false"), path+"?done=attached")
	want(t, s.attach(t, path, "false"), http.StatusUnprocessableEntity, "already has a document")
	want(t, s.get(t, path+"?done=attached"), http.StatusOK, "The document was attached.", "Processing",
		"They are made once the documents have been read.")
	want(t, s.get(t, path+"/documents"), http.StatusOK, "list.csv", "Queued", "!/delete")
	want(t, s.get(t, s.list(t, path)), http.StatusOK, "The document is being read.", "!/mapping", "!/delete")
	want(t, s.get(t, list+"?status=processing&reference=PO-%3C1%3E"), http.StatusOK, "Reference: PO-&lt;1&gt;",
		`href="`+list+`?status=processing">Clear`, `href="`+list+`?reference=PO-%3C1%3E&amp;status=approved">Approved</a>`)
	want(t, s.get(t, list+"?status=approved"), http.StatusOK, "No shipments match.",
		`Approved <span class="count">0</span>`)
	want(t, s.get(t, list+"?vessel=msc&destination=rott&from=2020-01-01&sort=-vessel"), http.StatusOK, "PO-&lt;1&gt;",
		"export.csv?destination=rott", `aria-sort="descending"><a href="`+list+`?destination=rott&amp;from=2020`)
	want(t, s.get(t, base+"/export.csv?from=2026-11-31"), http.StatusBadRequest)
	want(t, s.get(t, list+"?status=lost"), http.StatusBadRequest, "Status must be one of pending,")
	want(t, s.get(t, list+"?q=c"), http.StatusBadRequest, "The search must have at least 3 characters.")
	want(t, s.get(t, list+"?vessel=carmen"), http.StatusOK, "No shipments match these filters.")
	want(t, s.attachFiles(t, path, "", "true", "a.csv", "b.csv"), http.StatusUnprocessableEntity, "one for a preview")
	want(t, s.attachFiles(t, path, "", "false", "Inv 7.csv", "list.csv", "HBL_9.csv"), http.StatusUnprocessableEntity,
		"list.csv: The shipment already has", "Commercial invoice", "Bill of lading")
	wantTo(t, s.attachFiles(t, path, "", "false", "phyto.csv", "x.png"), path+"?done=attached-all")
}

// reads has documents read until the test ends.
func (s *site) reads(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		done := func(worker.Outcome, time.Duration) {}
		worker.New(s.repo, s.service, nil, slog.New(slog.DiscardHandler), done).Run(ctx, 1)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

// until loads a page until it has a text.
func (s *site) until(t *testing.T, path, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		page := s.get(t, path).Body.String()
		if strings.Contains(page, text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q is not in %.3000s", text, page)
		}
	}
}

var listOf = regexp.MustCompile(`href="(/shipments/[^"]+/documents/doc_[^"/]+)"`)

// list returns the address of the only document of a shipment.
func (s *site) list(t *testing.T, path string) string {
	t.Helper()
	return listOf.FindStringSubmatch(s.get(t, path+"/documents").Body.String())[1]
}

// withList returns the address of a shipment whose only document was read.
func (s *site) withList(t *testing.T) string {
	t.Helper()
	s.reads(t)
	path := s.create(t)
	wantTo(t, s.attach(t, path, "false"), path)
	s.until(t, path, `id="approve"`)
	return path
}

// A document is shown as it is read, with what the checks found in it.
func TestADocumentIsLookedAt(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.withList(t)
	list := s.list(t, path)
	want(t, s.get(t, path), http.StatusOK, list+"?row=2&amp;sheet=#row-2", "pallet P&lt;1&gt;, row 2, list.csv")
	want(t, s.get(t, path+"/pallets"), http.StatusOK, list+"?row=2&amp;sheet=#row-2", "P&lt;1&gt;")
	want(t, s.get(t, path+"/print"), http.StatusOK, "P&lt;1&gt;", "list.csv", "checks passed: ", "by you",
		"!id=\"approve\"")
	want(t, s.get(t, list), http.StatusOK, `<tr id="row-2" class="warn">`, "<td>P&lt;1&gt;</td>", "Later rows",
		`<th scope="col">A<span class="block">Pallet number</span>`, "!<img", "What the checks found here")
	want(t, s.get(t, list+"?row=9"), http.StatusOK, "Its table cannot be shown", "How its columns are read")
	want(t, s.get(t, list+"/pages/1"), http.StatusOK, "picture")
	want(t, s.get(t, list+"/pages/0"), http.StatusNotFound)
	want(t, s.get(t, list+"/file"), http.StatusOK, "Pallet\nP1\n")
	wantTo(t, s.get(t, list+"/mapping"), list)
	reader := *s
	reader.permissions = "shipments:read"
	want(t, reader.get(t, list), http.StatusForbidden)
	want(t, reader.get(t, path), http.StatusOK, "!"+list)
}

func TestAPersonCorrectsAMapping(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.withList(t)
	list := s.list(t, path)
	mapping := list + "/mapping"
	want(t, s.get(t, list), http.StatusOK, "How its columns are read", "P1 · P2",
		`<option value="pallet_number" selected>Pallet number</option>`, `name="c0-A"`, "1 column not used")
	version := versionOf.FindStringSubmatch(s.get(t, list).Body.String())[1]
	form := func(a, b, name string) url.Values {
		return url.Values{"c0-A": {a}, "c0-B": {b}, "c0-C": {"puc"}, "save_as": {name}, "version": {version}}
	}
	for fault, refused := range map[string]url.Values{
		"that a template could be for":         form("pallet_number", "lot", "Kakuzi"),
		"Two columns are Pallet number.":       form("pallet_number", "pallet_number", ""),
		"must be one of pallet_number, pallet": form("pallet_number", "x", ""),
	} {
		want(t, s.post(t, mapping, refused), http.StatusUnprocessableEntity, fault)
	}
	try := form("pallet_number", "lot", "")
	try.Set("dry_run", "true")
	want(t, s.post(t, mapping, try), http.StatusOK, "nothing is stored yet",
		"The pallets and the checks stay as they are.",
		`<option value="lot" selected>Lot</option>`)
	try.Set("c0-C", "sscc")
	want(t, s.post(t, mapping, try), http.StatusOK, "<td>1</td><td class=\"strong\">→ 0</td>", "could not be read")
	want(t, s.get(t, list), http.StatusOK, "!<option value=\"lot\" selected>")
	wantTo(t, s.post(t, mapping, form("pallet_number", "lot", "")), path+"?done=reprocessed")
	want(t, s.post(t, mapping, form("pallet_number", "variety", "")), http.StatusPreconditionFailed, "was changed")
	s.until(t, list, `<option value="lot" selected>Lot</option>`)
	want(t, s.get(t, list), http.StatusOK, `class="hint">its heading (90 % sure), or lot (40 %)</td>`)
	again := form("pallet_number", "lot", "")
	again["c0-C"], again["version"] = []string{""}, s.version(t, list)["version"]
	wantTo(t, s.post(t, mapping, again), path+"?done=reprocessed")
	s.until(t, path, `id="approve"`)
	want(t, s.get(t, list), http.StatusOK, `<option value="lot" selected>`, `!<option value="puc" selected>`)
	reader := *s
	reader.permissions = "shipments:read documents:read"
	want(t, reader.post(t, mapping, form("pallet_number", "", "")), http.StatusForbidden)
	want(t, reader.get(t, list), http.StatusOK, "!How its columns are read", "!/delete")
	kind := s.version(t, list)
	kind["type"] = []string{"memo"}
	corrected := list + "/type"
	want(t, s.post(t, corrected, kind), http.StatusUnprocessableEntity, "Type must be one of packing_list,")
	kind["type"] = []string{"other"}
	wantTo(t, s.post(t, corrected, kind), path+"?done=retyped")
	want(t, s.get(t, list), http.StatusOK, `<option value="other" selected>Other</option>`, "!How its columns are read")
	want(t, s.get(t, path+"/history"), http.StatusOK, "Type: Packing list → Other", "list.csv")
}

// ready makes a shipment that waits for a review.
func (s *site) ready(t *testing.T, reference string, found ...shipments.Check) {
	t.Helper()
	id, _ := publicid.Parse("org", s.org)
	from := shipments.Shipment{
		ID: shipments.ID(uuid.Must(uuid.NewV7())), Status: shipments.ReadyForReview, CreatedAt: time.Now(),
		Draft: shipments.Draft{Reference: reference, Vessel: "V", Origin: "O", Destination: "D"},
	}
	to := from
	to.Version, to.PalletsCount = 1, 1
	if err := errors.Join(
		s.repo.Create(t.Context(), shipments.OrgID(id), from, shipments.Actor{}),
		s.repo.Revise(t.Context(), shipments.OrgID(id), shipments.Revision{
			From: from, To: to, Entry: shipments.Entry{Version: 1, Action: shipments.Update, Status: to.Status},
			Pallets: []shipments.Pallet{{Number: "P1", ProduceName: "Plum", Calibre: "AA", Boxes: 9, BoxWeight: 5000}},
			Checks:  found,
		}),
	); err != nil {
		t.Fatal(err)
	}
}

// TestShipmentsWithoutFindingsAreApprovedTogether, each as it was seen and by a decision of its own; others are named.
func TestShipmentsWithoutFindingsAreApprovedTogether(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, reference := range []string{"Clean", "Seen before"} {
		s.ready(t, reference, shipments.Check{Name: "weight_unit", Result: shipments.Pass})
	}
	s.ready(t, "Warned", shipments.Check{Name: "weight_unit", Result: shipments.Warn})
	base := "/shipments/" + s.org
	page := s.get(t, base+"/list?sort=reference").Body.String()
	chosen := regexp.MustCompile(`name="approve" value="([^"]+)"`).FindAllStringSubmatch(page, -1)
	warned := regexp.MustCompile(`/(ship_[a-z0-9]+)">Warned`).FindStringSubmatch(page)[1]
	form := url.Values{"approve": {
		chosen[0][1], strings.Replace(chosen[1][1], ":1:", ":0:", 1), warned + ":1:Warned", chosen[0][1],
	}}
	for range 2 { // sent twice
		want(t, s.post(t, base+"/approve", form), http.StatusOK, "1 shipment approved", "2 shipments not approved",
			"Seen before: it was changed", "Warned: a check found something (Weight unit)")
	}
	want(t, s.get(t, base), http.StatusOK, "Approved 1</span>", `Ready for review <span class="count">2</span>`)
	want(t, s.post(t, base+"/approve", url.Values{"approve": {"x"}}), http.StatusOK, "1 shipment not approved")
}

func TestAPersonDecidesWhatTheyHaveSeen(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.ready(t, "PO-2",
		shipments.Check{Name: "required_documents", Result: shipments.Fail, Details: "no certificate"},
		shipments.Check{Name: "weight_unit", Result: shipments.Warn, Details: "assumed"})
	link := regexp.MustCompile(`/shipments/org_[a-z0-9]+/ship_[a-z0-9]+`)
	path := link.FindString(s.get(t, "/shipments/"+s.org).Body.String())
	want(t, s.get(t, "/shipments/"+s.org), http.StatusOK, `Failing checks <span class="count">1</span>`, "1 failed")
	want(t, s.get(t, path), http.StatusOK, `value="required_documents"`, `value="weight_unit"`,
		`name="version" value="1"`)
	accepted := []string{"required_documents", "weight_unit"}
	want(t, s.post(t, path+"/approve", url.Values{"version": {"1"}, "reason": {"x"}, "accept": accepted[:1]}),
		http.StatusUnprocessableEntity, "Tick each of these",
		`value="required_documents" id="accept-required_documents" required checked`)
	want(
		t, s.post(t, path+"/approve", url.Values{"version": {"1"}, "accept": accepted}), http.StatusUnprocessableEntity,
		"Checks are failing.")
	rejected := s.post(t, path+"/reject", url.Values{"version": {"1"}})
	want(t, rejected, http.StatusUnprocessableEntity, "Reason is required.")
	want(t, s.post(t, path+"/approve", url.Values{"version": {"9"}, "reason": {"x"}}), http.StatusPreconditionFailed,
		"was changed", ">x</textarea>", `name="version" value="1"`)
	want(t, s.post(t, path+"/approve", url.Values{"reason": {"x"}}), http.StatusPreconditionFailed)
	wantTo(t, s.get(t, path+"/approve"), path)
	wantTo(t, s.post(t, path+"/approve", url.Values{
		"version": {"1"}, "reason": {"Sent by\r\ncourier"}, "accept": accepted,
	}),
		"/shipments/"+s.org+"/list?status=ready_for_review&done=approved")
	want(t, s.get(t, "/shipments/"+s.org), http.StatusOK, "Approved 1</span>", "<td>1</td><td>0</td>", "No shipment waits")
	want(t, s.get(t, path), http.StatusOK, "Approved", "Sent by courier", "you, ", "!Your review")
	want(t, s.get(t, path+"/history"), http.StatusOK,
		"Required documents, accepted: no certificate", "Weight unit, accepted: assumed")
	want(t, s.post(t, path+"/reject", url.Values{"reason": {"late"}}), http.StatusPreconditionFailed,
		"Your reason was: late")
	second := s.post(t, path+"/approve", url.Values{"version": {"1"}, "reason": {"second"}})
	want(t, second, http.StatusPreconditionFailed)

	s.ready(t, "PO-3")
	older := link.FindString(s.get(t, "/shipments/"+s.org).Body.String())
	s.ready(t, "PO-4")
	newer := link.FindString(s.get(t, "/shipments/"+s.org).Body.String())
	to := wantTo(t, s.post(t, newer+"/approve", url.Values{"version": {"1"}}), older+"?done=approved-next")
	want(t, s.get(t, to), http.StatusOK, "PO-3", "This is the next that waits")
}

// The texts of a shipment are edited, unless it was changed meanwhile, which loses nothing that was typed.
func TestAShipmentIsEdited(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.create(t)
	form := s.version(t, path+"/edit")
	want(t, s.get(t, path), http.StatusOK, `href="`+path+`/edit"`)
	want(t, s.get(t, path+"/edit"), http.StatusOK, `value="PO-&lt;1&gt;"`, "Edit PO-&lt;1&gt;")
	maps.Copy(form, draft)
	form.Set("vessel", "")
	want(t, s.post(t, path+"/edit", form), http.StatusUnprocessableEntity, "Vessel or flight is required.")
	form.Set("vessel", "MSC Leila")
	wantTo(t, s.post(t, path+"/edit", form), path+"?done=changed")
	want(t, s.get(t, path+"/history"), http.StatusOK, "Vessel or flight: "+draft.Get("vessel")+" → MSC Leila", "by you")
	use := s.version(t, path+"/edit") // the button of a suggestion, which is about one text
	use.Set("voyage", "442A")
	wantTo(t, s.post(t, path+"/edit", use), path+"?done=changed")
	want(t, s.get(t, path), http.StatusOK, "MSC Leila", "442A")
	want(t, s.post(t, path+"/edit", use), http.StatusPreconditionFailed, `value="442A"`, `value="MSC Leila"`)
	form.Set("vessel", "MSC Carmen")
	want(t, s.post(t, path+"/edit", form), http.StatusPreconditionFailed, "was changed after you opened it",
		`value="MSC Carmen"`, `name="version" value="3"`)
	reader := *s
	reader.permissions = "shipments:read"
	want(t, reader.get(t, path), http.StatusOK, "!/edit")
	want(t, reader.post(t, path+"/edit", form), http.StatusForbidden)
}

// A shipment and a document are deleted once the person has confirmed it.
func TestDeletingIsConfirmed(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.withList(t)
	document := s.list(t, path) + "/delete"
	want(t, s.get(t, path), http.StatusOK, `!id="delete"`)
	want(t, s.get(t, document), http.StatusOK, "Delete list.csv?", "the pallets that were read", `href="`+path+`"`)
	want(t, s.get(t, path+"/documents"), http.StatusOK, "list.csv", document)
	want(t, s.post(t, document, url.Values{"version": {"1"}}), http.StatusPreconditionFailed, "was changed")
	wantTo(t, s.post(t, document, s.version(t, document)), path+"?done=deleted")
	want(t, s.get(t, document), http.StatusNotFound)
	want(t, s.get(t, path), http.StatusOK, `href="`+path+`/delete"`)
	if page := s.get(t, path+"/history").Body.String(); strings.Count(page, "list.csv") != 3 {
		t.Errorf("the document that was deleted has no name in %s", page)
	}
	want(t, s.get(t, path+"/delete"), http.StatusOK, "Delete PO-&lt;1&gt;?", "This cannot be undone.")
	want(t, s.get(t, path), http.StatusOK, "PO-&lt;1&gt;")
	wantTo(t, s.post(t, path+"/delete", s.version(t, path+"/delete")), "/shipments/"+s.org+"?done=removed")
	want(t, s.get(t, path), http.StatusNotFound)
}

// version returns the form with the version that a page shows.
func (s *site) version(t *testing.T, path string) url.Values {
	t.Helper()
	return url.Values{"version": {versionOf.FindStringSubmatch(s.get(t, path).Body.String())[1]}}
}

// TestAPersonSwitchesToTestData: what is made then is test data, and no page of live data has it.
func TestAPersonSwitchesToTestData(t *testing.T) {
	t.Parallel()
	s := start(t)
	list := "/shipments/" + s.org
	test := *s
	for range 2 { // sent twice, it does not switch back
		on := test.post(t, list+"/data", url.Values{"data": {"test"}})
		wantTo(t, on, list)
		test.cookie, _, _ = strings.Cut(on.Header().Get("Set-Cookie"), ";")
	}
	path := test.create(t)
	want(t, test.get(t, list), http.StatusOK, "PO-", "This is test data", `value="live">Show live data`)
	want(t, test.get(t, list+"/export.csv"), http.StatusOK, "1 row: every test shipment.")
	want(t, s.get(t, list), http.StatusOK, "!PO-", "!This is test data", "Show test data")
	want(t, s.get(t, path), http.StatusNotFound)
	id, _ := publicid.Parse("org", s.org)
	q := shipments.Query{}
	found, err := s.service.List(t.Context(), shipments.TestPartition(shipments.Organization(id)), q)
	off := test.post(t, list+"/data", url.Values{"data": {"live"}}).Header().Get("Set-Cookie")
	if err != nil || found.Total != 1 || !strings.Contains(off, "Max-Age=0") {
		t.Errorf("%d, %q (%v)", found.Total, off, err)
	}
}

// The history names people as they were called when they acted.
func TestHistoryNamesTheOtherPerson(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.create(t)
	other := *s
	other.user = publicid.New("usr")
	want(t, other.get(t, path+"/history"), http.StatusOK, "by Anna &lt;b&gt;", "!"+s.user)
	comment := url.Values{"comment": {"Where is\nthe <certificate>?"}}
	wantTo(t, s.post(t, path+"/comments", comment), path+"/history?done=commented")
	want(t, other.get(t, path+"/history"), http.StatusOK, "Where is the &lt;certificate&gt;?", "Anna &lt;b&gt;</span>",
		"History (1)")
	want(t, s.post(t, path+"/comments", url.Values{"comment": {strings.Repeat("x", 1001)}}),
		http.StatusUnprocessableEntity, "Comment must have at most 1000 characters", "xxx</textarea>")
	want(t, s.post(t, path+"/comments", nil), http.StatusUnprocessableEntity, "Comment is required.")
	other.permissions = "shipments:read"
	want(t, other.get(t, path+"/history"), http.StatusOK, "!id=\"comment\"", "Where is the")
	want(t, other.post(t, path+"/comments", comment), http.StatusForbidden)
	for range shipments.MaxComments - 1 {
		wantTo(t, s.post(t, path+"/comments", comment), path)
	}
	want(t, s.post(t, path+"/comments", comment), http.StatusUnprocessableEntity, "A shipment has at most 200 comments.")
}

// A page of another organization is none there is, and readers are shown no actions; see access_test.go for each route.
func TestReadersSeeNoActions(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.create(t)
	other := *s
	other.org = publicid.New("org")
	want(t, other.get(t, strings.Replace(path, s.org, other.org, 1)), http.StatusNotFound, "Page not found", "!PO-")
	reader := *s
	reader.permissions = "shipments:read"
	want(t, reader.get(t, path), http.StatusOK, "PO-", "!id=\"attach\"", "!id=\"approve\"")
	want(t, reader.get(t, "/shipments/"+s.org), http.StatusOK, "!New shipment")
	want(t, reader.get(t, "/shipments/"+s.org+"/new"), http.StatusForbidden, "You don&#39;t have permission")
}

func TestOtherPathsAndMethodsArePages(t *testing.T) {
	t.Parallel()
	s := start(t)
	want(t, s.get(t, "/shipments/"+s.org+"/ship_nothing"), http.StatusNotFound, "Page not found")
	want(t, s.get(t, "/shipments/"+s.org+"/x/y/z"), http.StatusNotFound, "Page not found")
	want(t, s.get(t, "/shipments/"+s.org+"?reference=%00"), http.StatusBadRequest)
	want(t, s.post(t, "/shipments/"+s.org, url.Values{"key": {"a\x00b"}}), http.StatusBadRequest)
	want(t, s.post(t, "/shipments/"+s.org, nil), http.StatusBadRequest)
	want(t, s.post(t, "/shipments/"+s.org, url.Values{"key": {strings.Repeat("x", pages.MaxForm)}}),
		http.StatusRequestEntityTooLarge)
	deleted := s.send(t, http.MethodDelete, "/shipments/"+s.org, "", http.NoBody)
	want(t, deleted, http.StatusMethodNotAllowed)
	if allow := deleted.Header().Get("Allow"); allow != "GET, HEAD, POST" {
		t.Errorf("Allow: %q", allow)
	}
	page := s.get(t, "/shipments/"+s.org)
	for _, file := range regexp.MustCompile(`/static/shipments/[^"]+`).FindAllString(page.Body.String(), -1) {
		w := s.get(t, file)
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", file, w.Code, w.Header())
		}
	}
	if csp := page.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("%v", page.Header())
	}
	want(
		t, s.post(t, "/shipments/"+s.org, url.Values{"key": {"k"}, "reference": {" "}}), http.StatusUnprocessableEntity,
		"There are 4 problems", `href="#reference"`, "Reference is required.", "From is required.")
}
