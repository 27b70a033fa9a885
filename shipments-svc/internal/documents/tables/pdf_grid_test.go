package tables

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-pdf/fpdf"
)

// cellOf is a cell of a drawn table: its place and size in columns and rows, and its text.
type cellOf struct {
	column, row, wide, high float64
	text                    string
}

// Cells that rules draw have the texts within them, however near these are to each other, also
// over several lines, columns and rows. A frame around the page is no cell.
func TestRulesDivideColumnsAndRows(t *testing.T) {
	t.Parallel()
	p := fpdf.New("L", "mm", "A4", "")
	p.SetFont("Helvetica", "", 8)
	p.AddPage()
	p.Rect(5, 5, 280, 190, "D")
	p.Text(10, 10, "Exporter: Fruta S.A.  Tel: 51 1 234 5678  Page 1 of 1")
	p.Text(10, 15, "Vessel: Ever Lyric")
	cells := []cellOf{{0, 0, 1, 1, "Pallet"}, {1, 0, 1, 1, "Size"}, {2, 0, 2, 1, "Weight"}, {0, 1, 1, 4, "P-1"}}
	for n := 0.0; n < 4; n++ {
		cells = append(
			cells, cellOf{1, n + 1, 1, 1, fmt.Sprint(10 + n)}, cellOf{2, n + 1, 1, 1, "1056"},
			cellOf{3, n + 1, 1, 1, "Mango\n1 2"}, cellOf{4, n + 1, 1, 1, "264"},
		)
	}
	cells = append(cells, cellOf{0, 5, 3, 1, "Total of 4 lines"}, cellOf{3, 5, 1, 1, "4224"})
	const width, height, top = 11.0, 8.0, 20.0
	for _, c := range cells {
		x, y := 10+width*c.column, top+height*c.row
		p.Rect(x, y, width*c.wide, height*c.high, "D")
		lines := strings.Split(c.text, "\n")
		for i, line := range lines {
			middle := y + height*c.high/2 + 3.2*(float64(i)-float64(len(lines)-1)/2)
			p.Text(x+width*c.wide-p.GetStringWidth(line)-0.3, middle+1, line)
		}
	}
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		t.Fatal(err)
	}
	const want = "page 12[Vessel: Ever Lyric]page 13[·Pallet·Size·Weight]page 14[·P-1·10·1056·Mango 1 2·264]" +
		"page 15[··11·1056·Mango 1 2·264]page 16[··12·1056·Mango 1 2·264]page 17[··13·1056·Mango 1 2·264]" +
		"page 18[·Total of 4 lines···4224]"
	if got := rowsOf(t, PDF, b.Bytes()); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// printedLine returns a line of words that end at points.
func printedLine(base float64, text string, ends ...float64) (line textLine) {
	for i, word := range strings.Fields(text) {
		w := at(word, ends[i]-4*float64(len(word)), ends[i])
		w.base = base
		line = append(line, w)
	}
	return line
}

func rowsOfPages(t *testing.T, pages ...[]textLine) string {
	t.Helper()
	b := &book{ctx: t.Context()}
	var all []page
	for _, lines := range pages {
		all = append(all, page{lines: lines})
	}
	if err := b.printed(all); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, table := range b.Tables {
		for _, row := range table.Rows {
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			texts = append(texts, strings.Join(cells, "|"))
		}
	}
	return strings.Join(slices.Compact(texts), "\n")
}

// A page whose headings stand elsewhere than those of the page before has columns of its own.
func TestColumnsOfPagesStandBelowTheirHeadings(t *testing.T) {
	t.Parallel()
	of := func(ends ...float64) (lines []textLine) {
		lines = append(lines, printedLine(500, "Pallet Variety Size Boxes", ends...))
		for n := range 4 {
			lines = append(lines, printedLine(float64(480-20*n), "P1 Hass 16 264", ends...))
		}
		return lines
	}
	const want = "Pallet|Variety|Size|Boxes\nP1|Hass|16|264\nPallet|Variety|Size|Boxes\nP1|Hass|16|264"
	if got := rowsOfPages(t, of(40, 90, 130, 180), of(70, 140, 170, 200)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Whole numbers side by side, as the calibres of a matrix, are headings of a column each.
func TestTouchingNumbersAreColumns(t *testing.T) {
	t.Parallel()
	ends := []float64{40, 60, 71, 82, 93}
	lines := []textLine{printedLine(500, "Pallet 12 14 16 18", ends...)}
	for n := range 3 {
		lines = append(lines, printedLine(float64(480-20*n), "P1 10 20 30 40", ends...))
	}
	lines = append(lines, printedLine(420, "P2 50 60", 40, 71, 93))
	const want = "Pallet|12|14|16|18\nP1|10|20|30|40\nP2||50||60"
	if got := rowsOfPages(t, lines); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Headings near to the first row are not part of it; a wrapped text is.
func TestHeadingsAreNoPartOfTheFirstRow(t *testing.T) {
	t.Parallel()
	ends := []float64{40, 90, 130, 180}
	lines := []textLine{
		printedLine(500, "Pallet Variety Size Boxes", ends...),
		printedLine(491, "P1 Hass 16 264", ends...), printedLine(482, "Extra", 90),
	}
	for n := range 4 {
		lines = append(
			lines, printedLine(float64(460-31*n), "P2 Hass 16 264", ends...), printedLine(float64(451-31*n), "Extra", 90),
		)
	}
	const want = "Pallet|Variety|Size|Boxes\nP1|Hass Extra|16|264\nP2|Hass Extra|16|264"
	if got := rowsOfPages(t, lines); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
