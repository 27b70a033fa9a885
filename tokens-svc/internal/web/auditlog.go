package web

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// actionText is an action's name on the page.
type actionText struct {
	Action audit.Action
	Text   string
}

// actionTexts are all actions, in the order of the filter.
var actionTexts = []actionText{
	{audit.TokenCreated, "Token created"},
	{audit.TokenUpdated, "Token changed"},
	{audit.TokenRotated, "Token rotated"},
	{audit.TokenRevoked, "Token revoked"},
	{audit.MemberInvited, "Member invited"},
	{audit.InvitationWithdrawn, "Invitation withdrawn"},
	{audit.InvitationDeclined, "Invitation declined"},
	{audit.MemberJoined, "Member joined"},
	{audit.MemberRoleChanged, "Role changed"},
	{audit.MemberRemoved, "Member removed"},
	{audit.UserVerified, "E-mail address verified"},
	{audit.UserPasswordChanged, "Password changed"},
	{audit.UserPasswordSet, "Password set by an operator"},
	{audit.UserDisabled, "Account disabled"},
	{audit.UserEnabled, "Account enabled"},
	{audit.UserSessionsEnded, "Sessions ended by an operator"},
	{audit.UserIdentityLinked, "Sign-in linked"},
	{audit.UserIdentityUnlinked, "Sign-in unlinked"},
	{audit.OrganizationCreated, "Organization created"},
}

// eventRow is an event in the list.
type eventRow struct{ audit.Event }

// Text returns the action's name.
func (r eventRow) Text() string {
	for _, known := range actionTexts {
		if known.Action == r.Action {
			return known.Text
		}
	}
	return string(r.Action) // an action of a newer version
}

// Subject is the name of the event's target.
func (r eventRow) Subject() string { return cmp.Or(r.Details["name"], r.Details["email"], r.Target) }

// detailNames are the labels of event details.
var detailNames = map[string]string{
	"environment": "Environment", "expires_at": "Expires", "ip_allow": "Allowed addresses", "permissions": "Permissions",
	"rate_limit": "Limit", "role": "Role", "from": "Was", "to": "Is now", "reason": "Reason", "successor": "Successor",
	"ends_at": "Works until", "successor_ends_at": "Successor expires", "email": "E-mail address", "name": "Name",
	"owner": "Owner", "owner_before": "Owner before",
}

// More returns the other details, sorted by name.
func (r eventRow) More() (more []struct{ Name, Text string }) {
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		if text := r.Details[name]; text != "" && text != r.Subject() {
			more = append(more, struct{ Name, Text string }{cmp.Or(detailNames[name], name), text})
		}
	}
	return more
}

// eventList is the page Settings › Audit log.
type eventList struct {
	Rows    []eventRow
	Actions []actionText
	Picked  audit.Action
	Pages   pages.Pager
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	list := eventList{Actions: actionTexts}
	for _, known := range actionTexts {
		if string(known.Action) == v.Form.Get("action") {
			list.Picked = known.Action
		}
	}
	p := pageOf(v)
	events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), list.Picked, p)
	if err != nil {
		return answer{}, err
	}
	for _, e := range events {
		list.Rows = append(list.Rows, eventRow{e})
	}
	list.Pages = pagesOf(v, p, total)
	return page("audit-log", "Audit log", list).in("audit-log"), nil
}
