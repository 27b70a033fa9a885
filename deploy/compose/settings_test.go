package compose_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inOtherFiles are the settings that docker-compose.yml does not pass on: a file of one's own can.
var inOtherFiles = map[string][]string{
	"gateway": {
		"GATEWAY_INNER_ADDRESS", "GATEWAY_BIND", "TOKENS_PORT", "SHIPMENTS_PORT", // of the container
		"GATEWAY_REPLICAS",       // gateways count themselves
		"GATEWAY_SHUTDOWN_DELAY", // stop_grace_period has to be longer
		"SERVICE_ROUTES",         // with the files
	},
	"shipments-svc": {
		"LISTEN_ADDRESS", "INNER_ADDRESS", "DOCUMENTS_DIR", // of the container
		"DATABASE_DIRECT_URL", "PREPARED_STATEMENTS", // in pgbouncer.yml
		"DATABASE_REPLICA_URL", "S3_BUCKET", "S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY", "S3_SECRET_KEY", // with the servers
	},
	"tokens-svc": {
		"LISTEN_ADDRESS", "INNER_ADDRESS", // of the container
		"DATABASE_DIRECT_URL", "PREPARED_STATEMENTS", // in pgbouncer.yml
		"SERVICE_PERMISSIONS", // with the files
		"QUAYSIDE_OPERATOR",   // of commands: docker compose exec -e
	},
}

// settings are those that a program's README lists, and whether each is secret.
func settings(t *testing.T, program string) map[string]bool {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, program, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, secrets := map[string]bool{}, 0
	for _, row := range regexp.MustCompile("(?m)^\\| `?([A-Z0-9]+_[A-Z0-9_]+)`? \\|(.*)").FindAllStringSubmatch(string(readme), -1) {
		secret := strings.Contains(row[2], "**secret**") || strings.Contains(row[2], " Secret; also ")
		if all[row[1]] = secret; secret {
			secrets++
		}
	}
	if len(all) < 15 || secrets < 3 {
		t.Errorf("%s/README.md lists only %v", program, all)
	}
	return all
}

func TestEverySettingOfAProgramIsPassedOnOrBelongsToAnotherFile(t *testing.T) {
	t.Parallel()
	services := read(t, "docker-compose.yml").Services
	for program, elsewhere := range inOtherFiles {
		for setting := range settings(t, program) {
			name := strings.TrimSuffix(setting, "_FILE")
			_, value := services[program].Environment[name]
			_, file := services[program].Environment[name+"_FILE"]
			if is := value || file; is == slices.Contains(elsewhere, name) {
				t.Errorf("%s of %s is passed on: %t", name, program, is)
			}
		}
	}
}

// A secret in the environment would be shown by docker inspect.
func TestSecretsAreNotInTheEnvironment(t *testing.T) {
	t.Parallel()
	services := read(t, "docker-compose.yml").Services
	for program := range inOtherFiles {
		for name, secret := range settings(t, program) {
			if value, is := services[program].Environment[name]; secret && is && value != "redis://redis:6379/0" { // has no password
				t.Errorf("%s of %s is %q", name, program, value)
			}
		}
	}
}
