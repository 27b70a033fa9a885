package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const (
	exportTimeout = 10 * time.Minute // for an export of any length
	exportBatch   = 1000             // how many events are read at once
)

// exportFormat is a kind of file that events are exported as.
type exportFormat struct {
	extension, mediaType string
	head, between        string
	event                func(audit.Event) string
	foot                 func(about string) string // says what the file contains
}

// exportFormats are by their names in addresses.
var exportFormats = map[string]exportFormat{
	"csv": {
		extension: ".csv", mediaType: "text/csv; charset=utf-8", event: csvLine,
		foot: func(about string) string { return csvRow(append([]string{about}, make([]string, 11)...)) },
		head: "sequence,at,action,target,details,actor_kind,actor_id,actor_name,address,request_id," +
			"previous_hash,hash\n",
	},
	"json": {
		extension: ".json", mediaType: "application/json", event: jsonOf[audit.Event],
		head: `{"audit_events":[`, between: ",\n",
		foot: func(about string) string { return `],"about":` + jsonOf(about) + "}\n" },
	},
}

// exportEvents sends the selected events, oldest first, as they are read, so that a long log takes no memory.
// An error on the way aborts the response: a client sees that the file is not complete.
func (s *site) exportEvents(v *visit, query tokens.AuditQuery, format exportFormat) answer {
	principal, org := v.principal(), v.org()
	return answer{stream: func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), exportTimeout)
		defer cancel()
		end, _ := ctx.Deadline()
		_ = http.NewResponseController(w).SetWriteDeadline(end) // a recorder in tests has none
		w.Header().Set("Content-Type", format.mediaType)
		w.Header().Set("Content-Disposition", `attachment; filename="audit-log-`+string(org)+format.extension+`"`)
		_, err := io.WriteString(w, format.head)
		between, after, n := "", int64(0), 0
		for left := 1; left > 0 && err == nil; {
			var found tokens.AuditPage
			query.After = &after
			found, err = s.Tokens.AuditEvents(ctx, principal, org, query, tokens.Page{Size: exportBatch})
			for _, e := range found.Events {
				_, gone := io.WriteString(w, between+format.event(e))
				err, between = cmp.Or(err, gone), format.between
			}
			n += len(found.Events)
			read := int64(tokens.AuditWindow)
			if len(found.Events) == exportBatch {
				read = found.Events[exportBatch-1].Sequence - after
			}
			after, left = after+read, found.Total-int(read)
		}
		if err != nil {
			httpserver.Explain(w, err)
			panic(http.ErrAbortHandler)
		}
		about := fmt.Sprintf("%d entries: every entry of the audit log%s. Nothing is left out.", n, selection(v.Form))
		_, _ = io.WriteString(w, format.foot(about)) // fails only if the client is gone
	}}
}

// selection says which filters were chosen: " with action token.created, from 2026-11-01".
func selection(filter url.Values) string {
	var filters []string
	for _, name := range []string{"q", "actor", "action", "from", "to"} {
		if text := strings.TrimSpace(filter.Get(name)); text != "" {
			filters = append(filters, name+" "+text)
		}
	}
	if filters == nil {
		return ""
	}
	return " with " + strings.Join(filters, ", ")
}

func csvLine(e audit.Event) string {
	address, _ := e.Actor.Address.MarshalText() // "" if it is not known
	return csvRow([]string{
		strconv.FormatInt(e.Sequence, 10), audit.Instant(e.At), string(e.Action), e.Target, jsonOf(e.Details),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(address), e.Actor.RequestID,
		e.Previous.String(), e.Hash.String(),
	})
}

func csvRow(cells []string) string {
	for i, text := range cells {
		cells[i] = plaintext.Cell(text)
	}
	var line strings.Builder
	table := csv.NewWriter(&line)
	_ = table.Write(cells) // a builder takes everything
	table.Flush()
	return line.String()
}

func jsonOf[T any](value T) string {
	text, _ := json.Marshal(value) // texts are always JSON
	return string(text)
}
