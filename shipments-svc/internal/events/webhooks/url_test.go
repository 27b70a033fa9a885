package webhooks

import (
	"strings"
	"testing"
)

// TestOnlyPublicHTTPSIsValid: unusual spellings of addresses are refused before the
// lookup; the addresses of names are checked at delivery.
func TestOnlyPublicHTTPSIsValid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com":                        "",
		"https://example.com/":                       "",
		"https://hooks.example.com:443/a/b?c=d%20e":  "",
		"https://hooks.example.com:8443/":            "",
		"https://EXAMPLE.com/":                       "",
		"https://xn--bcher-kva.example/":             "",
		"https://a_b.example.com/":                   "",
		"":                                           "required",
		"example.com/hooks":                          "absolute",
		"//example.com/hooks":                        "https://",
		"https:example.com":                          "absolute",
		"https:///hooks":                             "absolute",
		"http://example.com/":                        "https://",
		"ftp://example.com/":                         "https://",
		"HTTP://127.0.0.1/":                          "https://",
		"https://user@example.com/":                  "user",
		"https://:@example.com/":                     "user",
		"https://example.com/#x":                     "fragment",
		"https://example.com/#":                      "fragment",
		"https://example.com:80/":                    "port",
		"https://example.com:22/":                    "port",
		"https://example.com:65536/":                 "port",
		"https://example.com:/":                      "port",
		"https://example.com:0x1bb/":                 "absolute",
		"https://bücher.example/":                    "ASCII",
		"https://example.com/ x":                     "ASCII",
		"https://example.com/\x00":                   "ASCII",
		"https://" + strings.Repeat("a", MaxURL):     "at most",
		"https://" + strings.Repeat("a.", 130) + "b": "DNS name",
		"https://" + strings.Repeat("a", 64) + ".b/": "DNS name",
		"https://localhost/":                         "DNS name",
		"https://localhost./":                        "DNS name",
		"https://metadata/":                          "DNS name",
		"https://example.com./":                      "DNS name",
		"https://-a.example.com/":                    "DNS name",
		"https://127.0.0.1/":                         "DNS name",
		"https://127.1/":                             "DNS name",
		"https://2130706433/":                        "DNS name",
		"https://0x7f000001/":                        "DNS name",
		"https://0x7f.0.0.0x1/":                      "DNS name",
		"https://0177.0.0.01/":                       "DNS name",
		"https://127.0.0.1./":                        "DNS name",
		"https://example.0/":                         "DNS name",
		"https://[::1]/":                             "DNS name",
		"https://[::ffff:127.0.0.1]/":                "DNS name",
		"https://[fd00::1%25eth0]/":                  "DNS name",
		"https://169.254.169.254/latest/meta-data/":  "DNS name",
		"https://%31%32%37.0.0.1/":                   "absolute",
		"https://example.com%2f@127.0.0.1/":          "user",
		`https://example.com\@127.0.0.1/`:            "absolute",
		"https://①②⑦.⓪.⓪.①/":                         "ASCII",
	} {
		got := urlFault(text, false)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLoopbackURLs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"http://127.0.0.1:9000/x", "http://localhost:80/", "https://[::1]:1/",
		"http://127.8.9.1",
	} {
		if got := urlFault(text, true); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{
		"http://example.com/", "http://10.0.0.1/", "https://192.168.1.1/",
		"http://127.0.0.1/#x", "http://u@127.0.0.1/",
	} {
		if urlFault(text, true) == "" {
			t.Errorf("%s is allowed", text)
		}
	}
}

// FuzzURL: valid URLs are https and have a host that is not a number in any spelling.
func FuzzURL(f *testing.F) {
	f.Add("https://example.com:8443/a?b=c")
	f.Add("https://0x7f.1/")
	f.Fuzz(func(t *testing.T, text string) {
		if urlFault(text, false) != "" {
			return
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(text), "https://"), "/")
		host, _, _ = strings.Cut(host, "?")
		host, _, _ = strings.Cut(host, ":")
		last := host[strings.LastIndex(host, ".")+1:]
		if !strings.Contains(host, ".") || last == "" || last[0] < 'a' || last[0] > 'z' ||
			strings.ContainsAny(host, "@[]%\\# ") {
			t.Errorf("%q is allowed", text)
		}
	})
}
