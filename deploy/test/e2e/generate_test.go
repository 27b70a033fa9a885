package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// operation is one method of one path of the API documents.
type operation struct {
	method, path string
	*openapi3.Operation
	parameters openapi3.Parameters
}

// operations returns every operation of the documents, in a fixed order.
func operations(documents []*openapi3.T) (all []operation) {
	for _, doc := range documents {
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				all = append(all, operation{method, path, op, slices.Concat(item.Parameters, op.Parameters)})
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

// pool holds identifiers from responses, by their prefix, so that generated requests refer to existing resources.
type pool struct {
	mu  sync.Mutex
	ids map[string][]string
}

var identifier = regexp.MustCompile(`\b(ship|doc|evt|we|tok)_[0-9A-Za-z]{12,26}\b`)

func (p *pool) harvest(body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range identifier.FindAllString(string(body[:min(len(body), 1<<16)]), 50) {
		prefix, _, _ := strings.Cut(id, "_")
		p.ids[prefix] = append(p.ids[prefix], id)
		if n := len(p.ids[prefix]); n > 200 {
			p.ids[prefix] = slices.Clone(p.ids[prefix][n-100:])
		}
	}
}

// fill replaces the identifiers in text by existing ones.
func (p *pool) fill(rng *rand.Rand, text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return identifier.ReplaceAllStringFunc(text, func(id string) string {
		prefix, _, _ := strings.Cut(id, "_")
		if ids := p.ids[prefix]; len(ids) > 0 {
			return pick(rng, ids)
		}
		return id
	})
}

// generate returns the example request of an operation for existing resources, with some of its optional parameters.
func (p *pool) generate(rng *rand.Rand, op operation) *request {
	r := &request{method: op.method, target: op.path}
	query := url.Values{}
	for _, ref := range op.parameters {
		param := ref.Value
		text := fmt.Sprint(exampleOf(param.Example, param.Examples, param.Schema))
		switch {
		case param.In == openapi3.ParameterInPath:
			r.target = strings.ReplaceAll(r.target, "{"+param.Name+"}", url.PathEscape(p.fill(rng, text)))
		case text == "<nil>" || !param.Required && rng.IntN(3) > 0:
		case param.In == openapi3.ParameterInQuery:
			query.Set(param.Name, p.fill(rng, text))
		case param.Name == "Idempotency-Key":
			r.set(param.Name, fmt.Sprintf("key-%d", rng.IntN(50)))
		case param.Name == "Prefer":
			r.set(param.Name, "wait=1")
		case param.In == openapi3.ParameterInHeader:
			r.set(param.Name, text)
		}
	}
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	if op.RequestBody == nil {
		return r
	}
	content := op.RequestBody.Value.Content["application/json"]
	if body := exampleOf(content.Example, content.Examples, content.Schema); body != nil {
		r.set("Content-Type", "application/json")
		r.body, _ = json.Marshal(body) // it was decoded from JSON
	}
	return r
}

// exampleOf returns an example in any of the places where OpenAPI has them.
func exampleOf(one any, more openapi3.Examples, schema *openapi3.SchemaRef) any {
	if one != nil {
		return one
	}
	for _, e := range more {
		return e.Value.Value
	}
	if schema != nil && schema.Value != nil {
		return schema.Value.Example
	}
	return nil
}
