package transport

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	openapi "github.com/quayside/quayside/shipments-svc/api"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// views are the bodies of successful responses by operation and status.
var views = map[string]any{
	"listShipments 200":         listView{},
	"createShipment 201":        under("shipment", createdView{}),
	"getShipment 200":           under("shipment", detailView{}),
	"updateShipment 200":        under("shipment", itemView{}),
	"approveShipment 200":       under("shipment", itemView{}),
	"rejectShipment 200":        under("shipment", itemView{}),
	"listPallets 200":           palletsView{},
	"getShipmentHistory 200":    historyView{},
	"attachDocument 200":        previewView{},
	"attachDocument 201":        attachedView{},
	"listDocuments 200":         under("documents", []documentView{}),
	"getDocument 200":           under("document", readDocumentView{}),
	"updateDocument 200":        under("document", readDocumentView{}),
	"showPage 200":              under("table", shipments.ShownTable{}),
	"reprocessDocument 202":     under("document", readDocumentView{}),
	"correctMapping 202":        under("document", readDocumentView{}),
	"listMappingTemplates 200":  under("mapping_templates", []templateView{}),
	"getMappingTemplate 200":    under("mapping_template", templateView{}),
	"updateMappingTemplate 200": under("mapping_template", templateView{}),
	"listEvents 200":            eventsView{},
	"listWebhookEndpoints 200":  under("webhook_endpoints", []endpointView{}),
	"createWebhookEndpoint 201": under(endpointMember, endpointWithSecretView{}),
	"getWebhookEndpoint 200":    under(endpointMember, endpointView{}),
	"updateWebhookEndpoint 200": under(endpointMember, endpointView{}),
	"rotateWebhookSecret 200":   under(endpointMember, endpointWithSecretView{}),
	"testWebhookEndpoint 202":   under("delivery", deliveryView{}),
	"replayWebhooks 202":        under("replay", webhooks.Replayed{}),
	"listDeliveries 200":        deliveriesView{},
}

// under returns the only member of a body, as shown encodes it.
func under[View any](name string, view View) any { return map[string]View{name: view} }

// TestResponsesHaveTheDescribedMembers compares the members that views encode
// with the properties in openapi.yaml, and whether they can be missing.
func TestResponsesHaveTheDescribedMembers(t *testing.T) {
	t.Parallel()
	unseen := map[string]bool{}
	for operation := range views {
		unseen[operation] = true
	}
	for _, item := range described(t).Paths.Map() {
		for _, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				media := response.Value.Content["application/json"]
				if media == nil || !strings.HasPrefix(status, "2") || op.OperationID == "getDescription" {
					continue
				}
				operation := op.OperationID + " " + status
				delete(unseen, operation)
				if view, ok := views[operation]; ok {
					compareBody(t, operation, view, media.Schema.Value)
				} else {
					t.Errorf("%s: views lacks it", operation)
				}
			}
		}
	}
	for operation := range unseen {
		t.Errorf("%s: openapi.yaml lacks it", operation)
	}
}

// TestWebhooksHaveTheDescribedMembers: those of events and of tests.
func TestWebhooksHaveTheDescribedMembers(t *testing.T) {
	t.Parallel()
	bodies := described(t).Webhooks["event"].Post.RequestBody.Value.Content["application/json"].Schema.Value.OneOf
	compare(t, "event", reflect.TypeFor[eventView](), bodies[0].Value)
	compare(t, "test", reflect.TypeFor[testView](), bodies[1].Value)
}

// TestProblemsHaveTheDescribedMembers, those of single errors included.
func TestProblemsHaveTheDescribedMembers(t *testing.T) {
	t.Parallel()
	schema := described(t).Components.Schemas["Problem"].Value
	members := members(reflect.TypeFor[problem.Problem]())
	for _, err := range []error{
		&shipments.TransitionError{}, &shipments.DuplicateError{}, &shipments.ExpiredError{},
		&shipments.ChecksFailingError{},
	} {
		for name := range Problem(err).Extra {
			members[name] = member{optional: true}
		}
	}
	properties, _ := propertiesOf(schema)
	sameNames(t, "problem", members, properties)
	fields, _ := propertiesOf(properties["errors"].Items.Value)
	sameNames(t, "problem.errors", membersOf(problem.Field{}), fields)
}

// TestEnumsAreTheDomains: each enum of openapi.yaml that names something of the
// domain lists it in full.
func TestEnumsAreTheDomains(t *testing.T) {
	t.Parallel()
	schemas := described(t).Components.Schemas
	history, _ := propertiesOf(schemas["History"].Value)
	entry, _ := propertiesOf(history["history"].Items.Value)
	change, _ := propertiesOf(entry["changes"].Items.Value)
	var texts []string
	for _, text := range shipments.TextFields {
		texts = append(texts, text.Name)
	}
	for name, c := range map[string]struct {
		schema *openapi3.Schema
		want   []string
	}{
		"Status":         {schemas["Status"].Value, names(shipments.Statuses)},
		"CheckResult":    {schemas["CheckResult"].Value, names(shipments.Results)},
		"Action":         {schemas["Action"].Value, names(shipments.Actions)},
		"KnownEventType": {schemas["KnownEventType"].Value, names(shipments.EventTypes)},
		"DocumentType":   {schemas["DocumentType"].Value, names(shipments.DocumentTypes)},
		"DocumentStatus": {schemas["DocumentStatus"].Value, names(shipments.DocumentStatuses)},
		"changes":        {change["field"], append(texts, "type", "filename")},
	} {
		var got []string
		for _, value := range c.schema.Enum {
			got = append(got, value.(string))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s is described as %v, want %v", name, got, c.want)
		}
	}
}

// TestTextsHaveTheDescribedBounds, in requests, responses and parameters.
func TestTextsHaveTheDescribedBounds(t *testing.T) {
	t.Parallel()
	doc := described(t)
	for _, text := range shipments.TextFields {
		for _, name := range []string{"Shipment", "CreateShipment", "UpdateShipment"} {
			properties, required := propertiesOf(doc.Components.Schemas[name].Value)
			if name != "Shipment" {
				properties, required = propertiesOf(properties["shipment"])
			}
			schema := properties[text.Name]
			if schema == nil || schema.MaxLength == nil || int(*schema.MaxLength) != text.Max {
				t.Errorf("%s.%s must have at most %d characters", name, text.Name, text.Max)
			}
			if want := name != "UpdateShipment" && !text.Optional; slices.Contains(required, text.Name) != want {
				t.Errorf("%s.%s: required must be %t", name, text.Name, want)
			}
		}
		parameter := doc.Paths.Value("/api/v1/shipments").Get.Parameters.GetByInAndName("query", text.Name)
		if accepted := text.Filter != shipments.Unfiltered; accepted != (parameter != nil) {
			t.Errorf("the parameter %s of lists: described %t, accepted %t", text.Name, parameter != nil, accepted)
		}
	}
}

// compareBody compares a struct, or the only member of a map.
func compareBody(t *testing.T, operation string, view any, schema *openapi3.Schema) {
	t.Helper()
	body := reflect.ValueOf(view)
	if body.Kind() != reflect.Map {
		compare(t, operation, body.Type(), schema)
		return
	}
	properties, required := propertiesOf(schema)
	for _, name := range body.MapKeys() {
		if len(properties) != 1 || !slices.Equal(required, []string{name.String()}) {
			t.Errorf("%s: %s is encoded, %v described, %v required", operation, name, properties, required)
			continue
		}
		compare(t, operation+"."+name.String(), body.Type().Elem(), properties[name.String()])
	}
}

// compare reports every member that a type encodes and its schema lacks, or that
// the schema has and the type does not encode.
func compare(t *testing.T, at string, of reflect.Type, schema *openapi3.Schema) {
	t.Helper()
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() { //nolint:exhaustive // the others have no members
	case reflect.Slice:
		if schema.Items == nil {
			t.Errorf("%s is encoded as an array", at)
			return
		}
		compare(t, at+"[]", of.Elem(), schema.Items.Value)
	case reflect.Struct:
		properties, required := propertiesOf(schema)
		encoded := members(of)
		sameNames(t, at, encoded, properties)
		for name, m := range encoded {
			if m.optional == slices.Contains(required, name) {
				t.Errorf("%s.%s: required is %t, and it is omitted where it is empty: %t", at, name, !m.optional, m.optional)
			}
			if property := properties[name]; property != nil {
				compare(t, at+"."+name, m.of, property)
			}
		}
	}
}

func sameNames(t *testing.T, at string, encoded map[string]member, properties map[string]*openapi3.Schema) {
	t.Helper()
	for name := range encoded {
		if properties[name] == nil {
			t.Errorf("%s.%s is encoded and not described", at, name)
		}
	}
	for name := range properties {
		if _, ok := encoded[name]; !ok {
			t.Errorf("%s.%s is described and not encoded", at, name)
		}
	}
}

// member is how a struct encodes a member.
type member struct {
	of       reflect.Type
	optional bool
}

func membersOf(value any) map[string]member { return members(reflect.TypeOf(value)) }

// members returns those of a struct as encoding/json names them: of members with
// one name, the one of the outer struct.
func members(of reflect.Type) map[string]member {
	all := map[string]member{}
	for _, field := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if _, ok := all[name]; !ok || len(field.Index) == 1 {
			all[name] = member{field.Type, strings.Contains(options, "omit")}
		}
	}
	return all
}

// propertiesOf returns the properties of a schema and the required ones, those of
// allOf included.
func propertiesOf(schema *openapi3.Schema) (map[string]*openapi3.Schema, []string) {
	all, required := map[string]*openapi3.Schema{}, slices.Clone(schema.Required)
	for name, property := range schema.Properties {
		all[name] = property.Value
	}
	for _, part := range schema.AllOf {
		properties, more := propertiesOf(part.Value)
		maps.Copy(all, properties)
		required = append(required, more...)
	}
	return all, required
}

func described(t *testing.T) *openapi3.T {
	t.Helper()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func names[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}
