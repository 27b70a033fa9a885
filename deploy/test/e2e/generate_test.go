package e2e

import (
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
		paths := doc.Paths.InMatchingOrder()
		slices.Sort(paths)
		for _, path := range paths {
			item := doc.Paths.Value(path)
			byMethod := item.Operations()
			methods := make([]string, 0, len(byMethod))
			for method := range byMethod {
				methods = append(methods, method)
			}
			slices.Sort(methods)
			for _, method := range methods {
				op := byMethod[method]
				all = append(all, operation{method, path, op, append(item.Parameters, op.Parameters...)})
			}
		}
	}
	return all
}

// pool holds identifiers from responses, by their prefix, so that
// generated requests refer to existing resources.
type pool struct {
	mu  sync.Mutex
	ids map[string][]string
}

var identifier = regexp.MustCompile(`"((ship|doc|evt|we|tok)_[0-9A-Za-z]{12,26})"`)

func (p *pool) harvest(body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range identifier.FindAllSubmatch(body[:min(len(body), 1<<16)], 50) {
		prefix := string(m[2])
		p.ids[prefix] = append(p.ids[prefix], string(m[1]))
		if n := len(p.ids[prefix]); n > 200 {
			p.ids[prefix] = slices.Clone(p.ids[prefix][n-100:])
		}
	}
}

func (p *pool) pick(rng *rand.Rand, prefix string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ids := p.ids[prefix]; len(ids) > 0 {
		return ids[rng.IntN(len(ids))]
	}
	return prefix + "_00000000000000000000000000"
}

// generate returns a request for op that the documents allow: each parameter
// that is required, some of the others, and a body.
func (p *pool) generate(rng *rand.Rand, op operation) (*request, any) {
	r := &request{method: op.method, target: op.path}
	query := url.Values{}
	for _, ref := range op.parameters {
		param := ref.Value
		switch {
		case param.In == openapi3.ParameterInPath:
			r.target = strings.Replace(r.target, "{"+param.Name+"}", url.PathEscape(p.pathValue(rng, op, param.Name)), 1)
		case !param.Required && rng.IntN(3) > 0:
		case param.In == openapi3.ParameterInQuery:
			query.Set(param.Name, p.queryValue(rng, param))
		case param.In == openapi3.ParameterInHeader:
			r.set(param.Name, headerValue(rng, param.Name))
		}
	}
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	if op.RequestBody == nil || !op.RequestBody.Value.Required && rng.IntN(2) == 0 {
		return r, nil
	}
	content := op.RequestBody.Value.Content
	if content["multipart/form-data"] != nil && rng.IntN(3) == 0 {
		r.form(rng)
		return r, nil
	}
	body := value(rng, content["application/json"].Schema.Value, 0)
	r.set("Content-Type", "application/json")
	r.body = encode(body)
	return r, body
}

func (p *pool) pathValue(rng *rand.Rand, op operation, name string) string {
	switch {
	case name == "document":
		return p.pick(rng, "doc")
	case name == "code":
		return []string{"not_found", "rate_limited", "unknown"}[rng.IntN(3)]
	case strings.Contains(op.path, "/tokens"):
		return p.pick(rng, "tok")
	case strings.Contains(op.path, "/webhook_endpoints"):
		return p.pick(rng, "we")
	default:
		return p.pick(rng, "ship")
	}
}

func (p *pool) queryValue(rng *rand.Rand, param *openapi3.Parameter) string {
	if param.Name == "before" {
		return p.pick(rng, "evt")
	}
	return fmt.Sprint(value(rng, param.Schema.Value, 0))
}

// headerValue returns a valid value of a request header.
func headerValue(rng *rand.Rand, name string) string {
	choices := map[string][]string{
		"If-Match":        {"*", `"1.1"`, `"2.1"`, `W/"1.1"`, `"1.1", "2.1"`, `"1.1-gzip"`},
		"If-None-Match":   {"*", `"1.1"`, `"2.1"`, `W/"2.1"`, `"1.1", "2.1"`},
		"Prefer":          {"wait=0", "wait=1", "return=minimal", "wait=1, respond-async"},
		"Range":           {"bytes=0-", "bytes=0-9", "bytes=-5", "bytes=5-2", "bytes=99999999-", "bytes=0-1,3-4"},
		"Idempotency-Key": {"", "", ""},
	}[name]
	if len(choices) == 0 || choices[0] == "" {
		return fmt.Sprintf("key-%d", rng.IntN(50))
	}
	return choices[rng.IntN(len(choices))]
}

// form gives the request a multipart/form-data body with a file.
func (r *request) form(rng *rand.Rand) {
	const boundary = "quayside-boundary"
	r.set("Content-Type", "multipart/form-data; boundary="+boundary)
	kinds := []string{"packing_list", "commercial_invoice", "other"}
	part := func(disposition, content string) string {
		return "--" + boundary + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	r.body = []byte(part(`name="type"`, kinds[rng.IntN(len(kinds))]) +
		part(`name="file"; filename="list.csv"`, packingList(rng)) + "--" + boundary + "--\r\n")
}
