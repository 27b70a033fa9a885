package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// page is a printed page.
type page struct {
	name    string
	lines   []textLine
	rows    [][]textLine
	rules   []area
	columns columns // that rules draw
}

// pdf reads the text of a PDF (ISO 32000), a table for each page.
func (b *book) pdf(raw []byte) (err error) {
	defer recovered(&err)
	d, err := opened(raw)
	if err != nil {
		return err
	}
	defer d.close()
	if d.pages > MaxPages {
		return unreadable(TooManyPages, "the document has %d pages, more than %d", d.pages, MaxPages)
	}
	var pages []page
	text := false
	for i := range d.pages {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		p := b.page(d, i)
		pages, text = append(pages, p), text || p.lines != nil
	}
	switch {
	case !text && b.Notes != nil:
		return unreadable(NoTextLayer, "viewers show no text of the document that can be read: %s", b.Notes[0].Text)
	case !text:
		return unreadable(NoTextLayer, "the document has no text, it is probably a scan; send the file that was printed")
	}
	return b.printed(pages)
}

// page reads a page: the text in the direction of its table. What is shown and not read, or the reverse, is noted.
func (b *book) page(d *document, index int) page {
	read := page{name: fmt.Sprintf("page %d", index+1)}
	at := Place{Sheet: read.name}
	p := d.paper(index)
	defer p.close()
	for _, mark := range p.marks {
		b.note(NoteMark, "a viewer shows "+mark, at)
	}
	var outside, hidden []word
	var shown [turns][]word
	scanned, unknown := false, false
	for direction, words := range wordsOf(p.letters(), p.picture()) {
		for _, w := range words {
			switch {
			case !p.shown.has(w.ink):
				outside = append(outside, w)
			case w.inked*2 < w.letters:
				hidden = append(hidden, w)
			default:
				shown[direction] = append(shown[direction], w)
				scanned = scanned || p.invisible(w.index)
				unknown = unknown || strings.ContainsRune(w.text, utf8.RuneError)
			}
		}
	}
	b.noteText(NoteOutside, "a text outside of the page was not read", linesOf(outside), at)
	b.noteText(NoteHidden, "a text that viewers do not show was not read", linesOf(hidden), at)
	if scanned {
		b.note(NoteInvisible, "a text is invisible and was read", at)
	}
	if unknown {
		b.note(NoteUnknown, "characters are shown whose font does not say what they are; each was read as \uFFFD", at)
	}
	main, most := 0, 0
	for direction, words := range shown {
		lines := linesOf(words)
		if n := weight(lines); n > most {
			main, most = direction, n
		}
	}
	var across []word
	shown[main], across = apartFrom(shown[main])
	if read.lines = linesOf(shown[main]); across != nil {
		b.noteText(NoteTurned, "a text across others was not read", linesOf(across), at)
	}
	for direction, words := range shown {
		if direction != main {
			b.noteText(NoteTurned, "a text in another direction was not read", linesOf(words), at)
		}
	}
	for _, r := range p.drawnRules() {
		read.rules = append(read.rules, r.turned(2*math.Pi/turns*float64(main)))
	}
	return read
}

// apartFrom returns words without those that are written across others, much larger, as watermarks are.
func apartFrom(words []word) (all, across []word) {
	const larger, several = 2, 2
	bySize := slices.SortedFunc(slices.Values(words), func(a, b word) int { return cmp.Compare(a.size, b.size) })
	for _, w := range words {
		covered := 0
		for i := 0; w.size > larger*bySize[len(words)/2].size && i < len(words) && covered < several; i++ {
			if o := words[i]; w.size > larger*o.size && w.ink.has(o.ink) {
				covered++
			}
		}
		if covered >= several {
			across = append(across, w)
		} else {
			all = append(all, w)
		}
	}
	return all, across
}

// weight returns how much of a page the lines of one direction are: those of tables come before all others.
func weight(lines []textLine) (n int) {
	const tabular = 1_000_000
	for _, line := range lines {
		if n += len(line); line.tabular() {
			n += tabular
		}
	}
	return n
}

// noteText notes lines, if there are any.
func (b *book) noteText(code, text string, lines []textLine, at Place) {
	if lines == nil {
		return
	}
	var all []string
	for _, line := range lines {
		all = append(all, line.text())
	}
	b.note(code, text+": "+strings.Join(all, " / "), at)
}

// printed adds printed pages as tables. Pages whose headings are at the same points have columns in common.
func (b *book) printed(pages []page) error {
	near := nearest(pages)
	for i, p := range pages {
		if g := gridOf(p); g != nil {
			pages[i].rows, pages[i].columns = g.rows(p.lines), g.edges()
		} else if p.rows == nil {
			pages[i].rows = grouped(p.lines, near)
		}
	}
	var c columns
	to := 0
	for i, p := range pages {
		if i == to {
			for to++; to < len(pages) && !moved(p.headings(), pages[to].headings()); {
				to++
			}
			c = columnsOf(pages[i:to])
		}
		own := c
		if p.columns != nil {
			own = p.columns
		}
		b.table(p.name)
		b.Tables[i].Printed, b.Tables[i].Continues = true, i > 0
		for n, lines := range p.rows {
			above := p.rows[max(0, n-1)]
			row := Row{Number: n + 1, Below: max(0, above[len(above)-1][0].base-lines[0][0].base)}
			if err := b.printedRow(row, lines, own, p.rules); err != nil {
				return err
			}
		}
	}
	return nil
}

// printedRow adds a row with the texts of lines.
func (b *book) printedRow(row Row, lines []textLine, c columns, rules []area) error {
	if crossed(slices.Concat(lines...), rules) {
		b.note(NoteStruck, "a text is struck through", b.here(row.Number, 0))
	}
	for _, line := range lines {
		for k, text := range c.cells(line) {
			if k == len(row.Cells) {
				row.Cells = append(row.Cells, Cell{})
			}
			cell := &row.Cells[k]
			if cell.Text == "" && line[0].column == 0 {
				cell.Below = lines[0][0].base - line[0].base
			}
			cell.Text = joinedText(cell.Text, text)
		}
	}
	for k := range row.Cells {
		row.Cells[k].Text = b.cell(row.Cells[k].Text, b.here(row.Number, k+1)).Text
	}
	return b.row(row)
}

// joinedText joins two lines of a cell: without a space beside a slash or a hyphen.
func joinedText(above, below string) string {
	if above == "" || below == "" || strings.ContainsAny(above[len(above)-1:]+below[:1], "-/") {
		return above + below
	}
	return above + " " + below
}
