package packinglist

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// A pallet that is listed and not shipped is a warning, wherever the list says so.
func TestPalletsThatWereNotShippedAreWarnings(t *testing.T) {
	t.Parallel()
	for column, doubtful := range map[string]bool{
		"Status:Cancelled": true, "Remarks:NOT SHIPPED": true, "Loaded:N": true, "Loaded:no": true, "Shipped:0": true,
		"Embarcado:No": true, "Cancelled:X": true, "Anulado:sí": true, "Chargé:non": true, "Carregado:não": true,
		"Gelaai:Nee": true, "Yüklendi:Hayır": true, "İptal:evet": true, "Not loaded:yes": true,
		"Remarks:do not load": true, "Container:NOT LOADED": true, "Lot:not loaded": true, "Date:NO EMBARCADO": true,
		"Status:HELD": true, "Status:QC FAIL": true, "Situação:Retido": true, "Remarks:offloaded": true,
		"Remarks:replaced by P9": true, "Remarks:minus 4 cartons for QC": true, "Remarks:4 ctns short": true,
		"Observaciones:queda en cámara": true, "Remarks:short stem": false,
		"Loaded:Y": false, "Cancelled:N": false, "Status:OK": false, "Embarcado:sí": false, "Cancelled:no": false,
	} {
		heading, value, _ := strings.Cut(column, ":")
		list := listOf(t, "Pallet;Product;Size;Boxes;Net kg;"+heading, "P1;Orange Navel;72;80;1240;",
			"P2;Orange Valencia;72;80;1240;"+value)
		warned := strings.Contains(warningsOf(list, nil), "may not have been shipped")
		if len(list.Pallets) != 2 || warned != doubtful {
			t.Errorf("%s: %d pallets, warned %t", column, len(list.Pallets), warned)
		}
	}
	for _, row := range []string{
		"CANCELLED PALLETS", "Short-shipped:", "Not loaded", "Pallets anulados", "STANDBY",
		"FOR NEXT VESSEL", "SALDO EN CÁMARA", "La palette 2 est restée à quai", "RESERVE PALLETS",
		"P2 cancelled;Orange Valencia;72;80;1240",
	} {
		list := listOf(t, "Pallet;Product;Size;Boxes;Net kg", "P1;Orange Navel;72;80;1240", row,
			"P3;Orange Valencia;72;80;1240")
		if got := warningsOf(list, nil); !strings.Contains(got, "may not have been shipped") {
			t.Errorf("%s: %s", row, got)
		}
	}
}

// oranges is a list of one pallet of 80 boxes.
func oranges(t *testing.T) *workbook {
	t.Helper()
	headings := []any{"Pallet", "Product", "Size", "Boxes", "Net kg"}
	return newWorkbook(t, headings, []any{"P1", "Orange Navel", "72", 80, 1240})
}

// A number of a workbook may have an exponent, and a format that hides its unit.
func TestStoredNumbersOfWorkbooksAreRead(t *testing.T) {
	t.Parallel()
	content := oranges(t).bytes()
	for _, stored := range []string{"8E1", "8.0e+01", "80.0", "0.8E2"} {
		list, err := readAs(t.Context(), XLSX, replaced(t, content, "<v>80</v>", "<v>"+stored+"</v>"))
		if err != nil || list.Pallets[0].Boxes != 80 {
			t.Errorf("%s: %v %+v", stored, err, list)
		}
	}
}

// The format of a stored number may show that it is no quantity.
func TestStoredNumbersOfAnotherKindAreRefused(t *testing.T) {
	t.Parallel()
	for format, boxes := range map[string]int{
		`0`: 80, `0" ctns"`: 80, `#,##0_)`: 80, `0.0`: 80, `0"kg"`: 0, `0 "kg"`: 0,
		`0%`: 0, `yyyy-mm-dd`: 0, `[h]:mm`: 0,
	} {
		w := oranges(t)
		w.format("D2", "D2", format)
		list, err := readAs(t.Context(), XLSX, w.bytes())
		if boxes == 0 && !unreadable(err) ||
			boxes > 0 && (err != nil || list.Pallets[0].Boxes != boxes || warningsOf(list, err) != "") {
			t.Errorf("%s: %v %+v", format, err, list)
		}
	}
}

// replaced replaces a text in the parts of a workbook.
func replaced(t *testing.T, workbook []byte, old, text string) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, part := range from.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		w, err := to.Create(part.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes.ReplaceAll(content, []byte(old), []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
