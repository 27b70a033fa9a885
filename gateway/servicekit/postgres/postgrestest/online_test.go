package postgrestest

import (
	"strings"
	"testing"
)

func TestMigrationsThatMakeWritersWaitAreFound(t *testing.T) {
	t.Parallel()
	const alone = "-- +goose NO TRANSACTION\n\n"
	for up, want := range map[string]string{
		"CREATE INDEX a ON t (x);":                                             "index a of the existing table t",
		"CREATE UNIQUE INDEX IF NOT EXISTS a ON t (x);":                        "index a of the existing table t",
		"CREATE INDEX CONCURRENTLY a ON t (x);":                                "index a of the existing table t",
		"CREATE TABLE t (x int);\nCREATE INDEX a ON t (x);":                    "",
		"ALTER TABLE t ADD COLUMN y int,\n\tADD CONSTRAINT c CHECK (y > 0);":   "a constraint of the existing table t",
		"ALTER TABLE t ADD FOREIGN KEY (x) REFERENCES u;":                      "a constraint of the existing table t",
		"ALTER TABLE t ADD CONSTRAINT c CHECK (x > 0) NOT VALID;":              "",
		"ALTER TABLE t VALIDATE CONSTRAINT c; ALTER TABLE t DROP CONSTRAINT d": "",
		"CREATE TABLE t (x int); ALTER TABLE t ADD CONSTRAINT c CHECK (x > 0)": "",
	} {
		got := strings.Join(blocking("-- +goose Up\n"+up+"\n-- +goose Down\nCREATE INDEX d ON t (x);"), "; ")
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", up, got, want)
		}
	}
	if got := blocking(alone + "-- +goose Up\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a\n\tON t (x);"); got != nil {
		t.Error(got)
	}
}
