package packinglist

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
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
		content := "Pallet;Product;Size;Boxes;Net kg;" + heading +
			"\nP1;Orange Navel;72;80;1240;\nP2;Orange Valencia;72;80;" +
			"1240;" + value + "\n"
		list, err := readAs(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
		if err != nil || len(list.Pallets) != 2 {
			t.Fatal(column, err)
		}
		if got := strings.Contains(warningsOf(list, err), "may not have been shipped"); got != doubtful {
			t.Errorf("%s: %t", column, got)
		}
	}
	for _, row := range []string{
		"CANCELLED PALLETS", "Short-shipped:", "Not loaded", "Pallets anulados", "STANDBY",
		"FOR NEXT VESSEL", "SALDO EN CÁMARA", "La palette 2 est restée à quai", "RESERVE PALLETS",
		"P2 cancelled;Orange Valencia;72;80;1240",
	} {
		content := "Pallet;Product;Size;Boxes;Net kg\nP1;Orange Navel;72;80;1240\n" + row + "\nP3;Orange Valencia;72;80;" +
			"1240\n"
		list, err := readAs(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
		if err != nil || !strings.Contains(warningsOf(list, err), "may not have been shipped") {
			t.Errorf("%s: %v %s", row, err, warningsOf(list, err))
		}
	}
}

// A number of a workbook may have an exponent, and a format that hides its unit.
func TestStoredNumbersOfWorkbooksAreRead(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	w := &workbook{t: t, f: f, sheet: "Sheet1"}
	w.add([]any{"Pallet", "Product", "Size", "Boxes", "Net kg"})
	w.add([]any{"P1", "Orange Navel", "72", 80, 1240})
	var b bytes.Buffer
	w.check(f.Write(&b))
	for _, stored := range []string{"8E1", "8.0e+01", "80.0", "0.8E2"} {
		content := replaced(t, b.Bytes(), "<v>80</v>", "<v>"+stored+"</v>")
		list, err := readAs(t.Context(), XLSX, bytes.NewReader(content), int64(len(content)))
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
		w := &workbook{t: t, f: excelize.NewFile(), sheet: "Sheet1"}
		w.add([]any{"Pallet", "Product", "Size", "Boxes", "Net kg"})
		w.add([]any{"P1", "Orange Navel", "72", 80, 1240})
		w.format("D2", "D2", format)
		var b bytes.Buffer
		w.check(w.f.Write(&b))
		list, err := readAs(t.Context(), XLSX, bytes.NewReader(b.Bytes()), int64(b.Len()))
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
