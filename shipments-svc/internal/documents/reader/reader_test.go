package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestMain runs a child process as the service does. Some kinds stand for the effect
// of a hostile file.
func TestMain(m *testing.M) {
	if len(os.Args) < 5 || os.Args[1] != Command {
		os.Exit(m.Run())
	}
	if do, ok := effects[os.Args[4]]; ok {
		cpu := maxCPU
		if os.Args[4] == "spins" {
			cpu = shortCPU
		}
		if err := confine(cpu, func() error { return nil }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		do()
		os.Exit(0)
	}
	if err := Child(context.Background(), os.Args[3:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// shortCPU is the limit of processor time of the child that exceeds it.
const shortCPU = time.Second

var kept [][]byte

var effects = map[string]func(){
	"hangs": func() { time.Sleep(time.Hour) }, // no deadlock, which the runtime would report
	"waits": func() { time.Sleep(time.Hour) }, // of a test of its own, which counts these children
	"spins": func() {
		for { //nolint:staticcheck // SA5002: it is to spin
		}
	},
	"panics":  func() { panic("oops") },
	"silent":  func() {},
	"babbles": func() { fmt.Print("{]") },
	"empty":   func() { fmt.Print("{}") },
	"floods":  func() { fmt.Print(`{"Reading":{"Remarks":[{"Text":"`, strings.Repeat("x", maxAnswer), `"}]}}`) },
	"kills":   func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
	"is killed once": func() {
		if info, err := os.Stdin.Stat(); err != nil || info.Size() > 0 { // the file shows that it was killed
			_ = os.Stdin.Truncate(0)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		fmt.Print(`{"Reading":{"rows_read":7}}`)
	},
	"counts": func() {
		given, _ := io.ReadAll(os.NewFile(givenFile, ""))
		fmt.Printf(`{"Reading":{"rows_read":%d}}`, len(given))
	},
	"devours":  devour,
	"reaches":  reach,
	"tells":    func() { fmt.Fprint(os.Stderr, strings.Repeat("x", 1<<20)) },
	"in group": inGroup,
}

// devour allocates memory until it fails.
func devour() {
	for {
		block := make([]byte, 8<<20)
		for i := 0; i < len(block); i += os.Getpagesize() { // a write makes the page resident
			block[i] = 1
		}
		kept = append(kept, block)
	}
}

// reach tries to access resources, and reports those that it could.
func reach() {
	var reached []string
	if f, err := os.Open("/etc/hostname"); err == nil {
		reached = append(reached, "a file", f.Name())
	}
	if _, err := os.Create("/tmp/quayside-reached"); err == nil {
		reached = append(reached, "a new file")
	}
	if c, err := new(net.Dialer).DialContext(context.Background(), "tcp",
		os.Getenv("ADDRESS")+"127.0.0.1:1"); err == nil || errors.Is(err, syscall.ECONNREFUSED) {
		reached = append(reached, "the network", fmt.Sprint(c))
	}
	if len(os.Environ()) > 0 {
		reached = append(reached, "the environment")
	}
	fmt.Printf(`{"Failure":{"Code":"reached","Detail":%q}}`, strings.Join(reached, ", "))
}

func inGroup() {
	fmt.Printf(`{"Failure":{"Code":"group","Detail":%q}}`, fmt.Sprint(syscall.Getpgrp() == os.Getpid(), os.Getpid()))
}

func reading(t *testing.T, docType shipments.DocumentType, kind, content string) (shipments.Reading,
	shipments.Failure,
) {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if kind == "spins" {
		r.cpu = shortCPU
	}
	if r.time = maxTime; kind == "hangs" {
		r.time = 300 * time.Millisecond
	}
	read, err := r.Read(t.Context(), docType, shipments.Kind(kind), strings.NewReader(content), int64(len(content)), nil)
	var bad *shipments.UnreadableError
	if err != nil && !errors.As(err, &bad) {
		t.Fatalf("%s: %v", kind, err)
	}
	if bad == nil {
		return read, shipments.Failure{}
	}
	return read, bad.Failure
}

const content = `Packing list;;;;;;
Container;CSQU3054383;;;;;
Pallet;Product;Size;Cartons;Net kg/carton;Lot;PUC
0041;Avocado Hass;18;264;4,125;;
0042;Avocado Hass;20;132;4,125;L7;B1234
0042;Avocado Fuerte;20;132;4,125;;
Total;;;528;;;
`

func TestReadPackingList(t *testing.T) {
	t.Parallel()
	read, failure := reading(t, shipments.PackingList, "csv", content)
	if failure != (shipments.Failure{}) || len(read.Pallets) != 2 || read.RowsRead != 3 || len(read.Mappings) != 1 {
		t.Fatalf("%+v, %+v", read, failure)
	}
	first, second, m := read.Pallets[0], read.Pallets[1], read.Mappings[0]
	if first.Number != "0041" || first.ProduceName != "Avocado Hass" || first.Calibre != "18" || first.Boxes != 264 ||
		first.BoxWeight != 4125 || first.Source != (shipments.Source{Row: 4}) || first.Contents != nil ||
		first.Places != (list.Places{}) {
		t.Errorf("%+v", first)
	}
	if second.Boxes != 264 || len(second.Contents) != 2 || second.Contents[1].ProduceName != "Avocado Fuerte" ||
		second.Contents[1].Row != 6 || second.Contents[0].Lot != "L7" || second.Contents[0].PUC != "B1234" {
		t.Errorf("%+v", second)
	}
	if m.HeaderRow != 3 || len(m.Columns) != 7 || len(m.Skipped) != 1 || m.Skipped[0].Row != 7 {
		t.Fatalf("%+v", m)
	}
	if c := m.Columns[4]; c.Heading != "Net kg/carton" || c.Field != "box_weight" || c.Unit != "kg" || !c.Used {
		t.Errorf("%+v", c)
	}
}

func TestReadFactsOfOtherDocuments(t *testing.T) {
	t.Parallel()
	read, failure := reading(t, shipments.CommercialInvoice, "csv",
		"Commercial invoice;\nInvoice no.;INV-77\nContainer;CSQU3054383\n")
	if failure != (shipments.Failure{}) || len(read.Facts) == 0 || read.Pallets != nil {
		t.Errorf("%+v, %+v", read, failure)
	}
}

// TestPagesAreShown: of a PDF as a picture, and of other files as tables.
func TestPagesAreShown(t *testing.T) {
	t.Parallel()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	show := func(kind shipments.Kind, text []byte, number int) ([]byte, error) {
		d := shipments.Document{Kind: kind, Size: int64(len(text))}
		return r.Page(t.Context(), d, bytes.NewReader(text), number)
	}
	got, err := show(shipments.CSV, []byte(content), 1)
	if err != nil || !strings.Contains(string(got), `{"row":4,"cells":["0041","Avocado Hass","18","264","4,125"]}`) {
		t.Errorf("%s (%v)", got, err)
	}
	printed, err := os.ReadFile("../packinglist/testdata/lists/pear-es-browser.pdf")
	if err != nil {
		t.Fatal(err)
	}
	got, err = show(shipments.PDF, printed, 1)
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(bytes.NewReader(got)); err != nil || picture.Bounds().Dx() != 1224 {
		t.Errorf("a picture: %v", err)
	}
}

func TestPagesThatAreNotThereAreRefused(t *testing.T) {
	t.Parallel()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Page(t.Context(), shipments.Document{Kind: shipments.CSV, Size: 1}, strings.NewReader("x"), 2)
	if bad, ok := errors.AsType[*shipments.UnreadableError](err); !ok || bad.Code != tables.NoPage {
		t.Errorf("%v", err)
	}
}

func TestReadFailures(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct{ content, code, detail string }{
		"csv":      {"nothing;of\nthe;kind\n", "no_header_row", "."},
		"poem":     {"x", "malformed", "not a supported format."},
		"hangs":    {"x", TooSlow, "longer than 300ms"},
		"spins":    {"x", TooSlow, "processor time"},
		"panics":   {"x", Crashed, "could not be read"},
		"kills":    {"x", Crashed, "could not be read"},
		"silent":   {"x", Crashed, "output is invalid"},
		"babbles":  {"x", Crashed, "output is invalid"},
		"empty":    {"x", Crashed, "output is invalid"},
		"floods":   {"x", Crashed, "output is invalid"},
		"tells":    {"x", Crashed, "output is invalid"},
		"devours":  {"x", TooMuchMemory, "more than 256 MiB"},
		"reaches":  {"x", "reached", ""},
		"in group": {"x", "group", "true "},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if _, failure := reading(t, shipments.PackingList, kind, want.content); failure.Code != want.code ||
				!strings.Contains(failure.Detail, want.detail) ||
				kind == "reaches" && failure.Detail != "" {
				t.Errorf("%+v", failure)
			}
		})
	}
}

func TestAKilledChildIsStartedOnceMore(t *testing.T) {
	t.Parallel()
	if read, failure := reading(t, shipments.PackingList, "is killed once", "x"); read.RowsRead != 7 {
		t.Errorf("%+v, %+v", read, failure)
	}
}

// TestAssignmentsMayBeLong: those of all templates with all columns are more than arguments of a process may have.
func TestAssignmentsMayBeLong(t *testing.T) {
	t.Parallel()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]list.AssignedColumn, shipments.MaxAssignedColumns)
	given := slices.Repeat([]shipments.Assignment{{Assignment: list.Assignment{Columns: columns}}}, shipments.MaxTemplates)
	read, err := r.Read(t.Context(), shipments.PackingList, "counts", strings.NewReader("x"), 1, given)
	if text, _ := json.Marshal(given); err != nil || read.RowsRead != len(text) {
		t.Errorf("%d of %d bytes (%v)", read.RowsRead, len(text), err)
	}
}

// TestAFaultOfTheProgramIsNoOutage, which would have the job tried again for ever.
func TestAFaultOfTheProgramIsNoOutage(t *testing.T) {
	t.Parallel()
	r := &Reader{program: "/nothing/there", time: maxTime, cpu: maxCPU}
	_, err := r.Read(t.Context(), shipments.PackingList, shipments.CSV, strings.NewReader("x"), 1, nil)
	if err == nil || errors.Is(err, shipments.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

// TestChildEndsWithItsContext: cancelling Read kills the child.
func TestChildEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := r.Read(ctx, shipments.PackingList, "waits", strings.NewReader("x"), 1, nil)
		done <- err
	}()
	me := strconv.Itoa(os.Getpid())
	children := func() string {
		out, _ := exec.CommandContext(t.Context(), "pgrep", "-P", me, "-f", Command+" read pallets waits").Output()
		return strings.TrimSpace(string(out))
	}
	for children() == "" { // until it runs
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left := children(); left != "" {
		t.Errorf("%s are left", left)
	}
}

func TestChildNeedsAFile(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Child(t.Context(), nil, os.Stdin, &out); err == nil {
		t.Error("a child without a kind")
	}
	pipe, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Child(t.Context(), []string{pallets, "csv", ""}, pipe, &out); err == nil || out.Len() > 0 {
		t.Error("a child whose input is no file")
	}
}
