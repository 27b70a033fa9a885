package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
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
	head, between, foot  string
	event                func(audit.Event) string
}

// exportFormats are by their names in addresses.
var exportFormats = map[string]exportFormat{
	"csv": {
		extension: ".csv", mediaType: "text/csv; charset=utf-8", event: csvLine,
		head: "sequence,at,action,target,details,actor_kind,actor_id,actor_name,address,request_id," +
			"previous_hash,hash\n",
	},
	"json": {
		extension: ".json", mediaType: "application/json", event: jsonOf[audit.Event],
		head: `{"audit_events":[`, between: ",\n", foot: "]}\n",
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
		between, after := "", int64(0)
		for left := 1; left > 0 && err == nil; {
			var events []audit.Event
			query.After = &after
			events, left, err = s.Tokens.AuditEvents(ctx, principal, org, query, tokens.Page{Size: exportBatch})
			for _, e := range events {
				_, gone := io.WriteString(w, between+format.event(e))
				err, between = cmp.Or(err, gone), format.between
			}
			read := int64(tokens.AuditWindow)
			if n := len(events); n == exportBatch {
				read = events[n-1].Sequence - after
			}
			after, left = after+read, left-int(read)
		}
		if err != nil {
			httpserver.Explain(w, err)
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, format.foot) // fails only if the client is gone
	}}
}

func csvLine(e audit.Event) string {
	address, _ := e.Actor.Address.MarshalText() // "" if it is not known
	cells := []string{
		strconv.FormatInt(e.Sequence, 10), audit.Instant(e.At), string(e.Action), e.Target, jsonOf(e.Details),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(address), e.Actor.RequestID,
		e.Previous.String(), e.Hash.String(),
	}
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
