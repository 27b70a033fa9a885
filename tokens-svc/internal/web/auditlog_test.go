package web

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func auditLog(rest string) string { return "/settings/" + string(acme) + "/audit-log" + rest }

func TestTheAuditLogIsFilteredByDateAndText(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	today := w.clock().UTC().Format("2006-01-02")
	wantTo(t, owner.post(t, api("/"+string(token.ID)+"/edit"), handOver), api("/"+string(token.ID)))
	want(t, owner.get(t, auditLog("?q=token+updated")), http.StatusOK, `<span class="block break">ERP</span>`)
	shown := `<span class="strong">Token created</span>`
	want(t, owner.get(t, auditLog("?q=token+created&from="+today+"&to="+today)), http.StatusOK,
		shown, "<li>Environment: <span class=\"break\">Live", "<li>Allowed addresses: ",
		"<li>Expiry: <span class=\"break\">"+(moment{At: token.ExpiresAt}).Minute(),
		`value="token created"`, `!<span class="strong">Member joined`, `id="clear"`)
	want(t, owner.get(t, auditLog("?to=2020-01-01")), http.StatusOK, "No entries match")
	for _, field := range []string{"from", "to"} {
		want(t, owner.get(t, auditLog("?"+field+"=2026-11-31")), http.StatusUnprocessableEntity,
			`id="`+field+`-fault"`)
	}
	want(t, owner.get(t, auditLog("?q=nobody")), http.StatusOK, "No entries match")
	want(t, owner.get(t, api("/"+string(token.ID))), http.StatusOK, shown)
	want(t, w.member(t, tokens.RoleMember).get(t, api("/"+string(token.ID))), http.StatusOK, "!"+shown)
}
