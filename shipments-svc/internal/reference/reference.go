// Package reference has the tables that checks compare with: produce, calibres,
// places, required documents and plausible weights.
//
// Each table is a CSV file. Its first line names the source, the edition and the date
// of the table, and stands in the details of checks; the lines below tell what was
// verified. A new name, code or rule is a row.
package reference

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strings"
	"unicode"
)

//go:embed *.csv
var files embed.FS

// row is a row of a table by its headings.
type row map[string]string

// list returns the elements of a cell, which are separated by "; ".
func (r row) list(column string) []string {
	if r[column] == "" {
		return nil
	}
	return strings.Split(r[column], "; ")
}

// rows returns the rows of a table and its first line, without the comment sign.
func rows(name string) (all []row, source string) {
	text, err := files.ReadFile(name + ".csv")
	if err != nil {
		panic(err)
	}
	source, _, _ = strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	for _, record := range records[1:] {
		cells := row{}
		for i, column := range records[0] {
			cells[column] = record[i]
		}
		all = append(all, cells)
	}
	return all, source
}

// Words returns the words of a text in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// hasName reports whether a text has a name of one or more words.
func hasName(text, name string) bool {
	return strings.Contains(" "+strings.Join(Words(text), " ")+" ", " "+name+" ")
}
