package packinglist

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestExportersLists reads lists as exporters of ten countries write them. Each
// file has a list and, written by hand, its pallets or the code of its error, and
// texts that a warning must contain.
// testdata/README.md describes the format.
func TestExportersLists(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exporters/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind, content, want := exported(t, archive)
			read, err := readAs(t.Context(), kind, content)
			var got []string
			if unreadable(err) {
				got = []string{"refused " + strings.SplitN(err.Error(), ":", 2)[0]}
			} else if err != nil {
				t.Fatal(err)
			}
			for _, p := range read.Pallets {
				boxes := strconv.Itoa(p.Boxes)
				weight := strconv.FormatFloat(float64(p.BoxWeight)/1000, 'f', -1, 64)
				got = append(got, strings.Join([]string{p.Number, p.ProduceName, p.Calibre, boxes, weight}, " | "))
			}
			warnings := warningsOf(read, err)
			if diff := cmp.Diff(want.result, got); diff != "" && (!want.either || warnings == "") {
				t.Errorf("pallets (-want +got):\n%s%s", diff, warnings)
			}
			for _, named := range want.warns {
				if !strings.Contains(strings.ToLower(warnings), strings.ToLower(named)) {
					t.Errorf("no warning names %q:\n%s", named, warnings)
				}
			}
			for _, m := range read.Mappings {
				for _, c := range m.Columns {
					worst := 1.0
					for _, a := range c.Alternatives {
						if a.Score > worst || !slices.Contains(list.Fields, a.Field) {
							t.Errorf("%s: alternatives %+v", c.Heading, c.Alternatives)
						}
						worst = a.Score
					}
				}
			}
			if want.quiet && warnings != "" {
				t.Errorf("a clean list has warnings:\n%s", warnings)
			}
		})
	}
}

// warningsOf returns the warnings and failures of a list.
func warningsOf(read shipments.Reading, err error) string {
	var b strings.Builder
	for line := range strings.Lines(checked(read, err)) {
		if strings.HasPrefix(line, "warn ") || strings.HasPrefix(line, "fail ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// expected is the expected result of a list.
type expected struct {
	result []string // pallets, or one refusal
	warns  []string // what a warning must name
	quiet  bool     // there may be no warning
	either bool     // another result is also correct if there is a warning
}

// exported returns the document of an archive.
func exported(t *testing.T, archive *txtar.Archive) (kind Kind, content []byte, want expected) {
	t.Helper()
	var sheets []txtar.File
	for _, f := range archive.Files {
		text := string(f.Data)
		switch filepath.Ext(f.Name) {
		case ".csv":
			kind, content = CSV, f.Data
		case ".pdf":
			kind, content = PDF, printed(t, text)
		case ".sheet":
			sheets = append(sheets, f)
		default:
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				switch named, warns := strings.CutPrefix(line, "warns "); {
				case warns:
					want.warns = append(want.warns, named)
				case line == "quiet":
					want.quiet = true
				case line == "either":
					want.either = true
				case line != "":
					want.result = append(want.result, line)
				}
			}
		}
	}
	if sheets != nil {
		kind, content = XLSX, workbookOf(t, sheets)
	}
	if content == nil || want.result == nil {
		t.Fatal("the archive lacks its list, or its expected result")
	}
	return kind, content, want
}

// workbookOf returns a workbook. Cells are separated by bars; a number after an
// apostrophe is a text.
func workbookOf(t *testing.T, sheets []txtar.File) []byte {
	t.Helper()
	w := newWorkbook(t)
	for i, sheet := range sheets {
		name := strings.TrimSuffix(sheet.Name, ".sheet")
		if i == 0 {
			w.check(w.f.SetSheetName("Sheet1", name))
		} else if _, err := w.f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		w.sheet, w.row = name, 0
		for line := range strings.Lines(string(sheet.Data)) {
			line = strings.TrimSuffix(line, "\n")
			if command, ok := strings.CutPrefix(line, "!"); ok {
				w.command(command)
				continue
			}
			var row []any
			for cell := range strings.SplitSeq(line, "|") {
				if n, err := strconv.ParseFloat(cell, 64); err == nil {
					row = append(row, n)
				} else if cell == "" {
					row = append(row, nil)
				} else {
					row = append(row, strings.TrimPrefix(cell, "'"))
				}
			}
			w.add(row)
		}
	}
	return w.bytes()
}

// command runs a line of a sheet that begins with !.
func (w *workbook) command(line string) {
	name, arg, _ := strings.Cut(line, " ")
	switch name {
	case "merge":
		from, to, _ := strings.Cut(arg, ":")
		w.merge(from, to)
	case "hidecol":
		w.check(w.f.SetColVisible(w.sheet, arg, false))
	case "hiderow", "flatrow":
		n, err := strconv.Atoi(arg)
		w.check(err)
		if name == "hiderow" {
			w.check(w.f.SetRowVisible(w.sheet, n, false))
		} else {
			w.check(w.f.SetRowHeight(w.sheet, n, 0))
		}
	case "hidden":
		w.check(w.f.SetSheetVisible(w.sheet, false))
	case "strike":
		from, to, _ := strings.Cut(arg, ":")
		id, err := w.f.NewStyle(&excelize.Style{Font: &excelize.Font{Strike: true}})
		w.check(err)
		w.check(w.f.SetCellStyle(w.sheet, from, to, id))
	case "format":
		cells, format, _ := strings.Cut(arg, " ")
		from, to, _ := strings.Cut(cells, ":")
		w.format(from, to, format)
	default:
		w.t.Fatalf("%q is no command of a sheet", line)
	}
}

// printed returns a page. Rows with bars are of the table, and ^ wraps within a
// cell. Wrapped cells are aligned with the top of their row, or centred with
// !centre.
func printed(t *testing.T, text string) []byte {
	t.Helper()
	p := newPDF()
	p.SetCompression(false)
	centre := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch command, arg, _ := strings.Cut(line, " "); {
		case command == "!widths":
			for width := range strings.FieldsSeq(arg) {
				n, err := strconv.ParseFloat(width, 64)
				if err != nil {
					t.Fatal(err)
				}
				p.widths = append(p.widths, n)
			}
		case command == "!centre":
			centre = true
		case strings.Contains(line, "|"):
			p.wrapped(strings.Split(line, "|"), centre)
		default:
			p.text(line)
		}
	}
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wrapped writes a row whose cells may have several lines.
func (p page) wrapped(cells []string, centre bool) {
	const line = 4.0
	height := 0.0
	for _, c := range cells {
		height = max(height, line*float64(1+strings.Count(c, "^")))
	}
	x, y := p.GetXY()
	left := x
	for i, c := range cells {
		lines := strings.Split(c, "^")
		if c != "" {
			p.Rect(x, y, p.widths[i], height, "D")
		}
		top := y
		if centre {
			top += (height - line*float64(len(lines))) / 2
		}
		for n, l := range lines {
			p.SetXY(x, top+line*float64(n))
			p.CellFormat(p.widths[i], line, p.utf8(l), "", 0, "L", false, 0, "")
		}
		x += p.widths[i]
	}
	p.SetXY(left, y+height)
}
