package web

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// exporter writes events as a file.
type exporter struct {
	extension, mediaType string
	write                func(io.Writer, iter.Seq2[audit.Event, error]) error
}

// exports are the formats, as "format=" in the address.
var exports = map[string]exporter{
	"csv":  {"csv", "text/csv; charset=utf-8", writeCSV},
	"json": {"json", "application/json", writeJSON},
}

// exportTimeout is how long an export may take at most.
const exportTimeout = 10 * time.Minute

// exportEvents sends the selected events as they are read, so that a long log takes no memory.
// An error on the way aborts the response: a client sees that the file is not complete.
func (s *site) exportEvents(v *visit, q tokens.AuditQuery, e exporter) (answer, error) {
	principal, org := v.principal(), v.org()
	return answer{stream: func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), exportTimeout)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTimeout)) // a recorder in tests has none
		events, err := s.Tokens.AllAuditEvents(ctx, principal, org, q)
		if err == nil {
			w.Header().Set("Content-Type", e.mediaType)
			w.Header().Set("Content-Disposition", `attachment; filename="audit-log-`+string(org)+`.`+e.extension+`"`)
			err = e.write(w, events)
		}
		if err != nil {
			httpserver.Explain(w, err)
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

func writeCSV(w io.Writer, events iter.Seq2[audit.Event, error]) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{
		"sequence", "at", "action", "target", "details", "actor_kind", "actor_id", "actor_name", "address", "request_id",
		"previous_hash", "hash",
	})
	for e, failed := range events {
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		if err = table.Write(csvRow(e)); err != nil {
			return err
		}
	}
	table.Flush()
	return cmp.Or(err, table.Error())
}

func csvRow(e audit.Event) []string {
	details, _ := json.Marshal(e.Details) // texts are always JSON
	address := ""
	if e.Actor.Address.IsValid() {
		address = e.Actor.Address.String()
	}
	row := []string{
		strconv.FormatInt(e.Sequence, 10), e.Instant(), string(e.Action), e.Target, string(details),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, address, e.Actor.RequestID, e.Previous.String(), e.Hash.String(),
	}
	for i, text := range row {
		row[i] = cell(text)
	}
	return row
}

// cell puts an apostrophe before a text that a spreadsheet would take for a formula.
func cell(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}

// writeJSON writes the events as the API shows them.
func writeJSON(w io.Writer, events iter.Seq2[audit.Event, error]) error {
	out := bufio.NewWriter(w) // keeps its first error
	_, _ = out.WriteString(`{"audit_events":[`)
	separator := "\n"
	for e, err := range events {
		if err != nil {
			return err
		}
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := out.WriteString(separator + string(text)); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, _ = out.WriteString("\n]}\n")
	return out.Flush()
}
