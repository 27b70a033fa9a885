package postgrestest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	tableCreated = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	indexCreated = regexp.MustCompile(
		`(?i)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)\s+ON (\w+)`)
	constraintAdded = regexp.MustCompile(
		`(?is)ALTER TABLE (?:ONLY )?(\w+)[^;]*?\bADD (?:CONSTRAINT|CHECK|FOREIGN KEY|UNIQUE)\b[^;]*`)
	safeConstraint = regexp.MustCompile(`(?i)NOT VALID|USING INDEX`)
)

// blocking returns what a migration does to tables that other programs write meanwhile, and that makes them wait: it
// builds an index without CONCURRENTLY, or checks the rows of a table for a new constraint.
func blocking(migration string) (faults []string) {
	header, up, _ := strings.Cut(migration, "-- +goose Up")
	up, _, _ = strings.Cut(up, "-- +goose Down")
	var own []string
	for _, table := range tableCreated.FindAllStringSubmatch(up, -1) {
		own = append(own, table[1])
	}
	for _, index := range indexCreated.FindAllStringSubmatch(up, -1) {
		if !slices.Contains(own, index[3]) && (index[1] == "" || !strings.Contains(header, "NO TRANSACTION")) {
			faults = append(faults, fmt.Sprintf("index %s of the existing table %s needs CONCURRENTLY, and the file begins "+
				"with -- +goose NO TRANSACTION", index[2], index[3]))
		}
	}
	for _, constraint := range constraintAdded.FindAllStringSubmatch(up, -1) {
		if !slices.Contains(own, constraint[1]) && !safeConstraint.MatchString(constraint[0]) {
			faults = append(faults, fmt.Sprintf("a constraint of the existing table %s needs NOT VALID, and a migration "+
				"of its own that validates it", constraint[1]))
		}
	}
	return faults
}
