package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// route is one page, or one form that is sent to a page.
type route struct {
	pattern string // below the pages of the organization
	api     string // the operation of the API that it is like, whose permission it needs
	do      func(*site, context.Context, *visit) (answer, error)
}

// slow are the routes that bound their time themselves.
var slow = []string{"POST /{id}/documents", "GET /export.xlsx", "GET /export.csv"}

var table = []route{
	{"GET", "GET /shipments", (*site).list},
	{"GET /new", "POST /shipments", (*site).showNew},
	{"POST", "POST /shipments", (*site).create},
	{"GET /export.xlsx", "GET /shipments", (*site).exportList},
	{"GET /export.csv", "GET /shipments", (*site).exportList},
	{"GET /templates", "GET /mapping_templates", (*site).templates}, // of ?template=ID, but for the list
	{"POST /templates/rename", "PATCH /mapping_templates/{id}", (*site).renameTemplate},
	{"GET /templates/delete", "DELETE /mapping_templates/{id}", (*site).askDeleteTemplate},
	{"POST /templates/delete", "DELETE /mapping_templates/{id}", (*site).deleteTemplate},
	{"GET /{id}", "GET /shipments/{id}", (*site).show},
	{"GET /{id}/pallets.xlsx", "GET /shipments/{id}", (*site).exportPallets},
	{"GET /{id}/{form}", "GET /shipments/{id}", (*site).leave},
	{"POST /{id}/approve", "POST /shipments/{id}/approve", (*site).approve},
	{"POST /{id}/reject", "POST /shipments/{id}/reject", (*site).reject},
	{"GET /{id}/delete", "DELETE /shipments/{id}", (*site).askDelete},
	{"POST /{id}/delete", "DELETE /shipments/{id}", (*site).remove},
	{"POST /{id}/documents", "POST /shipments/{id}/documents", (*site).attach},
	{"GET /{id}/documents/{document}", "GET /shipments/{id}/documents/{document}/content", (*site).download},
	{"GET /{id}/documents/{document}/mapping", "PUT /shipments/{id}/documents/{document}/mapping", (*site).showMapping},
	{"POST /{id}/documents/{document}/mapping", "PUT /shipments/{id}/documents/{document}/mapping", (*site).correct},
	{"GET /{id}/documents/{document}/delete", "DELETE /shipments/{id}/documents/{document}", (*site).askDetach},
	{"POST /{id}/documents/{document}/delete", "DELETE /shipments/{id}/documents/{document}", (*site).detach},
	{
		"POST /{id}/documents/{document}/reprocess", "POST /shipments/{id}/documents/{document}/reprocess",
		(*site).reprocess,
	},
}

// webhookRoutes are below WebhooksPath.
var webhookRoutes = []route{
	{"GET", "GET /webhook_endpoints", (*site).listWebhooks},
	{"GET /new", "POST /webhook_endpoints", (*site).showNewWebhook},
	{"POST", "POST /webhook_endpoints", (*site).createWebhook},
	{"GET /{id}", "GET /webhook_endpoints/{id}", (*site).showWebhook},
	{"POST /{id}", "PATCH /webhook_endpoints/{id}", (*site).editWebhook},
	{"POST /{id}/test", "POST /webhook_endpoints/{id}/test", (*site).sendTest},
	{"GET /{id}/deliveries/{event}", "GET /webhook_endpoints/{id}/deliveries", (*site).delivery},
	{"POST /{id}/deliveries/{event}", "POST /webhook_endpoints/{id}/replay", (*site).replay},
	{"GET /{id}/rotate", "POST /webhook_endpoints/{id}/rotate_secret", (*site).askRotate},
	{"POST /{id}/rotate", "POST /webhook_endpoints/{id}/rotate_secret", (*site).rotateSecret},
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
