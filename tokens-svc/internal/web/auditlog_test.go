package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func auditLog(rest string) string { return "/settings/" + string(acme) + "/audit-log" + rest }

func TestTheAuditLogIsFilteredByDatePersonAndAction(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	wantTo(t, owner.post(t, api("/"+string(token.ID)+"/edit"), handOver), api("/"+string(token.ID)))
	want(t, owner.get(t, auditLog("?q=token+updated")), http.StatusOK, `<span class="block break">ERP</span>`)
	shown := `<span class="strong">Token created</span>`
	today := w.clock().UTC().Format(time.DateOnly)
	want(t, owner.get(t, auditLog("?action=token.created&actor=owner&from="+today+"&to="+today)), http.StatusOK,
		shown, "<li>Environment: <span class=\"break\">Live", "<li>Allowed addresses: ",
		"<li>Expiry: <span class=\"break\">"+(moment{At: token.ExpiresAt}).Minute(),
		`<option value="token.created" selected>`, `value="`+today+`"`,
		`!<span class="strong">Member joined`, `id="clear"`)
	for _, none := range []string{"q=nobody", "actor=nobody", "to=2020-01-01", "from=2120-01-01", "action=x"} {
		want(t, owner.get(t, auditLog("?"+none)), http.StatusOK, "No entries match")
	}
	want(t, owner.get(t, auditLog("?format=csv&from=2026-11-31")), http.StatusBadRequest,
		"From must be a day such as 2026-11-20.")
	ofToken := auditLog("?q=" + string(token.ID))
	want(t, owner.get(t, ofToken), http.StatusOK, shown)
	want(t, owner.get(t, api("/"+string(token.ID))), http.StatusOK, ofToken)
	want(t, w.member(t, tokens.RoleMember).get(t, api("/"+string(token.ID))), http.StatusOK, "!"+ofToken)
}

func TestTheSelectedEventsAreExported(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	const more = 1100 // several batches
	w.exec(t, `INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, request_id, action,
			target, details, previous, hash)
		SELECT log_id, 10 + n, at, 'user', '', '=1+1', '', 'token.created', 'tok_x', '{"name": "@a, \"b\""}',
			previous, hash
		FROM audit_events, generate_series(1, 1100) n WHERE sequence = 1 AND log_id = '`+string(acme)+`'`)
	w.exec(t, `UPDATE audit_heads SET sequence = 1110 WHERE log_id = '`+string(acme)+`'`)
	const path = "?action=token.created&format="
	file := owner.get(t, auditLog(path+"csv"))
	if got := file.Header().Get("Content-Disposition"); got != `attachment; filename="audit-log-`+string(acme)+`.csv"` {
		t.Error(got)
	}
	rows, err := csv.NewReader(file.Body).ReadAll()
	about := "1100 entries: every entry of the audit log with action token.created. Nothing is left out."
	if err != nil || len(rows) != 1+more+1 || rows[1+more][0] != about || rows[0][0] != "sequence" ||
		rows[more][0] != "1110" || rows[1][7] != "'=1+1" || rows[1][4] != `{"name":"@a, \"b\""}` {
		t.Errorf("%d rows, %q, %v", len(rows), rows[:2], err)
	}
	var all struct {
		Events []struct{ Sequence int } `json:"audit_events"`
		About  string
	}
	if err := json.Unmarshal(owner.get(t, auditLog(path+"json")).Body.Bytes(), &all); err != nil ||
		len(all.Events) != more || all.About != about || all.Events[more-1].Sequence != 1110 {
		t.Errorf("%d events, %v", len(all.Events), err)
	}
	want(t, owner.get(t, auditLog("?q=nobody&format=json")), http.StatusOK, `{"audit_events":[],"about":"0 entries: `)
	want(t, w.member(t, tokens.RoleMember).get(t, auditLog("?format=csv")), http.StatusForbidden)
}

func TestTheAuditLogSaysWhatWasNotSearched(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	path := "/settings/" + string(acme) + "/audit-log"
	want(t, owner.get(t, path+"?q=nothing"), http.StatusOK, "No entries match", "!were searched")
	w.exec(t, `WITH made AS (
			INSERT INTO audit_events SELECT log_id, sequence + n, at + n * interval '1 ms', actor_kind, actor_id, actor_name,
				address, request_id, action, target, details, previous, hash
			FROM audit_events, generate_series(1, 20000) n
			WHERE (log_id, sequence) = ('`+string(acme)+`', (SELECT sequence FROM audit_heads WHERE log_id = '`+string(acme)+`'))
		) UPDATE audit_heads SET sequence = sequence + 20000 WHERE log_id = '`+string(acme)+`'`)
	want(t, owner.get(t, path+"?q=nothing"), http.StatusOK, "No entries match", "newest 20,000 entries were searched")
	want(t, owner.get(t, path), http.StatusOK, "!were searched")
}
