// Package transport is the HTTP API of the service: its routes, the decoding of
// requests, the encoding of responses, and the mapping of errors to problems.
//
// Each route is a go-kit endpoint of a method of the domain, with its request type, decoder and encoder, behind the
// permission and the timeout that all have.
//
// Guarantees: a request without an identity is refused with 401 before it is
// decoded, and one without the permission with 403 before its body is read; a body
// or query is accepted as a whole or refused with all its faults; a method has
// Config.Timeout, extended for a waiter, which begins after decoding: a slow client, and
// the wait of a large request for its turn, do not count against it; a response is
// complete in memory before its status is sent; every response conforms to
// api/openapi.yaml; a request that fails is observed once; an unexpected error is a 500
// with a fixed text, and its cause is only logged.
package transport

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/shipments-svc/api"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// How many bytes a JSON body may have.
const (
	maxBody     = 1 << 20
	maxDocument = 14 << 20 // of one that brings a document
)

// maxElements is how many elements an array of a JSON body may have that brings no
// document.
const maxElements = 1_000

// Config is the configuration of all routes.
type Config struct {
	Timeout time.Duration // for one call of a method
	// Failed is called after each request that failed: with the operation and its error.
	Failed func(operation string, err error)
}

// router holds the routes while they are put together.
type router struct {
	*problem.Routes
	service *shipments.Service
	config  Config
	log     *slog.Logger
}

// New returns the handler of the service's public listener.
func New(
	service *shipments.Service, hooks *webhooks.Service, uploads *Uploads, config Config, log *slog.Logger,
) http.Handler {
	rt := router{Routes: problem.NewRoutes(), service: service, config: config, log: log}

	const all, one = "/api/v1/shipments", "/api/v1/shipments/{id}"
	handle(rt, "GET "+all, decodeList, service.List, encodeList)
	post(rt, all, decodeCreate, service.Create, encodeCreate)
	handle(rt, "GET "+one, decodeGet, service.Get, encodeGet)
	handle(rt, "GET "+one+"/pallets", decodePageQuery(shipments.MaxLinesPerPage), service.Pallets, encodePallets)
	handle(rt, "PATCH "+one, decodeUpdate, service.Update, encodeShipment)
	handle(rt, "DELETE "+one, decodeOrder, service.Delete, encodeDelete)
	post(rt, one+"/approve", decodeApprove, service.Approve, encodeShipment)
	post(rt, one+"/reject", decodeReject, service.Reject, encodeShipment)
	handle(rt, "GET "+one+"/history", decodePageQuery(shipments.MaxPerPage), service.History, encodeHistory)

	const documents, document = one + "/documents", one + "/documents/{document}"
	handle(rt, "POST "+documents, keyed(uploads.decode), attach(service), encodeAttach)
	handle(rt, "GET "+documents, ShipmentIDs.decode, service.Documents, listed("documents", viewDocument))
	handle(rt, "GET "+document, decodeDocumentOrder, service.Document, encodeDocument(http.StatusOK))
	handle(rt, "PATCH "+document, decodeDocumentEdit, service.UpdateDocument, encodeDocument(http.StatusOK))
	handle(rt, "DELETE "+document, decodeDocumentOrder, service.Detach, encodeDelete)
	handle(rt, "GET "+document+"/content", decodeDocumentOrder, service.File, encodeContent)
	handle(rt, "GET "+document+"/pages/{page}", decodePage, uploads.processed(service.Page), encodePage)
	post(rt, document+"/reprocess", decodeDocumentOrder, service.Reprocess, encodeQueued)
	handle(rt, "PUT "+document+"/mapping", decodeCorrection, service.CorrectMapping, encodeQueued)

	const templates = "/api/v1/mapping_templates"
	handle(rt, "GET "+templates, decodeNothing, service.Templates, listed("mapping_templates", viewTemplate))
	handle(rt, "GET "+templates+"/{id}", TemplateIDs.decode, service.Template, encodeTemplate)
	handle(rt, "PATCH "+templates+"/{id}", decodeTemplateEdit, service.UpdateTemplate, encodeTemplate)
	handle(rt, "DELETE "+templates+"/{id}", decodeTemplateOrder, service.DeleteTemplate, encodeDelete)

	handle(rt, "GET /api/v1/events", decodeEvents, service.Events, encodeEvents)

	webhookRoutes(rt, hooks)

	// The OpenAPI document needs no identity.
	rt.Handle("GET /api/v1/openapi.json", api.Handler())

	return requestid.Ensure(identified(httpserver.AccessLog(log, logAttrs, internalError.Write, rt.Routes)))
}

// How long sending a large body may take, which is longer than the gateway
// admits, and answering it after that.
const (
	uploadTimeout = 5*time.Minute + 10*time.Second
	answerTimeout = 30 * time.Second
)
