package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/settings"
)

func TestDefaultsAreForDevelopment(t *testing.T) {
	t.Parallel()
	cfg, err := Load([]string{"DATABASE_URL=postgres://u:p@localhost:5432/shipments"}, Database)
	want := Settings{
		Service: settings.Service{
			DatabaseURL: "postgres://u:p@localhost:5432/shipments", GatewayIssuer: "quayside-gateway",
		},
		ListenAddress: ":8081", InnerAddress: ":9081",
		DocumentsDir: "documents", S3Endpoint: "https://s3.amazonaws.com", DocumentWorkers: 2,
	}
	if err != nil || cfg.Settings != want {
		t.Errorf("%+v (%v), want %+v", cfg, err, want)
	}
	if cfg.DirectURL() != cfg.DatabaseURL {
		t.Error("migrations have another database")
	}
}

func TestWorkersAreBounded(t *testing.T) {
	t.Parallel()
	for want, environ := range map[string][]string{
		"DOCUMENT_WORKERS is 65; it must be": {"DOCUMENT_WORKERS=65"},
		"DOCUMENT_WORKERS is -1; it must be": {"DOCUMENT_WORKERS=-1"},
	} {
		if _, err := Load(append(environ, "DOCUMENTS_DIR="+t.TempDir()), Storage); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", environ, err)
		}
	}
	if _, err := Load([]string{"S3_BUCKET=bucket", "DOCUMENT_WORKERS=0"}, WritableStorage); err != nil {
		t.Error(err)
	}
}

func TestMigrationsUseTheDirectURL(t *testing.T) {
	t.Parallel()
	cfg, err := Load([]string{"DATABASE_URL=host=pooler", "DATABASE_DIRECT_URL=host=primary"}, Database)
	if err != nil || cfg.DirectURL() != "host=primary" || cfg.DatabaseURL != "host=pooler" {
		t.Errorf("%+v (%v)", cfg, err)
	}
}

func TestAllFaultsAreReportedWithoutSecretValues(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{
		"LOG_LEVEL=chatty", "QUAYSIDE_DEMO=maybe",
		"DATABASE_URL=postgres://u:hunter2@local host/", "DATABASE_DIRECT_URL=://hunter2",
		"WEBHOOK_KEYS_FILE=/dev/null",
		"S3_BUCKET=b", "S3_ENDPOINT=nonsense", "S3_SECRET_KEY=demo-hunter2", "DOCUMENT_WORKERS=1.5",
	}, Database, Gateways, Webhooks, WritableStorage)
	if err == nil {
		t.Fatal("it was accepted")
	}
	for _, want := range []string{
		`LOG_LEVEL is "chatty"; it must be debug, info, warn or error`,
		`QUAYSIDE_DEMO is "maybe"; it must be true or false`,
		"DATABASE_URL is not a Postgres URL", "DATABASE_DIRECT_URL is not a Postgres URL",
		"GATEWAY_PUBLIC_KEYS is not set",
		"WEBHOOK_KEYS_FILE: /dev/null is empty", `S3_BUCKET is "b"`, `S3_ENDPOINT is "nonsense"`,
		"S3_ACCESS_KEY and S3_SECRET_KEY belong together",
		"S3_SECRET_KEY has a demo secret", `DOCUMENT_WORKERS is "1.5"; it must be a whole number`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "WEBHOOK_KEYS is not set") {
		t.Errorf("a fault is reported twice: %v", err)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is in: %v", err)
	}
}

func TestADatabaseIsRequired(t *testing.T) {
	t.Parallel()
	for _, environ := range [][]string{nil, {"DATABASE_URL="}} {
		if _, err := Load(environ, Database); err == nil ||
			!strings.Contains(err.Error(), "DATABASE_URL is not set; it looks like postgres://") {
			t.Errorf("%v: %v", environ, err)
		}
	}
	if _, err := Load(nil); err != nil {
		t.Errorf("without needs: %v", err)
	}
}

func TestADirectoryMustBeWritable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "if missing")
	if _, err := Load([]string{"DOCUMENTS_DIR=" + dir}, WritableStorage); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v (%v) is left", left, err)
	}
	for _, dir := range []string{"/proc", "/dev/null", "/proc/new"} {
		if _, err := Load([]string{"DOCUMENTS_DIR=" + dir}, WritableStorage); err == nil ||
			!strings.Contains(err.Error(), "DOCUMENTS_DIR: ") ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestDemoPasswordsAreRejectedInProduction(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"DATABASE_URL", "DATABASE_DIRECT_URL"} {
		for _, dsn := range []string{"postgres://u:demo-secret@db/shipments", "host=db password=demo-secret"} {
			environ := []string{"DATABASE_URL=host=db", name + "=" + dsn}
			if _, err := Load(environ, Database); err == nil || !strings.Contains(err.Error(), name) ||
				strings.Contains(err.Error(), "demo-secret") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := Load(append(environ, "QUAYSIDE_DEMO=true"), Database); err != nil {
				t.Errorf("%s with QUAYSIDE_DEMO: %v", name, err)
			}
		}
	}
}
