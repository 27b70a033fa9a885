package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"

	"github.com/lib/pq"
)

// unavailable lists the SQLSTATEs, by class or whole code, of a server that
// cannot serve now although the statement is right.
var unavailable = struct{ classes, codes []string }{
	classes: []string{
		"08", // connection exceptions
		"53", // insufficient resources: too many connections, disk full, out of memory
		"58", // system errors: an I/O fault
	},
	codes: []string{
		"25006", // read_only_sql_transaction: a standby, during fail-over
		"55000", // object_not_in_prerequisite_state: the database does not accept connections
		"55P03", // lock_not_available: by lock_timeout
		"57014", // query_canceled: by our deadline or statement_timeout
		"57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P03", // cannot_connect_now: starting up
		"3D000", // invalid_catalog_name: the database is being restored
	},
}

// checksReadWrite is the function of Postgres in which a standby refuses, with
// 0A000, to begin a transaction that may write. 0A000 by itself means that a
// feature is not supported.
const checksReadWrite = "call_bool_check_hook"

// Unavailable reports whether err means that Postgres cannot be reached or
// cannot serve now, so that the same request may succeed later.
func Unavailable(err error) bool {
	if pgErr, ok := errors.AsType[*pq.Error](err); ok {
		code := string(pgErr.Code)
		if code == "0A000" {
			return pgErr.Routine == checksReadWrite
		}
		return slices.Contains(unavailable.codes, code) || slices.Contains(unavailable.classes, code[:2])
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, target := range []error{
		errBroken, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
