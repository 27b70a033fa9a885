package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

const (
	// memoryOfOne is how many bytes of memory a request may take, whatever it
	// holds, and memoryOfMany what twenty of the most expensive take at once.
	memoryOfOne  = 128 << 20
	memoryOfMany = 512 << 20
	// wholeDocument is how many bytes a JSON body with a document may have.
	wholeDocument = 14 << 20
)

// TestEveryRequestStaysBelowItsMemory measures the program itself, built as it is
// shipped, with the GOMEMLIMIT of its image: the most it has ever taken beyond what it takes idle.
func TestEveryRequestStaysBelowItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "shipments-svc")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program,
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := startProgram(t, program, postgrestest.New(t, postgres.Migrate), t.TempDir())
	org := publicid.New("org")
	small := p.shipment(t, org)
	idle := p.memory(t, "VmRSS")
	for _, c := range hostile() {
		p.resetPeak(t)
		status := p.try(t, org, http.MethodPost, small+"/documents", c.media, c.body)
		if used := p.memory(t, "VmHWM") - idle; used > memoryOfOne ||
			status/100 != c.status/100 && status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d, want %d; %d MiB", c.name, status, c.status, used>>20)
		} else {
			t.Logf("%s: %d; %d MiB", c.name, status, used>>20)
		}
	}
	for _, path := range []string{"/api/v1/shipments", small + "/approve", "/api/v1/webhook_endpoints"} {
		p.resetPeak(t)
		status := p.try(t, org, http.MethodPost, path, "application/json", []byte(`{"a":[`+fill(`{},`, 1<<20-10)+`{}]}`))
		if used := p.memory(t, "VmHWM") - idle; used > memoryOfOne ||
			status != http.StatusUnprocessableEntity && status != http.StatusForbidden {
			t.Errorf("%s: %d; %d MiB", path, status, used>>20)
		}
	}

	large := p.shipment(t, org)
	for _, c := range []struct {
		name, method, path string
		body               []byte
		want               string // in the answer
	}{
		{"attach 10,000 pallets", http.MethodPost, large + "/documents", pallets(10_000, ""), `"status":"processed"`},
		{"get them", http.MethodGet, large, nil, `"pallets_count":10000`},
		{"change the shipment", http.MethodPatch, large, []byte(`{"shipment":{"destination":"Hamburg"}}`), "Hamburg"},
		{"list", http.MethodGet, "/api/v1/shipments?per_page=100", nil, `"meta"`},
		{"try a list of 10,000 lines", http.MethodPost, small + "/documents", longList(), `"status":"processed"`},
	} {
		p.resetPeak(t)
		status, answer := p.do(t, org, c.method, c.path, "application/json", c.body)
		used := p.memory(t, "VmHWM") - idle
		if used > memoryOfOne || status >= 300 || !bytes.Contains(answer, []byte(c.want)) {
			t.Errorf("%s: %d; %d MiB: %.300s", c.name, status, used>>20, answer)
		} else {
			t.Logf("%s: %d; %d MiB", c.name, status, used>>20)
		}
	}

	type place struct{ org, path string }
	var places []place
	for i := range 20 {
		if i%5 == 0 {
			org = publicid.New("org")
		}
		places = append(places, place{org, p.shipment(t, org)})
	}
	p.resetPeak(t)
	atOnce := func(name, method, below string, want int, body func(i int) []byte) {
		var wg sync.WaitGroup
		for i, at := range places {
			wg.Go(func() {
				req := p.request(t, at.org, method, at.path+below, "application/json", bytes.NewReader(body(i)))
				res, err := http.DefaultClient.Do(req)
				switch {
				case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET): // it gave way before all was sent
				case err != nil:
					t.Errorf("one of many %s: %v", name, err)
				default:
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
					if !slices.Contains([]int{want, 408, 429, 503}, res.StatusCode) { // each may give way
						t.Errorf("one of many %s: %d", name, res.StatusCode)
					}
				}
			})
		}
		wg.Wait()
		t.Logf("twenty %s at once: %d MiB", name, (p.memory(t, "VmHWM")-idle)>>20)
	}
	atOnce("lists", http.MethodPost, "/documents", http.StatusCreated, func(i int) []byte {
		return pallets(10_000, fmt.Sprint(i))
	})
	atOnce("answers", http.MethodGet, "", http.StatusOK, func(int) []byte { return nil })
	atOnce("files", http.MethodPost, "/documents", http.StatusCreated, func(i int) []byte {
		content := base64.StdEncoding.EncodeToString(bytes.Repeat(fmt.Appendf(nil, "Pallet;Boxes %06d\n", i), (10<<20)/20))
		return fmt.Appendf(nil, `{"document":{"type":"other","filename":"a.csv","content_base64":"%s"}}`, content)
	})
	archive := manyEntries()
	atOnce("archives", http.MethodPost, "/documents", http.StatusUnprocessableEntity, func(int) []byte { return archive })
	used := p.memory(t, "VmHWM") - idle
	if used > memoryOfMany {
		t.Errorf("twenty at once: %d MiB", used>>20)
	}

	p.resetPeak(t)
	p.hold(t, small)
	if used := p.memory(t, "VmHWM") - idle; used > memoryOfMany {
		t.Errorf("uploads that are held: %d MiB", used>>20)
	} else {
		t.Logf("uploads that are held: %d MiB", used>>20)
	}
}

// hold sends 20 uploads of each of seven organizations but for their last bytes, until
// all that are not admitted have ended.
func (p *process) hold(t *testing.T, path string) {
	t.Helper()
	var wg sync.WaitGroup
	var ended atomic.Int64
	end := make(chan struct{})
	for range 7 {
		org := publicid.New("org")
		for range 20 {
			wg.Go(func() {
				defer ended.Add(1)
				body := io.MultiReader(strings.NewReader(fill("x", wholeDocument-1)), waiting(end))
				res, err := http.DefaultClient.Do(p.request(t, org, http.MethodPost, path+"/documents", "application/json", body))
				if err == nil {
					_ = res.Body.Close()
				}
			})
		}
	}
	for ended.Load() < 7*20-maxHeld {
		time.Sleep(10 * time.Millisecond)
	}
	close(end)
	wg.Wait()
}

// maxHeld is how many of the largest uploads are admitted at once at most.
const maxHeld = 112 / 14

// waiting is a reader that ends once its channel is closed.
type waiting <-chan struct{}

func (w waiting) Read([]byte) (int, error) {
	<-w
	return 0, io.EOF
}

// manyEntries is an archive of 9 MiB, all of it entries of its directory.
func manyEntries() []byte {
	const n, local = 200_000, 30
	entry := "PK\x01\x02" + strings.Repeat("\x00", 42)
	archive := []byte("PK\x03\x04" + strings.Repeat("\x00", local-4) + strings.Repeat(entry, n))
	end := []byte("PK\x05\x06" + strings.Repeat("\x00", 18))
	binary.LittleEndian.PutUint16(end[10:], n&0xffff)
	binary.LittleEndian.PutUint32(end[12:], uint32(len(archive)-local))
	binary.LittleEndian.PutUint32(end[16:], local)
	return fmt.Appendf(nil, `{"document":{"type":"other","filename":"a.zip","content_base64":"%s"}}`,
		base64.StdEncoding.EncodeToString(append(archive, end...)))
}

// longList is a dry run of a packing list of 10,000 lines, each
// with long texts.
func longList() []byte {
	var file bytes.Buffer
	file.WriteString("Pallet;Product;Size;Cartons;Net kg/carton;Lot;PUC\n")
	for i := range 10_000 {
		text := strings.Repeat("x", 90)
		_, _ = fmt.Fprintf(&file, "P-%05d;%s;18;264;4,125;%s;%s\n", i/2, text, text, text)
	}
	return fmt.Appendf(
		nil, `{"dry_run":true,"document":{"type":"packing_list","filename":"l.csv","content_base64":"%s"}}`,
		base64.StdEncoding.EncodeToString(file.Bytes()),
	)
}

type hostileBody struct {
	name, media string
	body        []byte
	status      int
}

// hostile returns the most expensive bodies of a document that are known.
func hostile() []hostileBody {
	const (
		begin = `{"document":{"type":"packing_list",`
		room  = wholeDocument - len(begin) - 64
	)
	asJSON := func(name, inside string, status int) hostileBody {
		return hostileBody{name, "application/json", []byte(begin + inside + `}}`), status}
	}
	var keys strings.Builder
	for i := 0; keys.Len() < room; i++ {
		_, _ = fmt.Fprintf(&keys, `"k%d":1,`, i)
	}
	content := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("Pallet;Boxes\n"), (10<<20)/13))
	return []hostileBody{
		asJSON("4.8 million elements", `"pallets":[`+fill("{},", room)+`{}]`, 422),
		asJSON("elements of other arrays", `"x":[`+fill("[],", room)+`[]]`, 422),
		asJSON("deep nesting", `"x":`+strings.Repeat("[", room), 400),
		asJSON("wide and deep", `"x":[`+fill("[[[]]],", room)+`[]]`, 422),
		asJSON("one long string", `"pallets":"`+fill("x", room)+`"`, 422),
		asJSON("one long name", `"`+fill("x", room)+`":1`, 422),
		asJSON("many long strings", fill(`"a":"`+strings.Repeat("x", 60<<10)+`",`, room)+`"b":1`, 400),
		asJSON("many names", strings.TrimSuffix(keys.String(), ","), 422),
		asJSON("repeated names", fill(`"type":1,`, room)+`"type":2`, 400),
		asJSON("a number of a million digits", `"x":`+strings.Repeat("9", 1_000_000), 422),
		asJSON("14 MiB of digits", `"x":`+fill("9", room), 422),
		asJSON("escapes", `"x":"`+fill(`\u00e9`, room)+`"`, 422),
		asJSON(
			"escapes in pallets", `"pallets":[`+fill(`{"pallet_number":"`+strings.Repeat(`\ud83c\udf4a`, 100)+`"},`, room)+`{}]`,
			422,
		),
		asJSON("white space", fill(" ", room)+`"x":1`, 422),
		asJSON("base64 of the largest file", `"filename":"a.csv","content_base64":"`+content+`"`, 201),
		asJSON("base64 beyond the largest file", `"filename":"b.csv","content_base64":"`+fill("QUFB", room-64)+`"`, 413),
		asJSON("base64 of escapes", `"filename":"c.csv","content_base64":"`+fill(`\u0041`, room-64)+`"`, 422),
		form(
			"thousands of parts",
			fill("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", wholeDocument-64)+"--b--\r\n",
		),
		form("many headers in a part", "--b\r\n"+fill("X-Header: value\r\n", wholeDocument-64)),
		form("one long header", "--b\r\nContent-Disposition: form-data; name=\""+fill("x", wholeDocument-128)),
		form("parameters", "--b\r\nContent-Disposition: form-data"+fill("; a=b", 4<<20)+"\r\n\r\n\r\n--b--\r\n"),
		form(
			"one long value",
			"--b\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\n"+fill("x", wholeDocument-128)+"\r\n--b--\r\n",
		),
	}
}

func form(name, body string) hostileBody {
	return hostileBody{name, "multipart/form-data; boundary=b", []byte(body), 400}
}

// fill repeats a text for as long as it has at most so many bytes.
func fill(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// pallets is a document of n pallets whose labels differ from those of others.
func pallets(n int, label string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"document":{"type":"packing_list","pallets":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		_, _ = fmt.Fprintf(
			&b, `{"pallet_number":"P%s-%035d","produce_name":"%s","calibre":"18","boxes":264,"box_weight_kg":4.125}`, label, i,
			strings.Repeat("é", 95),
		)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// try sends a request and returns the status.
func (p *process) try(t *testing.T, org, method, path, media string, body []byte) int {
	t.Helper()
	status, _ := p.send(t, org, method, path, media, body)
	return status
}

// resetPeak lets VmHWM begin anew.
func (p *process) resetPeak(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.Process.Pid), []byte("5"), 0o200); err != nil {
		t.Skipf("peak memory cannot be measured here: %v", err)
	}
}

// memory returns one of the sizes that Linux tells of a process, in bytes.
func (p *process) memory(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("there is no %s", name)
	}
	kilobytes, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
