package integration

import (
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// validate runs the command validate with the shipped Caddyfile.
func validate(t *testing.T, settings ...string) (output string, accepted bool) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "validate", "--config", "../Caddyfile", "--adapter",
		"caddyfile")
	process.Env = append([]string{
		becomeGateway + "=1", "HOME=" + t.TempDir(), "QUAYSIDE_DEMO=true",
		"GATEWAY_CREDENTIAL=demo-0123456789012345678901234567890",
	}, settings...)
	raw, err := process.CombinedOutput()
	return string(raw), err == nil
}

// Settings with which a gateway would start that does not work are refused by their name.
func TestSettingsOfAGatewayThatWouldNotWorkAreRefused(t *testing.T) {
	t.Parallel()

	for setting, want := range map[string]string{
		"GATEWAY_ADDRESS=18281":           `GATEWAY_ADDRESS must have a port, such as :8080, and is "18281"`,
		"GATEWAY_ADDRESS=:09080":          "GATEWAY_ADDRESS and GATEWAY_INNER_ADDRESS both have the port 09080",
		"GATEWAY_ADDRESS=https://:18281":  "GATEWAY_ADDRESS is https://:18281, and GATEWAY_TLS=off needs http://",
		"GATEWAY_ADDRESS=127.0.0.1:18281": "set GATEWAY_ADDRESS=:18281, and GATEWAY_BIND for the addresses to listen on",
		"GATEWAY_ADDRESS=a.example:18281": "requests to other hosts would not reach the gateway",
		"GATEWAY_TLS=auto":                "GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS",
		"GATEWAY_TLS=Auto":                "options_Auto",
		"SERVICE_ROUTES=/a /b":            "SERVICE_ROUTES must be one path or pattern",
		"SERVICE_ROUTES=/nowhere/x.caddy": "File to import not found: /nowhere/x.caddy",
		"REDIS_URL=localhost:6379":        "redis is not a redis://",
		"REDIS_DOWN=no":                   "must be local, deny or allow",
		"GATEWAY_REPLICAS=0":              "must be a whole number from 1",
		"QUAYSIDE_DEMO=yes":               "must be true or false",
	} {
		if output, accepted := validate(t, setting); accepted || !strings.Contains(output, want) {
			t.Errorf("%s: accepted: %t, want %q in\n%s", setting, accepted, want, output)
		}
	}
	if output, accepted := validate(t, "REDIS_DOWN=no", "REDIS_URL=a-secret"); accepted ||
		!strings.Contains(output, "redis_down") || !strings.Contains(output, "redis is not") ||
		strings.Contains(output, "a-secret") {
		t.Errorf("want all faults, and no secret, in\n%s", output)
	}
	if output, accepted := validate(t, "GATEWAY_TLS=auto", "GATEWAY_ADDRESS=https://:18281 https://a.example:18281",
		"ACME_DIRECTORY=https://ca.example/dir", "ACME_EMAIL=operations@a.example"); !accepted {
		t.Error(output)
	}
	// An empty variable has its default.
	empty := []string{"REDIS_URL=", "REDIS_URL_FILE=", "GATEWAY_CREDENTIAL_FILE="}
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

func TestValidateDoesNotConnectToRedis(t *testing.T) {
	t.Parallel()

	redis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = redis.Close() }()
	if output, accepted := validate(t, "REDIS_URL=redis://"+redis.Addr().String()); !accepted {
		t.Fatal(output)
	}
	own, err := net.Dial("tcp", redis.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if first, err := redis.Accept(); err != nil || first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Errorf("validate connected, %v", err)
	}
}
