package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

const (
	// mostLines is the maximum number of printed lines of a row.
	mostLines = 6
	// jump is the least ratio of the distance between rows to that of the lines of one.
	jump = 1.5
	// often is how often a distance occurs at least.
	often = 3
)

// wrapped returns printed lines as the rows of a table: lines that are much nearer to
// each other than others are one row. It returns nil if the distances do not show rows.
func wrapped(rows []tables.Row) []tables.Row {
	near := nearest(rows)
	if near == 0 {
		return nil
	}
	var all []tables.Row
	for i := 0; i < len(rows); {
		to := i + 1
		for to < len(rows) && rows[to].Below <= near && rows[to].Below > 0 && rows[to].Number-rows[to-1].Number == 1 {
			to++
		}
		if to-i > mostLines {
			all = append(all, rows[i:to]...)
		} else {
			all = append(all, joinedRow(rows[i:to]))
		}
		i = to
	}
	return all
}

// nearest returns the greatest distance of lines of one row: below the first jump between
// distances that occur often. It is 0 without one.
func nearest(rows []tables.Row) float64 {
	count := map[int]int{} // by tenths of a point
	for _, row := range rows {
		if row.Below > 0 {
			count[int(row.Below*10+0.5)]++
		}
	}
	var distances []int
	for d, n := range count {
		if n >= often {
			distances = append(distances, d)
		}
	}
	slices.Sort(distances)
	for i := 1; i < len(distances); i++ {
		if float64(distances[i]) >= jump*float64(distances[i-1]) {
			return float64(distances[i-1])/10 + 0.1
		}
	}
	usual := 0
	for d, n := range count {
		if n > count[usual] || n == count[usual] && d > usual {
			usual = d
		}
	}
	if count[usual] < often {
		return 0
	}
	return float64(usual) / 10 / jump // headings alone are wrapped
}

// joinedRow returns printed lines as one row with the number of the fullest.
func joinedRow(rows []tables.Row) tables.Row {
	if len(rows) == 1 {
		return rows[0]
	}
	joined, most := tables.Row{Below: rows[0].Below}, -1
	for _, row := range rows {
		if n := len(Filled(row)); n > most {
			joined.Number, most = row.Number, n
		}
		joined = widenedTo(joined, len(row.Cells))
		for col, c := range row.Cells {
			joined.Cells[col].Text = Joined(joined.Cells[col].Text, c.Text)
		}
	}
	return joined
}

func widenedTo(row tables.Row, cells int) tables.Row {
	for len(row.Cells) < cells {
		row.Cells = append(row.Cells, tables.Cell{})
	}
	return row
}

// Joined joins two lines of a cell: without a space beside a slash or a hyphen.
func Joined(above, below string) string {
	if above == "" || below == "" || strings.IndexByte("-/", above[len(above)-1]) >= 0 || strings.IndexByte("-/", below[0]) >= 0 {
		return above + below
	}
	return above + " " + below
}
