package sniff

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// archived returns an archive of empty files.
func archived(names ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		_, _ = z.Create(name)
	}
	_ = z.Close()
	return b.String()
}

func TestFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, want string
		kind          shipments.Kind
	}{
		"CSV":             {"Pallet;Boxes\n1;2\n", csv, shipments.CSV},
		"commas":          {"a,b\n1,2\n3,4\n", csv, shipments.CSV},
		"Latin-1":         {"Pal\xe9;N\xfamero\n", csv, shipments.CSV},
		"UTF-16":          {"\xff\xfeP\x00a\x00", csv, shipments.CSV},
		"PDF":             {"%PDF-1.4\n", "application/pdf", shipments.PDF},
		"XLSX":            {archived("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), xlsx, shipments.XLSX},
		"XLSX, any order": {archived("docProps/app.xml", "_rels/.rels", "a", "xl/workbook.xml"), xlsx, shipments.XLSX},
		"DOCX":            {archived("docProps/app.xml", "a", "word/document.xml"), docx, shipments.Unread},
		"XLSB":            {archived("[Content_Types].xml", "xl/workbook.bin"), xlsb, shipments.Unread},
		"EDIFACT":         {"UNA:+.? '\nUNB+UNOA:2+X+Y'", "", ""},
		"PNG":             {"\x89PNG\r\n\x1a\n", "image/png", shipments.Unread},
		"JPEG":            {"\xff\xd8\xff\xe0", "image/jpeg", shipments.Unread},
		"an archive":      {archived("x.csv"), "", ""},
		"many files":      {archived(make([]string, maxEntries+1)...), "", ""},
		"HTML":            {"<!DOCTYPE html><html></html>", "", ""},
		"JSON":            {`{"a":1}`, "", ""},
		"a program":       {"\x7fELF", "", ""},
		"bytes":           {"\x00\x01\x02", "", ""},
		"zeros":           {strings.Repeat("\x00", 100), "", ""},

		"a mark of a scanner":   {"SSCC;Boxes\n\x1d00160012345678901234;3\n", csv, shipments.CSV},
		"UTF-16 without a mark": {"P\x00a\x00l\x00;\x00B\x00\n\x00", csv, shipments.CSV},
		"a numbered workbook":   {archived("_rels/.rels", "xl/workbook22.xml"), xlsx, shipments.XLSX},
		"a cut archive":         {"PK\x03\x04", "", ""},
	} {
		got, err := File(strings.NewReader(c.content), int64(len(c.content)), "")
		if err != nil || (got.Refused != "") != (c.want == "") || got.ContentType != c.want || got.Kind != c.kind {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
	if found, err := File(strings.NewReader("x"), 2, ""); err == nil {
		t.Errorf("a file that cannot be read: %+v", found)
	}
}

// TestRefusalsNameWhatIsWrong with a document that a person can open.
func TestRefusalsNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	old := "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 70_000)
	for content, want := range map[string]string{
		old + encrypted:                   "the document is protected by a password; save it without one and send it again",
		old:                               "an old office document is not supported",
		strings.Repeat("\x00\x01\x02", 9): "a file of unknown type is not supported",
	} {
		got, err := File(strings.NewReader(content), int64(len(content)), "list.xlsx")
		if err != nil || !strings.HasPrefix(got.Refused, want) {
			t.Errorf("%s (%v), want %s", got.Refused, err, want)
		}
	}
}

func TestNamesAgreeWithTheContent(t *testing.T) {
	t.Parallel()
	for name, fine := range map[string]bool{
		"a.csv": true, "a.CSV": true, "a": true, "a.txt": true, "a.csv.": true, "exe": true, "a.tsv": true,
		".exe": false, "a.pdf": false, "a.xlsx.": false, "a.html": false, "a.csv.js": false, "a.exe. .": false,
		"a.csv::$DATA": false, "a.xht": false, "a.htc": false, "a.slk": false, "a.iqy": false, "a.v2": false,
	} {
		if got, err := File(strings.NewReader("a;b\n"), 4, name); err != nil || (got.Refused == "") != fine {
			t.Errorf("%q: %+v (%v)", name, got, err)
		}
	}
}

// TestEntriesAreCountedBeforeTheDirectoryIsRead, which takes several times its size in memory, and whose own count may
// be false.
func TestEntriesAreCountedBeforeTheDirectoryIsRead(t *testing.T) {
	t.Parallel()
	content := "PK\x03\x04" + strings.Repeat("PK\x01\x02 is no directory;", maxEntries+1)
	got, err := File(strings.NewReader(content), int64(len(content)), "")
	if err != nil || !strings.Contains(got.Refused, "more than 10000 files") {
		t.Errorf("%+v (%v)", got, err)
	}
}

// FuzzFile: any content has a type or is refused.
func FuzzFile(f *testing.F) {
	for _, content := range []string{"a;b", "%PDF-", archived("xl/workbook.xml"), "PK\x05\x06" +
		strings.Repeat("\xff", 18)} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := File(bytes.NewReader(content), int64(len(content)), "")
		if err == nil && (got.Refused == "") != (got.ContentType != "") {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
