package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const becomeGateway = "QUAYSIDE_TEST_BECOME_GATEWAY"

func TestMain(m *testing.M) {
	if os.Getenv(becomeGateway) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestASettingThatBreaksTheCaddyfileIsNamed(t *testing.T) {
	t.Parallel()

	process := exec.CommandContext(t.Context(), os.Args[0], "validate", "--config", "../../Caddyfile", "--adapter",
		"caddyfile")
	process.Env = []string{becomeGateway + "=1", "HOME=" + t.TempDir(), "SERVICE_ROUTES=a.caddy b.caddy"}
	output, err := process.CombinedOutput()
	if want := "SERVICE_ROUTES must be one path or pattern"; err == nil || !strings.HasPrefix(string(output), want) {
		t.Errorf("%v, want %s in\n%s", err, want, output)
	}
}
