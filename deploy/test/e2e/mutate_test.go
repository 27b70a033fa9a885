package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A mutation makes a request invalid or unusual in one way.
type mutation func(*rand.Rand, *request)

// mutate applies one mutation to a request with this JSON body, and to one in eight a second.
func mutate(rng *rand.Rand, r *request, body any) {
	for range 1 + rng.IntN(8)/7 {
		switch n := rng.IntN(10); {
		case n < 4 && body != nil:
			r.body = mutateJSON(rng, body)
		case n < 5 && len(r.body) > 0:
			pick(rng, bodyMutations)(rng, r)
		case n < 7:
			pick(rng, targetMutations)(rng, r)
		case n < 9:
			pick(rng, headerMutations)(rng, r)
		default:
			r.method = pick(rng, []string{
				"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get",
				"PROPFIND", "X", strings.Repeat("M", 40),
			})
		}
	}
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// wrongValues are JSON values that few schemas allow.
var wrongValues = []any{
	nil, true, "", " ", "\t", 0, -1, 0.1, 1e15, int64(1) << 53, "null", "true",
	[]any{},
	object{},
	[]any{[]any{}},
	literal("1e400"), literal("-0"), literal("1E5"), literal("01"), literal("1."), literal("+1"), literal(".5"),
	literal("NaN"),
	literal(strings.Repeat("9", 400)), literal("0." + strings.Repeat("0", 400) + "1"), literal("12345678901234567890"),
	literal(`"\u0000"`), literal(`"a\u0000b"`), literal(`"\ud800"`), literal(`"\udc00\ud800"`), literal(`"\u202Eabc"`),
	literal("\"\u2066abc\""),
	literal("\"\xff\xfe\""), literal("\"\xc0\xaf\""), literal("\"\xed\xa0\x80\""), literal(`"\x41"`),
	literal("\"line\nbreak\""), literal(`"unclosed`),
	strings.Repeat("x", 101), strings.Repeat("é", 201), strings.Repeat("x", 5000), strings.Repeat("🍊",
		1001), "\u200b", "e\u0301", "\u0085", "\u2028", "../../etc/passwd",
	"2026-13-01T00:00:00Z", "2026-11-20T14:03:52", "2026-11-20", "0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
	"2026-11-20T14:03:52+25:00", "2016-12-31T23:59:60Z",
	"' OR 1=1 --", "<script>alert(1)</script>", "%s%n", "${jndi:ldap://x}", "http://169.254.169.254/", "0.0.0.0/0", "::/0",
	"300.1.1.1", "1.2.3.4/33",
	literal(strings.Repeat("[", 50) +
		strings.Repeat("]", 50)), literal(strings.Repeat("[", 20000)), literal(strings.Repeat(`{"a":`, 5000) + "1" +
		strings.Repeat("}", 5000)),
	literal("[" + strings.Repeat("{},", 20000) + "{}]"), literal("[" + strings.Repeat("0,", 100000) + "0]"),
}

// mutateJSON returns the text of body with one thing changed.
func mutateJSON(rng *rand.Rand, body any) []byte {
	body = copyOf(body)
	changers := objects(body, func(o object) { body = o })
	if len(changers) > 0 && rng.IntN(3) == 0 {
		pick(rng, changers)(func(o object) object { return mutateObject(rng, o) })
		return encode(body)
	}
	pick(rng, slots(body, func(v any) { body = v }))(pick(rng, wrongValues))
	return encode(body)
}

func mutateObject(rng *rand.Rand, o object) object {
	name := pick(rng, []string{
		"x", "id", "status", "organization_id", "__proto__", "", "Reference", "reference ",
		"\u0000", "created_at", strings.Repeat("k", 3000),
	})
	if len(o) == 0 {
		return object{{name, 1}}
	}
	i := rng.IntN(len(o))
	switch rng.IntN(4) {
	case 0:
		return slices.Delete(slices.Clone(o), i, i+1)
	case 1:
		return append(slices.Clone(o), member{name, pick(rng, wrongValues)})
	case 2:
		return append(slices.Clone(o), o[i]) // a name twice
	default:
		o = slices.Clone(o)
		o[i].name = strings.ToUpper(o[i].name)
		return o
	}
}

func copyOf(v any) any {
	switch v := v.(type) {
	case object:
		c := slices.Clone(v)
		for i := range c {
			c[i].value = copyOf(c[i].value)
		}
		return c
	case []any:
		c := slices.Clone(v)
		for i := range c {
			c[i] = copyOf(c[i])
		}
		return c
	default:
		return v
	}
}

var bodyMutations = []mutation{
	func(rng *rand.Rand, r *request) { r.body = r.body[:rng.IntN(len(r.body))] },
	func(_ *rand.Rand, r *request) { r.body = append(r.body, '}') },
	func(_ *rand.Rand, r *request) { r.body = append(r.body, r.body...) },
	func(_ *rand.Rand, r *request) { r.body = append([]byte("\xef\xbb\xbf"), r.body...) },
	func(_ *rand.Rand, r *request) { r.body = append([]byte{0xff, 0xfe}, r.body...) },
	func(_ *rand.Rand, r *request) { r.body = bytes.Repeat([]byte(" "), 1<<20) },
	func(_ *rand.Rand, r *request) { r.body = append(r.body, bytes.Repeat([]byte("\n"), 2<<20)...) },
	func(rng *rand.Rand, r *request) { r.body[rng.IntN(len(r.body))] ^= byte(1 << rng.IntN(8)) },
	func(_ *rand.Rand, r *request) { r.body = bytes.ReplaceAll(r.body, []byte("}"), []byte(",}")) },
	func(_ *rand.Rand, r *request) { r.body = []byte("null") },
	func(_ *rand.Rand, r *request) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(r.body)
		_ = w.Close()
		r.body = b.Bytes()
		r.set("Content-Encoding", "gzip")
	},
}

var targetMutations = []mutation{
	replaceInPath(func(rng *rand.Rand, path string) string { // one character percent-encoded
		i := 1 + rng.IntN(len(path)-1)
		return path[:i] + fmt.Sprintf("%%%02x", path[i]) + path[i+1:]
	}),
	replaceInPath(func(rng *rand.Rand, path string) string {
		i := 1 + rng.IntN(len(path)-1)
		return path[:i] + pick(rng, []string{
			"%ff", "%00", "%2f", "%2e%2e/", "%25", "%zz", "%", "//", "/./", "/../", ";a=b",
			"%c0%af", "\\", "é", "%0d%0aX:y", "*", "+", "|", "\"", "<",
		}) + path[i:]
	}),
	replaceInPath(func(_ *rand.Rand, path string) string { return path + "/" }),
	replaceInPath(func(_ *rand.Rand, path string) string { return strings.ToUpper(path) }),
	replaceInPath(func(_ *rand.Rand, path string) string { return "/" + path }),
	replaceInPath(func(_ *rand.Rand, path string) string { return stack.URL + path }),
	replaceInPath(func(rng *rand.Rand, path string) string { return path + strings.Repeat("a", 1<<rng.IntN(14)) }),
	replaceInPath(func(rng *rand.Rand, path string) string {
		segments := strings.Split(path, "/")
		segments[1+rng.IntN(len(segments)-1)] = pick(rng,
			[]string{
				"", ".", "..", "%ff", "ship_", "tok_%ff", "0", "undefined", "null", "%20", strings.Repeat("0", 26),
				"ship_zzzzzzzzzzzzzzzzzzzzzzzzzz", "'",
			})
		return strings.Join(segments, "/")
	}),
	addToQuery("page=0", "page=-1", "page=1.5", "page=abc", "page=99999999999999999999", "page=9223372036854775807",
		"page=", "page=%00", "page=+1", "page=1e3", "page=%D9%A1", "page=0x10"),
	addToQuery("per_page=0", "per_page=101", "per_page=9223372036854775807", "per_page=", "per_page=-5",
		"per_page=1&per_page=2"),
	addToQuery("status=unknown", "status=", "status=PENDING", "status=pending&status=approved", "status=%ff",
		"status[]=pending"),
	addToQuery("limit=0", "limit=1000000", "after=-1", "after=9223372036854775808", "after=abc", "before=evt_x",
		"before=%ff"),
	addToQuery("reference=%00", "reference=%ff", "reference=%E2%80%AE", "reference="+strings.Repeat("x", 101),
		"created_after=now", "created_after=2026-11-20T14:03:52%2B02:00", "created_before=0001-01-01T00:00:00Z",
		"created_after=9999-12-31T23:59:60Z"),
	addToQuery("unknown=1", "=", "&&&", "%", "%zz=1", "a;b", "shpt_live_x=1", "page", strings.Repeat("q", 9000),
		strings.Repeat("a=b&", 3000)),
}

func replaceInPath(change func(*rand.Rand, string) string) mutation {
	return func(rng *rand.Rand, r *request) {
		path, query, found := strings.Cut(r.target, "?")
		r.target = change(rng, path)
		if found {
			r.target += "?" + query
		}
	}
}

func addToQuery(pieces ...string) mutation {
	return func(rng *rand.Rand, r *request) {
		separator := "?"
		if strings.Contains(r.target, "?") {
			separator = "&"
		}
		r.target += separator + pick(rng, pieces)
	}
}

var headerMutations = []mutation{
	setHeader("Content-Type", "", "text/plain", "application/xml", "application/json; charset=latin1", "application/json;",
		"application/merge-patch+json", "multipart/form-data", "multipart/form-data; boundary=",
		"multipart/form-data; boundary=x", "a/b/c", strings.Repeat("x", 4000)),
	setHeader("Accept", "", "text/html", "application/xml", "*/*;q=0", "text/html,application/xhtml+xml",
		strings.Repeat("a/b,", 1000)),
	setHeader("Accept-Encoding", "gzip", "zstd", "br", "gzip;q=0", "identity;q=0", "*"),
	setHeader("If-Match", "", "x", `"`, "*, *", `"1.1`, strings.Repeat(`"a",`, 500), "\xff"),
	setHeader("If-None-Match", "", "x", `"`, "*, *", `W/`, strings.Repeat(`"a",`, 500)),
	setHeader("If-Modified-Since", "Fri, 20 Nov 2099 00:00:00 GMT", "never", "0"),
	setHeader("Range", "bytes=", "bytes=a-b", "bytes=-0", "bytes=0-,0-,0-,0-", "lines=1-2", "bytes=18446744073709551616-"),
	setHeader("Idempotency-Key", "", " ", "é", strings.Repeat("k", 255), strings.Repeat("k", 256), "a\tb", "\"quoted\"",
		"key-1, key-2"),
	setHeader("Prefer", "", "wait", "wait=-1", "wait=x", "wait=1.5", "wait=99999999999999999999", ";;;", "wait=0;a=\"b",
		"respond-async"),
	setHeader("Expect", "100-continue", "200-ok", ""),
	setHeader("Authorization", "", "Bearer", "Bearer ", "bearer x", "Basic dXNlcjpwYXNz",
		"Bearer shpt_live_000000000001_0000000000000000000000000000000027i4HK", "Bearer \xff", "Bearer a b",
		strings.Repeat("x", 600)),
	setHeader("X-Organization-ID", "org_00000000000000000000000000"),
	setHeader("X-Gateway-Assertion", "a.b.c"),
	setHeader("X-Forwarded-For", "203.0.113.9", "' OR 1=1", strings.Repeat("1.1.1.1, ", 500)),
	setHeader("X-HTTP-Method-Override", "DELETE"),
	setHeader("Content-Encoding", "gzip", "br", "identity", "unknown"),
	setHeader("Origin", "https://attacker.example", "null"),
	setHeader("Connection", "close", "X-Organization-ID", "upgrade"),
	setHeader("Upgrade", "websocket", "h2c"),
	setHeader("Cookie", "a=b", strings.Repeat("c=d; ", 1000)),
	setHeader("traceparent", "00-x-y-z", "00-00000000000000000000000000000000-0000000000000000-01"),
	setHeader("X-Large", strings.Repeat("x", 20000), strings.Repeat("x", 60000)),
	func(rng *rand.Rand, r *request) {
		for i := range 1 << rng.IntN(8) {
			r.header = append(r.header, field{"X-Many-" + strconv.Itoa(i), "v"})
		}
	},
}

// setHeader sets a header to one of some values, or removes it where that is empty.
func setHeader(name string, values ...string) mutation {
	return func(rng *rand.Rand, r *request) {
		r.remove(name)
		if v := pick(rng, values); v != "" {
			r.header = append(r.header, field{name, v})
		}
	}
}
