package packinglist

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestSSCCsEndWithTheirCheckDigit(t *testing.T) {
	t.Parallel()
	if got := sscc(234_567_890); got != "106141412345678908" {
		t.Error(got)
	}
}

func TestWorkbooksContainTheTable(t *testing.T) {
	t.Parallel()
	book := XLSX([][]string{headings, {"P&1", "Plum", "A", "240", "4.0"}})
	files, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range files.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
	}
	if !strings.Contains(all["xl/worksheets/sheet1.xml"], `<c r="D2"><v>240</v></c>`) ||
		!strings.Contains(all["xl/sharedStrings.xml"], `<t>P&amp;1</t>`) || !strings.HasPrefix(files.File[0].Name, "[Content_Types]") {
		t.Errorf("%v", all)
	}
}
