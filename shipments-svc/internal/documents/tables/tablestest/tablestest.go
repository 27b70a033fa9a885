// Package tablestest makes tables for tests.
package tablestest

import (
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Sheet returns a table of lines whose cells are separated by bars.
func Sheet(text string) (sheet tables.Table) {
	for i, line := range strings.Split(text, "\n") {
		row := tables.Row{Number: i + 1}
		for cell := range strings.SplitSeq(line, "|") {
			row.Cells = append(row.Cells, tables.Cell{Text: cell})
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet
}
