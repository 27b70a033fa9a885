// Package web serves the pages on which people review shipments: lists, one shipment with
// its checks, pallets and documents, attaching, approving and rejecting, pallets as a workbook;
// and those of webhook endpoints.
//
// Guarantees: a page does what the API does, by the same methods, and needs the same
// permission (transport.Access); the person and the organization are those that the gateway
// asserts, and the organization in the path must be that one; every page works without its
// script, and nothing is changed by a GET; a page is complete in memory before its status
// is sent.
package web

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The paths of the pages and of their static files.
const (
	Path       = "/shipments"
	StaticPath = "/static/shipments/"
)

// Paths are the patterns of all pages.
var Paths = []string{Path, Path + "/", WebhooksPath, WebhooksPath + "/", StaticPath}

//go:embed templates
var templateFiles embed.FS

// Config is what the pages are made of.
type Config struct {
	Service  *shipments.Service
	Webhooks *webhooks.Service
	Uploads  *transport.Uploads
	Timeout  time.Duration // for one request without a file
	Sections pages.Sections
	Now      func() time.Time
	Log      *slog.Logger
}

type site struct {
	Config
	pages *pages.Set
}

// New returns the handler of Path and StaticPath and all below. Requests must have passed
// assertion.Verifier.Guard.
func New(c Config) (http.Handler, error) {
	files, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		return nil, err
	}
	set, err := pages.New(files, StaticPath, functions)
	if err != nil {
		return nil, err
	}
	s := &site{c, set}
	return requestid.Ensure(httpserver.AccessLog(c.Log, logAttrs, s.broken, pages.Harden(s.routes(), false))), nil
}

// home leads to the shipments, or the webhooks, of the organization that the gateway chose.
func (s *site) home(w http.ResponseWriter, r *http.Request) {
	id, err := assertion.FromHeader(r.Header)
	if err != nil {
		s.write(w, r, nil, errorPage(http.StatusUnauthorized))
		return
	}
	//nolint:gosec // G710: the path is one of two
	http.Redirect(w, r, r.URL.Path+"/"+id.Organization, http.StatusSeeOther)
}

// visit is a request of a person, with the identifiers in its path.
type visit struct {
	*http.Request
	writer http.ResponseWriter
	person assertion.Identity
	org    shipments.OrgID
	test   bool // it is about the test data of the organization, whose partition org is

	shipment shipments.ID
	document shipments.DocumentID
	endpoint webhooks.ID
	event    shipments.EventID
}

// readIDs reads the identifiers in the path. A malformed one does not exist.
func (v *visit) readIDs() (err error) {
	if id := v.PathValue("id"); id != "" && strings.HasPrefix(v.URL.Path, WebhooksPath) {
		v.endpoint, err = transport.WebhookIDs.Parse(id)
	} else if id != "" {
		v.shipment, err = transport.ShipmentIDs.Parse(id)
	}
	if id := v.PathValue("document"); id != "" && err == nil {
		v.document, err = transport.DocumentIDs.Parse(id)
	}
	if id := v.PathValue("event"); id != "" && err == nil {
		v.event, err = transport.EventIDs.Parse(id)
	}
	return err
}

// may reports whether the person may do what an operation of the API does.
func (v *visit) may(api string) bool {
	return slices.Contains(v.person.Permissions, string(transport.Access[api]))
}

// path is the address of a page of the organization.
func (v *visit) path(rest ...string) string {
	return strings.Join(append([]string{Path, v.person.Organization}, rest...), "/")
}

// list is the address of the list of shipments.
func (v *visit) list() string { return v.path("list") }

// here is the address of the shipment in the path.
func (v *visit) here() string { return v.path(v.PathValue("id")) }

// order is an action of the person on the shipment in the path.
func (v *visit) order() shipments.Order {
	return shipments.Order{ID: v.shipment, By: shipments.Actor{ID: v.person.Actor(), Name: v.person.UserName}}
}

// seen is an action on the document, or the shipment, in the path, of the version of the shipment
// that the form was made of.
func (v *visit) seen() shipments.DocumentOrder {
	o := v.onDocument()
	o.Expects = func(version int64) bool { return v.PostForm.Get("version") == number(version) }
	return o
}

// onDocument is an action of the person on the document in the path.
func (v *visit) onDocument() shipments.DocumentOrder {
	return shipments.DocumentOrder{Order: v.order(), Document: v.document}
}

// viewData is the cookie with the data that a person looks at: testData, or live data without it. The gateway forwards
// cookies whose names begin with view-.
const (
	viewData = "view-data"
	testData = "test"
)

// switchData has the person see the data of their organizations that the form names, as often as it is sent.
func (s *site) switchData(_ context.Context, v *visit) (answer, error) {
	//nolint:gosec // G124: it is no secret, and browsers of http://localhost keep it, too
	cookie := &http.Cookie{Name: viewData, Value: testData, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if v.text("data") != testData {
		cookie.MaxAge = -1
	}
	http.SetCookie(v.writer, cookie)
	if strings.HasPrefix(v.URL.Path, WebhooksPath) {
		return redirect(v.hooks(), ""), nil
	}
	return redirect(v.path(), ""), nil
}

// readAudit is the permission to read who did what, as in the audit log of tokens-svc.
const readAudit transport.Permission = "audit:read"

func (s *site) serve(rt route) http.Handler {
	needs, ok := transport.Access[rt.api]
	if rt.api == "" {
		needs = readAudit
	} else if !ok {
		panic(rt.api + " is not in the authorization table")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		person, err := assertion.FromHeader(r.Header)
		v := &visit{Request: r, writer: w, person: person, org: shipments.OrgID(person.OrganizationID)}
		if shown, none := r.Cookie(viewData); none == nil && shown.Value == testData {
			v.org, v.test = shipments.TestPartition(shipments.Organization(v.org)), true
		}
		switch {
		case err != nil:
			s.write(w, r, nil, errorPage(http.StatusUnauthorized))
			return
		case r.PathValue("org") != person.Organization:
			s.write(w, r, v, errorPage(http.StatusNotFound))
			return
		case !pages.Storable(r.URL.Query()):
			s.write(w, r, v, errorPage(http.StatusBadRequest))
			return
		case !slices.Contains(person.Permissions, string(needs)):
			s.write(w, r, v, errorPage(http.StatusForbidden))
			return
		}
		ctx := r.Context()
		if !slices.Contains(slow, rt.pattern) {
			wait, listed := waits[rt.pattern]
			if !listed && r.Method == http.MethodPost {
				wait = shipments.Order{}.Waits()
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.Timeout+wait)
			defer cancel()
		}
		var a answer
		err = v.readIDs()
		if isForm := r.Method == http.MethodPost && !slices.Contains(slow, rt.pattern); isForm && err == nil {
			err = v.parse()
		}
		if err == nil {
			a, err = rt.do(s, ctx, v)
		}
		if err != nil {
			a = s.errorAnswer(r.Context(), v, err)
		}
		s.write(w, r, v, a)
	})
}

// leave leads from the address of a form, which a browser shows with its faults, to the
// shipment or the document that it is about.
func (s *site) leave(_ context.Context, v *visit) (answer, error) {
	if !slices.Contains([]string{"approve", "reject", "comments", "mapping", "type", "reprocess"}, v.PathValue("form")) {
		return errorPage(http.StatusNotFound), nil
	}
	return redirect(path.Dir(v.URL.Path), ""), nil
}

func logAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if id, err := assertion.FromHeader(r.Header); err == nil {
		attrs = append(attrs, slog.String("organization_id", id.Organization), slog.String("user_id", id.User))
	}
	return attrs
}

// route is one page, or one form that is sent to a page.
type route struct {
	pattern string // below the pages of the organization
	api     string // the operation of the API that it is like, whose permission it needs; "": readAudit
	do      func(*site, context.Context, *visit) (answer, error)
}

// slow are the routes that bound their time themselves; of them none reads a form without files.
var slow = []string{"POST /{id}/documents", "GET /export.xlsx", "GET /export.csv"}

// waits are how much longer than others routes may take: for the memory of a large shipment, and to read a file. Other
// forms wait as an Order does.
var waits = map[string]time.Duration{
	"GET /{id}": shipments.ReadWait, "GET /{id}/documents": shipments.ReadWait, "GET /{id}/pallets": shipments.ReadWait,
	"GET /{id}/history": shipments.ReadWait, "GET /{id}/print": shipments.ReadWait,
	"GET /{id}/documents/{document}":          shipments.ReadWait + lookWait,
	"POST /{id}/documents/{document}/mapping": shipments.ReadWait + shipments.ReadTimeout,
}

var table = []route{
	{"GET", "GET /shipments", (*site).overview},
	{"GET /list", "GET /shipments", (*site).list},
	{"POST /approve", "POST /shipments/{id}/approve", (*site).approveAll},
	{"GET /new", "POST /shipments", (*site).showNew},
	{"POST", "POST /shipments", (*site).create},
	{"GET /export.xlsx", "GET /shipments", (*site).exportList},
	{"GET /export.csv", "GET /shipments", (*site).exportList},
	{"GET /templates", "GET /mapping_templates", (*site).templates}, // of ?template=ID, but for the list
	{"POST /templates/rename", "PATCH /mapping_templates/{id}", (*site).renameTemplate},
	{"GET /templates/delete", "DELETE /mapping_templates/{id}", (*site).askDeleteTemplate},
	{"POST /templates/delete", "DELETE /mapping_templates/{id}", (*site).deleteTemplate},
	{"POST /data", "GET /shipments", (*site).switchData},
	{"GET /activity", "", (*site).activity},
	{"GET /{id}", "GET /shipments/{id}", showing("review")},
	{"GET /{id}/documents", "GET /shipments/{id}", showing("documents")},
	{"GET /{id}/pallets", "GET /shipments/{id}", showing("pallets")},
	{"GET /{id}/history", "GET /shipments/{id}/history", showing("history")},
	{"GET /{id}/print", "GET /shipments/{id}", showing("print")},
	{"POST /{id}/comments", "GET /shipments/{id}", (*site).comment}, // for mayComment
	{"GET /{id}/pallets.xlsx", "GET /shipments/{id}", (*site).exportPallets},
	{"GET /{id}/{form}", "GET /shipments/{id}", (*site).leave},
	{"GET /{id}/edit", "PATCH /shipments/{id}", (*site).showEdit},
	{"POST /{id}/edit", "PATCH /shipments/{id}", (*site).edit},
	{"POST /{id}/approve", "POST /shipments/{id}/approve", (*site).approve},
	{"POST /{id}/reject", "POST /shipments/{id}/reject", (*site).reject},
	{"GET /{id}/delete", "DELETE /shipments/{id}", (*site).askDelete},
	{"POST /{id}/delete", "DELETE /shipments/{id}", (*site).remove},
	{"POST /{id}/documents", "POST /shipments/{id}/documents", (*site).attach},
	{"GET /{id}/documents/{document}/file", "GET /shipments/{id}/documents/{document}/content", (*site).download},
	{"GET /{id}/documents/{document}", "GET /shipments/{id}/documents/{document}", (*site).showDocument},
	{
		"GET /{id}/documents/{document}/pages/{page}", "GET /shipments/{id}/documents/{document}/pages/{page}",
		(*site).picture,
	},
	{"GET /{id}/documents/{document}/{form}", "GET /shipments/{id}/documents/{document}", (*site).leave},
	{"POST /{id}/documents/{document}/mapping", "PUT /shipments/{id}/documents/{document}/mapping", (*site).correct},
	{"POST /{id}/documents/{document}/type", "PATCH /shipments/{id}/documents/{document}", (*site).retype},
	{"GET /{id}/documents/{document}/delete", "DELETE /shipments/{id}/documents/{document}", (*site).askDetach},
	{
		"POST /{id}/documents/{document}/delete", "DELETE /shipments/{id}/documents/{document}",
		changing("deleted", (*shipments.Service).Detach),
	},
	{
		"POST /{id}/documents/{document}/reprocess", "POST /shipments/{id}/documents/{document}/reprocess",
		changing("reprocessed", (*shipments.Service).Reprocess),
	},
}

// webhookRoutes are below WebhooksPath.
var webhookRoutes = []route{
	{"GET", "GET /webhook_endpoints", (*site).listWebhooks},
	{"POST /data", "GET /webhook_endpoints", (*site).switchData},
	{"GET /new", "POST /webhook_endpoints", proven((*site).showNewWebhook)},
	{"POST", "POST /webhook_endpoints", (*site).createWebhook},
	{"GET /{id}", "GET /webhook_endpoints/{id}", (*site).showWebhook},
	{"POST /{id}", "PATCH /webhook_endpoints/{id}", (*site).editWebhook},
	{"POST /{id}/test", "POST /webhook_endpoints/{id}/test", (*site).sendTest},
	{"GET /{id}/deliveries/{event}", "GET /webhook_endpoints/{id}/deliveries", (*site).delivery},
	{"POST /{id}/deliveries/{event}", "POST /webhook_endpoints/{id}/replay", (*site).replay},
	{"GET /{id}/rotate", "POST /webhook_endpoints/{id}/rotate_secret", proven((*site).askRotate)},
	{"POST /{id}/rotate", "POST /webhook_endpoints/{id}/rotate_secret", proven((*site).rotateSecret)},
	{"GET /{id}/delete", "DELETE /webhook_endpoints/{id}", (*site).askRemove},
	{"POST /{id}/delete", "DELETE /webhook_endpoints/{id}", (*site).removeWebhook},
}

func (s *site) routes() http.Handler {
	refuse := func(w http.ResponseWriter, r *http.Request, p problem.Problem) {
		s.write(w, r, nil, errorPage(p.Status))
	}
	mux := problem.NewRoutesRefusing(refuse)
	s.add(mux, Path, table)
	s.add(mux, WebhooksPath, webhookRoutes)
	mux.HandleFunc("GET "+Path, s.home)
	mux.HandleFunc("GET "+WebhooksPath, s.home)
	mux.HandleFunc(StaticPath, func(w http.ResponseWriter, r *http.Request) {
		s.pages.ServeStatic(w, r, func(status int) { s.write(w, r, nil, errorPage(status)) })
	})
	return mux
}

// add adds routes of the organization, below a path.
func (s *site) add(mux *problem.Routes, below string, routes []route) {
	for _, rt := range routes {
		method, path, _ := strings.Cut(rt.pattern, " ")
		rt.api = strings.Replace(rt.api, " ", " /api/v1", 1)
		mux.Handle(method+" "+below+"/{org}"+path, s.serve(rt))
	}
}
