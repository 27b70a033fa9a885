package packinglist

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// long is how many lines the lists of the benchmarks have, each a carton, and full how many
// a pallet has.
const long, full = 16_000, 80

// row is a line of a long list.
func row(i int) []any {
	return []any{
		fmt.Sprintf("P%05d", i/full), fmt.Sprintf("C%08d", i), "Avocado", "Hass", 12 + 2*(i/full%8), 4.125, 4.4,
		fmt.Sprintf("L%d", i/40), fmt.Sprintf("PUC%d", i%17), "2026-11-20", "Class I",
	}
}

var longHeadings = []any{
	"Pallet No", "Carton No", "Commodity", "Variety", "Count", "Net weight (kg)", "Gross weight (kg)", "Lot", "PUC",
	"Packed", "Class",
}

// BenchmarkXLSX reads a workbook of 16,000 lines.
func BenchmarkXLSX(b *testing.B) {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	for i := 0; err == nil && i <= long; i++ {
		line := longHeadings
		if i > 0 {
			line = row(i - 1)
		}
		err = w.SetRow(fmt.Sprintf("A%d", i+1), line)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		b.Fatal(err)
	}
	var content bytes.Buffer
	if err := f.Write(&content); err != nil {
		b.Fatal(err)
	}
	read(b, XLSX, content.Bytes())
}

// BenchmarkCSV reads a text file of 16,000 lines.
func BenchmarkCSV(b *testing.B) {
	var content strings.Builder
	for i := 0; i <= long; i++ {
		line := longHeadings
		if i > 0 {
			line = row(i - 1)
		}
		for _, v := range line {
			_, _ = fmt.Fprintf(&content, "%v;", v)
		}
		content.WriteByte('\n')
	}
	read(b, CSV, []byte(content.String()))
}

func read(b *testing.B, kind Kind, content []byte) {
	b.Helper()
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		list, err := readAs(b.Context(), kind, content)
		if err != nil || len(list.Pallets) != long/full {
			b.Fatalf("%d pallets: %v", len(list.Pallets), err)
		}
	}
}
