package web

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func auditLog(rest string) string { return "/settings/" + string(acme) + "/audit-log" + rest }

func TestTheAuditLogIsFilteredByDatePersonAndAction(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	today := w.clock().UTC().Format("2006-01-02")
	wantTo(t, owner.post(t, api("/"+string(token.ID)+"/hand-over"), nil), api("/"+string(token.ID)))
	want(t, owner.get(t, auditLog("?action=token.updated")), http.StatusOK, `<span class="block break">ERP</span>`)
	shown := `<span class="strong">Token created</span>`
	want(t, owner.get(t, auditLog("?action=token.created&actor=owner&from="+today+"&to="+today)), http.StatusOK,
		shown, "<li>Environment: <span class=\"break\">Live", "<li>Allowed addresses: ",
		"<li>Expiry: <span class=\"break\">"+(moment{At: token.ExpiresAt}).Minute(),
		`<option value="token.created" selected>`, `!<span class="strong">Member joined`,
		`format=csv&amp;from=`+today, `id="clear"`)
	want(t, owner.get(t, auditLog("?to=2020-01-01")), http.StatusOK, "No entries match", "!Export")
	for _, field := range []string{"from", "to", "action"} {
		want(t, owner.get(t, auditLog("?format=csv&"+field+"=2026-11-31")), http.StatusUnprocessableEntity,
			`id="`+field+`-fault"`)
	}
	want(t, owner.get(t, auditLog("?actor=nobody")), http.StatusOK, "No entries match")
	want(t, owner.get(t, api("/"+string(token.ID))), http.StatusOK, shown)
	want(t, w.member(t, tokens.RoleMember).get(t, api("/"+string(token.ID))), http.StatusOK, "!"+shown)
}

func TestTheAuditLogIsExportedWhole(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	const more = 1100 // several batches
	w.exec(t, `INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, request_id, action,
			target, details, previous, hash)
		SELECT log_id, 10 + n, at, 'user', '', '=1+1', '', 'token.created', 'tok_x', '{"name": "@a, \"b\""}', previous, hash
		FROM audit_events, generate_series(1, 1100) n WHERE sequence = 1 AND log_id = '`+string(acme)+`'`)
	file := owner.get(t, auditLog("?action=token.created&format=csv"))
	if got := file.Header().Get("Content-Disposition"); got != `attachment; filename="audit-log-`+string(acme)+`.csv"` {
		t.Error(got)
	}
	rows, err := csv.NewReader(file.Body).ReadAll()
	if err != nil || len(rows) != 1+more || rows[1][0] != "1110" || rows[1][7] != "'=1+1" ||
		rows[1][4] != `{"name":"@a, \"b\""}` {
		t.Errorf("%d rows, %q, %v", len(rows), rows[:2], err)
	}
	want(t, w.member(t, tokens.RoleMember).get(t, auditLog("?format=csv")), http.StatusForbidden)
}

func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"} {
		row := csvRow(audit.Event{Entry: audit.Entry{Target: text, Actor: audit.Actor{Name: text}}})
		if !strings.HasPrefix(row[3], "'") || row[3] != row[7] {
			t.Errorf("%q", row)
		}
	}
}
