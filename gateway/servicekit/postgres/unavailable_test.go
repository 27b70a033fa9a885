package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

func TestUnavailableSeparatesOutagesFromFaults(t *testing.T) {
	t.Parallel()
	outages := []error{
		driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, os.ErrDeadlineExceeded,
		&net.OpError{Op: "dial", Err: errors.New("connection refused")}, &net.DNSError{Err: "no such host"},
	}
	for _, code := range []string{
		"08006", "53300", "53100", "58030", "25006", "55000", "57014", "57P01", "57P02", "57P03",
		"3D000",
	} {
		outages = append(outages, &pq.Error{Code: pqerror.Code(code)})
	}
	outages = append(outages, &pq.Error{Code: "0A000", Routine: checksReadWrite})
	for _, err := range outages {
		wrapped := fmt.Errorf("deep: %w", err)
		if !Unavailable(wrapped) {
			t.Errorf("%v (%T) is not unavailable", err, err)
		}
	}
	faults := []error{nil, errors.New("other"), sql.ErrNoRows, context.Canceled}
	for _, code := range []string{"23505", "23503", "42P01", "42601", "22021", "40001", "40P01", "28P01", "0A000"} {
		faults = append(faults, &pq.Error{Code: pqerror.Code(code)})
	}
	for _, err := range faults {
		if Unavailable(err) {
			t.Errorf("%v is unavailable", err)
		}
	}
}
