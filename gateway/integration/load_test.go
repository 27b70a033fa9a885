package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// validate reports what the program says of the shipped Caddyfile with these settings, and whether it accepts them.
func validate(t *testing.T, settings ...string) (output string, accepted bool) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "validate", "--config", "../Caddyfile", "--adapter", "caddyfile")
	process.Env = append([]string{
		becomeGateway + "=1", "HOME=" + t.TempDir(), "QUAYSIDE_DEMO=true", "GATEWAY_CREDENTIAL=demo-0123456789012345678901234567890",
	}, settings...)
	raw, err := process.CombinedOutput()
	return string(raw), err == nil
}

// A file of routes cannot reach beyond its routes: neither close the site behind the gate, nor add to it what is not
// behind the gate or changes the routes of others. The error names the file and the line.
func TestFilesThatAreMoreThanRoutesAreRefused(t *testing.T) {
	t.Parallel()

	const route = "@a path /api/v1/a\nhandle @a {\n\tservice a 127.0.0.1:1\n}\n"
	for text, want := range map[string]string{
		route + "}\n":                   ":5: this } closes nothing",
		"}\n" + route:                   ":1: this } closes nothing",
		route + "}\n{\n" + route:        ":5: this } closes nothing",
		route + "}\n(gate) {\n" + route: ":5: this } closes nothing",
		route + "}\nhttp://:8081 {\nrespond b\n}\nc {\n": ":5: this } closes nothing",
		"handle /api/v1/b {\n" + route:                   ":1: this { is not closed",
		"handle /api/v1/b {\nhandle {\n" + route + "}\n": ":1: this { is not closed",
		route + "http://:8081 {\nrespond b\n}\n":         ":5: http://:8081 is not one of",
		route + "{\nadmin :2019\n}\n":                    ":5",
		route + "(b) {\nrespond b\n}\n":                  ":5: (b) is not one of",
		route + "&(b) {\nrespond b\n}\n":                 ":5: &(b) is not one of",
		route + "import ../Caddyfile\n":                  ":5: import is not possible",
		"handle /api/v1/b {\nimport /etc/passwd\n}\n":    ":2: import is not possible",
		route + "rewrite /docs /api/v1/a\n":              ":5: rewrite is not one of",
		route + "request_header X-Organization-ID b\n":   ":5: request_header is not one of",
		route + "token_gate {\nmode shadow\n}\n":         ":5: token_gate is not one of",
		route + "handle_errors {\nrespond b\n}\n":        ":5: handle_errors is not one of",
		route + "bind 127.0.0.1\n":                       ":5: bind is not one of",
		route + "handle {\nrespond b\n}\n":               ":5: handle needs a path or a matcher",
		"handle /api/v1/b {\ntls internal\n}\n":          ":1: parsing caddyfile tokens for 'handle': directive 'tls'",
		"handle_public /s*-in {\nrespond b\n}\n":         ":1: parsing caddyfile tokens for 'handle_public': /s*-in: only the end",
		route + "redir /docs 302\n":                      ":5: redir is not one of",
		route + "uri strip_prefix /api\n":                ":5: uri is not one of",
		route + "limits cc {\nconcurrent 3\n}\n":         ":5: limits is not one of",
		route + "respond b\n":                            ":5: respond is not one of",
		route + "import gate\n":                          ":5: import is not possible",
		route + "handle /cold/*{\nrespond b\n}\n":        ":7: this } closes nothing",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "further.caddy")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(want, ":") {
			want = file + want
		}
		if output, accepted := validate(t, "SERVICE_ROUTES="+dir+"/*.caddy"); accepted || !strings.Contains(output, want) {
			t.Errorf("accepted: %t, want %q for\n%s\nin\n%s", accepted, want, text, output)
		}
	}
}

// A further service has paths of its own only, however it matches them. The error names the file and the line.
func TestRoutesForPathsOfOthersAreRefused(t *testing.T) {
	t.Parallel()

	const form, shipped, needsPath = "* is possible for a whole segment", "takes requests for the shipped path ", "the matcher needs path"
	shippedFile, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string // routes, fault
	for path, want := range map[string]string{
		"/sign-i?": form, "/[s]ettings": form, "/api/v1/tok?ns": form, "/api/v1/?okens": form, "/api/v1/toke[n]s": form,
		"/api/v1/to%6bens": form, "/api/v1//tokens": form, "/api/{http.request.uri.path.1}": form, "*tokens": form, "*tok*": form, "*": form,
		"/api/v1/t*kens": form, "/*s/v1/tokens": form, `/api/v1/\tokens`: form,
		"/api/*/token": shipped + "/api/v1/token", "/api/*/shipments": shipped + "/api/v1/shipments", "/api/*/tokens": shipped,
		"/*/v1/tokens": shipped, "/*/*": shipped, "/*/*/*": shipped, "/*/*/*/*/*": shipped, "/api/*": shipped, "/*": shipped, "/API/V1/T*": shipped,
		"/api/v1/shipments/*/d*": shipped, "/api/v1/shipments/*/*": shipped, "/api/v1/shipments/*/documents/new": shipped,
		"/api/v1/shipments/summary": shipped, "/api/v1/shipments/*/approve": shipped, "/api/v1/tokens/*/rotate": shipped, "/api/v1/token/new": shipped,
		"/api/v1/webhook_endpoints/*/test": shipped, "/api/v1/openapi/*": shipped, "/settings/further": shipped, "/sign-in*": shipped,
	} {
		cases = append(cases, [2]string{"@a path /further " + path + "\nhandle @a {", want})
		cases = append(cases, [2]string{"@a {\nmethod POST\npath " + path + "\n}\nhandle @a {", want})
		if path[0] == '/' {
			cases = append(cases, [2]string{"handle " + path + " {", want})
		}
	}
	for _, path := range []string{"/sign-i?", "/api/*/token", "/api/*/shipments", "/[s]ettings", "/api/v1/tok?ns", "/api/v1/shipments/*/further", "/settings/a"} {
		cases = append(cases, [2]string{"handle_public /further " + path + " {", path}, [2]string{"handle_pages " + path + " {", path})
	}
	for _, matcher := range []string{
		"method POST PUT PATCH DELETE", "header Prefer *", "path_regexp ^/api", "not path /a", "expression path('/further')",
		"vars a b", "query a=b", "remote_ip 127.0.0.1", "host api", "protocol http",
	} {
		cases = append(cases, [2]string{"@a " + matcher + "\nhandle @a {", needsPath})
	}
	for _, c := range cases {
		file := filepath.Join(t.TempDir(), "further.caddy")
		if err := os.WriteFile(file, []byte(c[0]+"\n\tservice further 127.0.0.1:1\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		line := 1 + strings.Count(c[0], "\n")
		output := adaptFile(t, "../Caddyfile", bytes.Replace(shippedFile, []byte("{$SERVICE_ROUTES}"), []byte(file), 1))
		if !strings.Contains(output, c[1]) || !strings.Contains(output, fmt.Sprintf("%s:%d:", file, line)) {
			t.Errorf("want %q at line %d for\n%s\nin\n%.300s", c[1], line, c[0], output)
		}
	}
}

func TestRoutesForFurtherPathsAreAccepted(t *testing.T) {
	t.Parallel()

	var text strings.Builder
	for i, path := range []string{
		"/api/v1/further", "/api/v1/further/*", "/api/v1/tokensfurther/*/x*", "/further/*/*", "/api/v1/shipments/*/temperature", "/api/v1/shipments/*/temperature/*",
	} {
		_, _ = fmt.Fprintf(&text, "@a%d {\npath %s\nmethod GET\n}\nhandle @a%[1]d {\nservice further 127.0.0.1:1\n}\n", i, path)
	}
	text.WriteString("handle_public /api/v1/openapi/further.json {\nrespond a\n}\nhandle_pages /pages/further* {\nrespond a\n}\n@shipments path /a\nhandle @shipments {\nrespond a\n}\n")
	file := filepath.Join(t.TempDir(), "further.caddy")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, accepted := validate(t, "SERVICE_ROUTES="+file); !accepted {
		t.Error(output)
	}
}

// Names of matchers belong to their file, so that services need not know each other's.
func TestFilesOfRoutesMayUseTheSameNames(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for _, service := range []string{"a", "b"} {
		text := "# of " + service + "\n@paths path /api/v1/" + service + "\nhandle @paths {\n\tservice " + service + " 127.0.0.1:1\n}\n"
		if err := os.WriteFile(filepath.Join(dir, service+".caddy"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, routes := range []string{dir + "/*.caddy", dir + "/a.caddy " + dir + "/b.caddy"} {
		if output, accepted := validate(t, "SERVICE_ROUTES="+routes); !accepted {
			t.Errorf("%s:\n%s", routes, output)
		}
	}
}

// Files of routes that cannot be read are reported with the setting.
func TestFilesOfRoutesThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()

	for setting, want := range map[string]string{
		"SERVICE_ROUTES=/nowhere/x.caddy": "there is no file /nowhere/x.caddy; check SERVICE_ROUTES",
		"SERVICE_ROUTES=/[":               "/[: syntax error in pattern; check SERVICE_ROUTES",
		"SERVICE_ROUTES=" + t.TempDir():   "is a directory",
	} {
		if output, accepted := validate(t, setting); accepted || !strings.Contains(output, want) {
			t.Errorf("%s: accepted: %t, want %q in\n%s", setting, accepted, want, output)
		}
	}
	for _, setting := range []string{"SERVICE_ROUTES=", "SERVICE_ROUTES=" + t.TempDir() + "/*.caddy"} {
		if output, accepted := validate(t, setting); !accepted {
			t.Errorf("%s:\n%s", setting, output)
		}
	}
}

// A wrong value of a setting is reported with the setting and its form, and not as a fault of the directive it is part of.
func TestWrongSettingsAreReportedWithTheirName(t *testing.T) {
	t.Parallel()

	for setting, want := range map[string]string{
		"GATEWAY_ADDRESS=18281":                      `GATEWAY_ADDRESS must have a port, such as :8080, and is "18281"`,
		"GATEWAY_ADDRESS=:9080":                      "GATEWAY_ADDRESS and GATEWAY_INNER_ADDRESS both have the port 9080",
		"GATEWAY_ADDRESS=:18281 http://:9080":        "both have the port 9080",
		"GATEWAY_ADDRESS=:09080":                     "both have the port 09080",
		"GATEWAY_ADDRESS=https://:18281":             "GATEWAY_ADDRESS is https://:18281, and GATEWAY_TLS=off needs http://",
		"GATEWAY_ADDRESS=127.0.0.1:18281":            "set GATEWAY_ADDRESS=:18281, and GATEWAY_BIND for the addresses to listen on",
		"GATEWAY_ADDRESS=api.example.com:18281":      "GATEWAY_ADDRESS is api.example.com:18281: requests to other hosts",
		"GATEWAY_ADDRESS=http://api.example:18281":   "requests to other hosts would not reach the gateway",
		"GATEWAY_ADDRESS=:18281 a.example:18281":     "requests to other hosts would not reach the gateway",
		"GATEWAY_BIND=127.0.0.1 }":                   "GATEWAY_BIND must not contain quotes, braces",
		"GATEWAY_BIND=eth0":                          "GATEWAY_BIND must be IP addresses of this machine",
		"GATEWAY_BIND=127.0.0.1:80":                  "GATEWAY_BIND must be IP addresses of this machine",
		"GATEWAY_BIND=127.0.0.1 [::1]:80":            "GATEWAY_BIND must be IP addresses of this machine",
		"GATEWAY_TLS=Auto":                           `GATEWAY_TLS must be off, on or auto, and is "Auto"`,
		"GATEWAY_TLS=on off":                         "GATEWAY_TLS must be off, on or auto",
		"DEBUG_ENDPOINTS=yes":                        "DEBUG_ENDPOINTS must be true or false",
		"QUAYSIDE_DEMO=yes":                          `QUAYSIDE_DEMO must be true or false, and is "yes"`,
		"TOKENS_INTERNAL_URL=http://127.0.0.1:99999": "TOKENS_INTERNAL_URL must be http://host:port",
		"TOKENS_INTERNAL_URL=http://127.0.0.1:":      "TOKENS_INTERNAL_URL must be http://host:port",
		"TRUSTED_PROXIES=10.0.0.0/8 }":               "TRUSTED_PROXIES must not contain quotes, braces",
		"CORS_ALLOWED_ORIGINS=https://*.example":     "CORS_ALLOWED_ORIGINS must be origins as browsers write them",
		"CORS_ALLOWED_ORIGINS=https://a.example:443": "CORS_ALLOWED_ORIGINS must be origins as browsers write them",
		"CORS_ALLOWED_ORIGINS=http://a.example:80":   "CORS_ALLOWED_ORIGINS must be origins as browsers write them",
		"CORS_ALLOWED_ORIGINS=https://App.example":   "CORS_ALLOWED_ORIGINS must be origins as browsers write them",
		"CORS_ALLOWED_ORIGINS=https://ä.example":     "CORS_ALLOWED_ORIGINS must be origins as browsers write them",
		"ACME_DIRECTORY=nonsense":                    "ACME_DIRECTORY must be a URL",
		"ACME_EMAIL=nonsense":                        "ACME_EMAIL must be an e-mail address",
		"GATEWAY_SHUTDOWN_DELAY=999999h":             "GATEWAY_SHUTDOWN_DELAY must be a duration with a unit, such as 10s, of at most 1h",
		"REDIS_URL=http://127.0.0.1":                 "REDIS_URL is not a redis://",
		"GATEWAY_INNER_ADDRESS=x":                    "GATEWAY_INNER_ADDRESS must be :port",
		"GATEWAY_INNER_ADDRESS=:8080":                "both have the port 8080",
		"GATEWAY_INNER_ADDRESS=:x":                   "GATEWAY_INNER_ADDRESS must be :port",
		"TOKENS_INTERNAL_URL=http://127.0.0.1:9082/": "TOKENS_INTERNAL_URL must be http://host:port",
		"TOKENS_INTERNAL_URL=127.0.0.1:9082":         "TOKENS_INTERNAL_URL must be http://host:port",
		"TOKENS_HOST=http://tokens":                  "TOKENS_HOST must be a name or an address",
		"TOKENS_HOST=::1":                            "an IPv6 address in brackets",
		"TOKENS_PORT=:8082":                          "TOKENS_PORT must be a port",
		"SHIPMENTS_PORT=65536":                       "SHIPMENTS_PORT must be a port",
		"TRUSTED_PROXIES=10.0.0.0/8,192.168.0.0/16":  "TRUSTED_PROXIES must be addresses or ranges, separated by spaces",
		"CORS_ALLOWED_ORIGINS=https://app.example/":  "CORS_ALLOWED_ORIGINS must be origins",
		"REDIS_URL=localhost:6379":                   "REDIS_URL is not a redis://",
		"REDIS_DOWN=no":                              "REDIS_DOWN must be local, deny or allow",
		"GATEWAY_REPLICAS=0":                         "GATEWAY_REPLICAS must be a whole number",
		"WINDOWS_MODE=off":                           "WINDOWS_MODE must be enforce or shadow",
		"GATEWAY_SHUTDOWN_DELAY=5":                   "GATEWAY_SHUTDOWN_DELAY must be a duration with a unit, such as 10s",
		"LOG_LEVEL=verbose":                          "LOG_LEVEL must be debug, info, warn or error",
	} {
		if output, accepted := validate(t, setting); accepted || !strings.Contains(output, want) {
			t.Errorf("%s: accepted: %t, want %q in\n%s", setting, accepted, want, output)
		}
	}
	if output, accepted := validate(t, "LOG_LEVEL=verbose", "WINDOWS_MODE=off", "REDIS_URL=a-secret"); accepted ||
		!strings.Contains(output, "LOG_LEVEL") || !strings.Contains(output, "WINDOWS_MODE") || strings.Contains(output, "a-secret") {
		t.Errorf("want all faults, and no secret, in\n%s", output)
	}
	if output, accepted := validate(t, "GATEWAY_ADDRESS=:18281", "GATEWAY_INNER_ADDRESS=:18282", "TOKENS_HOST=[::1]", "SHIPMENTS_HOST=shipments-svc.local",
		"TRUSTED_PROXIES=10.0.0.0/8 2001:db8::1", "CORS_ALLOWED_ORIGINS=https://app.example http://localhost:3000", "REDIS_URL=", "LOG_LEVEL=WARN", "GATEWAY_BIND=127.0.0.1 ::1 [::2]", "ACME_EMAIL=ops@example.com", "DEBUG_ENDPOINTS=1", "QUAYSIDE_DEMO=TRUE",
		"GATEWAY_SHUTDOWN_DELAY=1m", "TOKENS_INTERNAL_URL=https://[::1]:9082", "GATEWAY_REPLICAS=2", "REDIS_DOWN=deny", "WINDOWS_MODE=shadow"); !accepted {
		t.Error(output)
	}
	// An empty variable has its default.
	empty := []string{"GATEWAY_CREDENTIAL_FILE=", "REDIS_URL=", "REDIS_URL_FILE="}
	caddyfile, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range regexp.MustCompile(`(?m)^# ([A-Z0-9_]+): `).FindAllStringSubmatch(string(caddyfile), -1) {
		if name := setting[1]; name != "GATEWAY_CREDENTIAL" && name != "QUAYSIDE_DEMO" {
			empty = append(empty, name+"=")
		}
	}
	if output, accepted := validate(t, empty...); !accepted {
		t.Error(output)
	}
}

// A fault of the certificate's files is reported with the settings and the paths.
func TestFaultsOfTheCertificateNameItsFiles(t *testing.T) {
	t.Parallel()

	certificateFile, keyFile, _ := certificate(t)
	_, otherKey, _ := certificate(t)
	spaced := filepath.Join(t.TempDir(), "a key.pem")
	if err := os.Link(keyFile, spaced); err != nil {
		t.Fatal(err)
	}
	for files, want := range map[[2]string]string{
		{certificateFile, keyFile}:          "",
		{certificateFile, spaced}:           "",
		{certificateFile, "/nowhere/k.pem"}: "open /nowhere/k.pem",
		{"/nowhere/c.pem", keyFile}:         "open /nowhere/c.pem",
		{os.DevNull, keyFile}:               "any PEM data in certificate input",
		{certificateFile, os.DevNull}:       "any PEM data in key input",
		{keyFile, certificateFile}:          "PEM inputs may have been switched",
		{certificateFile, otherKey}:         "private key does not match public key",
	} {
		output, accepted := validate(t, "GATEWAY_TLS=on", "GATEWAY_TLS_CERTIFICATE="+files[0], "GATEWAY_TLS_KEY="+files[1])
		if accepted != (want == "") || want != "" && (!strings.Contains(output, "GATEWAY_TLS_CERTIFICATE is "+files[0]+", GATEWAY_TLS_KEY is "+files[1]) || !strings.Contains(output, want)) {
			t.Errorf("%q: accepted: %t, want %q in\n%s", files, accepted, want, output)
		}
	}
}

// Certificates are obtained for the hosts of the address, so that with none no handshake could succeed.
func TestCertificatesAreOnlyObtainedForHosts(t *testing.T) {
	t.Parallel()

	for address, ok := range map[string]bool{
		"": false, ":8443": false, "https://:8443": false,
		"api.example.com:8443": false, ":8443 api.example.com:8443": true, "https://:8443 https://api.example.com:8443": true,
	} {
		settings := []string{"GATEWAY_TLS=auto", "GATEWAY_ADDRESS=" + address}
		if address == "" {
			settings = settings[:1]
		}
		output, accepted := validate(t, settings...)
		if accepted != ok || !ok && !strings.Contains(output, "GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS") {
			t.Errorf("GATEWAY_ADDRESS=%s: accepted: %t\n%s", address, accepted, output)
		}
	}
}
