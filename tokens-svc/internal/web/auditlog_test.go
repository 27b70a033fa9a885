package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func auditLog(rest string) string { return "/settings/" + string(acme) + "/audit-log" + rest }

func TestTheAuditLogIsSearched(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	wantTo(t, owner.post(t, api("/"+string(token.ID)+"/edit"), handOver), api("/"+string(token.ID)))
	want(t, owner.get(t, auditLog("?q=token+updated")), http.StatusOK, `<span class="block break">ERP</span>`)
	shown := `<span class="strong">Token created</span>`
	want(t, owner.get(t, auditLog("?q=token+created")), http.StatusOK,
		shown, "<li>Environment: <span class=\"break\">Live", "<li>Allowed addresses: ",
		"<li>Expiry: <span class=\"break\">"+(moment{At: token.ExpiresAt}).Minute(),
		`value="token created"`, `!<span class="strong">Member joined`, `id="clear"`)
	today := url.QueryEscape(moment{At: w.clock()}.Date())
	want(t, owner.get(t, auditLog("?q="+today)), http.StatusOK, shown)
	want(t, owner.get(t, auditLog("?q=2020-01-01")), http.StatusOK, "No entries match")
	want(t, owner.get(t, auditLog("?q=nobody")), http.StatusOK, "No entries match")
	ofToken := auditLog("?q=" + string(token.ID))
	want(t, owner.get(t, ofToken), http.StatusOK, shown)
	want(t, owner.get(t, api("/"+string(token.ID))), http.StatusOK, ofToken)
	want(t, w.member(t, tokens.RoleMember).get(t, api("/"+string(token.ID))), http.StatusOK, "!"+ofToken)
}
