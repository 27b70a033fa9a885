package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mutation makes a request invalid or unusual in one way.
type mutation func(*rand.Rand, *request)

// mutate applies one mutation to a request, and to one in eight a second.
func mutate(rng *rand.Rand, r *request) {
	for range 1 + rng.IntN(8)/7 {
		switch n := rng.IntN(10); {
		case n < 4:
			mutateJSON(rng, r)
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

// wrongValues are texts that few schemas allow in the place of a value or of a member's name, or that are no JSON.
var wrongValues = []string{
	"null", "true", `""`, `" "`, "0", "-1", "0.1", "1e15", "9007199254740992", "[]", "{}", "[[]]",
	"1e400", "-0", "01", "1.", "NaN", strings.Repeat("9", 400), `"\u0000"`, `"\ud800"`, `"\u202Eabc"`, "\"\xff\xfe\"",
	`"\x41"`, "\"line\nbreak\"", `"unclosed`, `"` + strings.Repeat("é", 201) + `"`, `"` + strings.Repeat("x", 5000) + `"`,
	`"../../etc/passwd"`, `"2026-13-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999999Z"`, `"' OR 1=1 --"`, `"__proto__"`,
	`"<script>alert(1)</script>"`, `"http://169.254.169.254/"`, `"0.0.0.0/0"`, `"300.1.1.1"`, strings.Repeat("[", 20000),
	strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "[" + strings.Repeat("0,", 100000) + "0]",
}

var scalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null`)

// mutateJSON replaces one value, or the name of a member, or repeats it.
func mutateJSON(rng *rand.Rand, r *request) {
	places := scalar.FindAllIndex(r.body, -1)
	if len(places) == 0 {
		return
	}
	at := pick(rng, places)
	wrong := pick(rng, wrongValues)
	if rng.IntN(10) == 0 {
		wrong = string(r.body[at[0]:at[1]]) + ":1," + string(r.body[at[0]:at[1]])
	}
	r.body = slices.Concat(r.body[:at[0]], []byte(wrong), r.body[at[1]:])
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
		"created_after=now", "created_after=2026-11-20T14:03:52%2B02:00", "created_before=0001-01-01T00:00:00Z"),
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
