package packinglist

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// spaced returns a page with lines at distances: "10|P1|Plum Red|18|80|4". It begins
// with a header row.
func spaced(t *testing.T, lines ...string) (list, warnings string) {
	t.Helper()
	p := newPDF()
	y := 50.0
	for _, line := range append([]string{"0|Pallet|Produce|Size|Cartons|Net kg per carton"}, lines...) {
		cells := strings.Split(line, "|")
		below, err := strconv.ParseFloat(cells[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		if y += below * 25.4 / 72; below < 0 {
			p.AddPage()
			y = 50
		}
		for i, text := range cells[1:] {
			p.Text(20+40*float64(i), y, text)
		}
	}
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		t.Fatal(err)
	}
	read, err := readAs(t.Context(), PDF, b.Bytes())
	var all []string
	for _, p := range read.Pallets {
		all = append(all, fmt.Sprintf("%s %s %s %d", p.Number, p.ProduceName, p.Calibre, p.Boxes))
	}
	return strings.Join(all, ", "), warningsOf(read, err)
}

// The printed lines of a row are nearer to each other than to those of other rows,
// wherever the cells with one line are.
func TestLinesOfARowAreJoinedByTheirDistance(t *testing.T) {
	t.Parallel()
	const four = "P1 Plum Red 18 80, P2 Kiwi Gold 20 60, P3 Pear Forelle 22 40, P4 Fig Brown 24 20"
	for name, c := range map[string]struct{ lines, want string }{
		"at the top": {
			"20|P1|Plum|18|80|4/10||Red/16|P2|Kiwi|20|60|4/10||Gold/16|P3|Pear|22|40|4/10||Forelle/" +
				"16|P4|Fig|24|20|4/10||Brown",
			four,
		},
		"at the bottom": {
			"20||Plum/10|P1|Red|18|80|4/16||Kiwi/10|P2|Gold|20|60|4/16||Pear/10|P3|Forelle|22|40|4/16||Fig/" +
				"10|P4|Brown|24|20|4",
			four,
		},
		"in the middle": {
			"20||Plum/5|P1||18|80|4/5||Red/16||Kiwi/5|P2||20|60|4/5||Gold/16||Pear/5|P3||22|40|4/5||Forelle/16||Fig/" +
				"5|P4||24|20|4/5||Brown", four,
		},
		"of some rows": {
			"20|P1|Plum Red|18|80|4/16|P2|Kiwi|20|60|4/10||Gold/16|P3|Pear Forelle|22|40|4/" +
				"16|P4|Fig Brown|24|20|4", four,
		},
		"of labels": {
			"20|ZA-1-|Plum Red|18|80|4/10|001/16|0002|Kiwi Gold|20|60|4/10|/A/16|P3|Pear Forelle|22|40|4/" +
				"16|P-|Fig|24|20|4/10|4",
			"ZA-1-001 Plum Red 18 80, 0002/A Kiwi Gold 20 60, P3 Pear Forelle 22 40, P-4 Fig 24 20",
		},
		"near a header": {
			"12|P1|Plum|18|80|4/10||Red/16|P2|Kiwi|20|60|4/10||Gold", "P1 Plum Red 18 80, P2 Kiwi Gold 20 60",
		},
		"in the middle of merged cells": {
			"20|P1|Plum Red|18|80|4/10||Kiwi Gold|20|30|4/5|P2/5||Kiwi Gold|20|30|4/10||Pear Forelle|22|10|4/" +
				"10|P3|Pear Forelle|22|10|4/10||Pear Forelle|22|20|4/10||Fig Brown|24|10|4/" +
				"5|P4/-1|P4/5||Fig Brown|24|10|4",
			"P1 Plum Red 18 80, P2 Kiwi Gold 20 60, P3 Pear Forelle 22 40, P4 Fig Brown 24 20",
		},
		"on two pages": {
			"20|P1|Plum|18|80|4/10||Red/16|P2|Kiwi Gold|20|60|4/-1|P3|Pear|22|40|4/10||Forelle/" +
				"16|P4|Fig Brown|24|20|4", four,
		},
	} {
		lines := strings.ReplaceAll(c.lines, "|/", "|\x00")
		var all []string
		for line := range strings.SplitSeq(lines, "/") {
			all = append(all, strings.ReplaceAll(line, "\x00", "/"))
		}
		if got, warnings := spaced(t, all...); got != c.want || warnings != "" {
			t.Errorf("%s: %s, want %s\n%s", name, got, c.want, warnings)
		}
	}
}

// Lines that are as far from each other as rows are may be of any, so some are
// warnings; titles and page numbers are none.
func TestLinesBetweenRowsAreNotJoined(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, want, warning string }{
		"above": {
			"10||Plum/10|P1|Red|18|80|4/10||Kiwi/10|P2|Gold|20|60|4",
			"P1 Red Kiwi 18 80, P2 Gold 20 60", "not a line of a pallet: Plum",
		},
		"of two cells": {
			"10|P1|Plum|18|80|4/10||Red|20/10|P2|Kiwi|20|60|4",
			"P1 Plum 18 80, P2 Kiwi 20 60", "not a line of a pallet: Red | 20",
		},
		"of labels": {
			"10|P1|Plum|18|80|4/10|001/10|P2|Kiwi|20|60|4",
			"P1 Plum 18 80, P2 Kiwi 20 60", "not a line of a pallet: 001",
		},
		"of merged cells": {
			"10|P1|Plum|18|80|4/10||Kiwi|20|60|4/5|P2/5||Kiwi|20|60|4/10||Pear|20|60|4/5|P3/5||Pear|20|60|4/" +
				"10||Fig|22|40|4",
			"", "number P2 is between two lines",
		},
		"a little apart": {
			"10|P1|Plum|18|80|4/10.6||Red|20/10|P2|Kiwi|20|60|4/10|P3|Pear|22|40|4",
			"P1 Plum 18 80, P2 Kiwi 20 60, P3 Pear 22 40", "Red | 20",
		},
		"far below": {
			"10|P1|Plum|18|80|4/10|P2|Kiwi|20|60|4/14||Page 1 of 2|",
			"P1 Plum 18 80, P2 Kiwi 20 60", "",
		},
		"a title": {
			"16|P1|Plum|18|80|4/20|KIWI/10|P2|Kiwi|20|60|4",
			"P1 Plum 18 80, P2 Kiwi 20 60", "",
		},
		"a title with a space and a number": {
			"16|P1|Plum|18|80|4/20|Block 4/10|P2|Kiwi|20|60|4",
			"P1 Plum 18 80, P2 Kiwi 20 60", "",
		},
		"a section": {
			"16|P1||18|80|4/20||Variety: Gold/10|P2||20|60|4", "P1  18 80, P2 Gold 20 60",
			"",
		},
		"a total": {
			"16|P1|Plum|18|80|4/16|P2|Kiwi|20|60|4/10||Total",
			"P1 Plum 18 80, P2 Kiwi 20 60", "",
		},
	} {
		got, warnings := spaced(t, strings.Split(c.lines, "/")...)
		if got != c.want || c.warning == "" && strings.Contains(warnings, "not a line") ||
			!strings.Contains(warnings, c.warning) {
			t.Errorf("%s: %s, want %s\n%s", name, got, c.want, warnings)
		}
	}
}
