package transport

// Permission is what a token must hold, as it is spelt on the wire.
type Permission string

// The permissions that operations of this service need.
const (
	ReadShipments   Permission = "shipments:read"
	WriteShipments  Permission = "shipments:write"
	ReviewShipments Permission = "shipments:review"
	ReadDocuments   Permission = "documents:read"
	WriteDocuments  Permission = "documents:write"
	ManageWebhooks  Permission = "webhooks:manage"
)

// Access is the authorization table: the permission that each operation needs.
// Live and test tokens need the same. A token reaches the data of its own
// organization and environment only.
var Access = map[string]Permission{
	"GET /api/v1/shipments":               ReadShipments,
	"POST /api/v1/shipments":              WriteShipments,
	"GET /api/v1/shipments/{id}":          ReadShipments,
	"GET /api/v1/shipments/{id}/pallets":  ReadShipments,
	"PATCH /api/v1/shipments/{id}":        WriteShipments,
	"DELETE /api/v1/shipments/{id}":       WriteShipments,
	"POST /api/v1/shipments/{id}/approve": ReviewShipments,
	"POST /api/v1/shipments/{id}/reject":  ReviewShipments,
	"GET /api/v1/shipments/{id}/history":  ReadShipments,

	"POST /api/v1/shipments/{id}/documents":                        WriteDocuments,
	"GET /api/v1/shipments/{id}/documents":                         ReadDocuments,
	"GET /api/v1/shipments/{id}/documents/{document}":              ReadDocuments,
	"PATCH /api/v1/shipments/{id}/documents/{document}":            WriteDocuments,
	"DELETE /api/v1/shipments/{id}/documents/{document}":           WriteDocuments,
	"GET /api/v1/shipments/{id}/documents/{document}/content":      ReadDocuments,
	"GET /api/v1/shipments/{id}/documents/{document}/pages/{page}": ReadDocuments,
	"POST /api/v1/shipments/{id}/documents/{document}/reprocess":   WriteDocuments,

	"PUT /api/v1/shipments/{id}/documents/{document}/mapping": WriteDocuments,
	"GET /api/v1/mapping_templates":                           WriteDocuments,
	"GET /api/v1/mapping_templates/{id}":                      WriteDocuments,
	"PATCH /api/v1/mapping_templates/{id}":                    WriteDocuments,
	"DELETE /api/v1/mapping_templates/{id}":                   WriteDocuments,

	"GET /api/v1/events": ReadShipments,

	"GET /api/v1/webhook_endpoints":                     ManageWebhooks,
	"POST /api/v1/webhook_endpoints":                    ManageWebhooks,
	"GET /api/v1/webhook_endpoints/{id}":                ManageWebhooks,
	"PATCH /api/v1/webhook_endpoints/{id}":              ManageWebhooks,
	"DELETE /api/v1/webhook_endpoints/{id}":             ManageWebhooks,
	"POST /api/v1/webhook_endpoints/{id}/rotate_secret": ManageWebhooks,
	"POST /api/v1/webhook_endpoints/{id}/test":          ManageWebhooks,
	"POST /api/v1/webhook_endpoints/{id}/replay":        ManageWebhooks,
	"GET /api/v1/webhook_endpoints/{id}/deliveries":     ManageWebhooks,
}
