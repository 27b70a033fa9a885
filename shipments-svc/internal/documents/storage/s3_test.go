package storage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestS3Conforms on versitygw, a server of the S3 protocol. TEST_VERSITYGW is
// its program, which deploy/tools/versitygw pins and `make test` builds.
func TestS3Conforms(t *testing.T) {
	t.Parallel()
	open := buckets(t)
	conforms(t, func(t *testing.T) shipments.Files { t.Helper(); return open(t) })
}

func TestS3IsSweptSafely(t *testing.T) {
	t.Parallel()
	open := buckets(t)
	sweepsSafely(t, func(t *testing.T) shipments.Files { t.Helper(); return open(t) })
}

// TestMissingBucketIsAnOutage: with a wrong name no file is missing.
func TestMissingBucketIsAnOutage(t *testing.T) {
	t.Parallel()
	s3 := buckets(t)(t)
	s3.bucket = "another"
	if _, err := s3.Open(t.Context(), newKey()); !errors.Is(err, shipments.ErrUnavailable) ||
		errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("%v", err)
	}
}

// TestWithoutKeysTheWorkloadIsAsked: the endpoint of its container gives them.
func TestWithoutKeysTheWorkloadIsAsked(t *testing.T) {
	s3 := buckets(t)(t)
	put(t, s3, newKey(), "x")
	container := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"AccessKeyId":"quayside","SecretAccessKey":"quayside-tests","Expiration":%q}`,
			time.Now().Add(time.Hour).Format(time.RFC3339))
	}))
	defer container.Close()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.URL)
	workload, err := NewS3(Bucket{Endpoint: s3.client.EndpointURL().String(), Name: s3.bucket})
	if err != nil {
		t.Fatal(err)
	}
	if all := keys(t, workload, time.Now().Add(time.Hour)); len(all) != 1 {
		t.Errorf("%v", all)
	}
}

// buckets runs a server, and returns a function that opens a new bucket.
func buckets(t *testing.T) func(*testing.T) *S3 {
	t.Helper()
	program := os.Getenv("TEST_VERSITYGW")
	if program == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("TEST_VERSITYGW is not set")
		}
		t.Skip("TEST_VERSITYGW is not set; `make test-all` sets it")
	}
	server := Bucket{Endpoint: "http://" + versitygw(t, program), AccessKey: "quayside", SecretKey: "quayside-tests"}
	var buckets atomic.Int64
	return func(t *testing.T) *S3 {
		t.Helper()
		b := server
		b.Name = fmt.Sprintf("bucket-%d", buckets.Add(1))
		s3, err := NewS3(b)
		if err != nil {
			t.Fatal(err)
		}
		for s3.client.MakeBucket(t.Context(), b.Name, minio.MakeBucketOptions{}) != nil { // until it listens
			if t.Context().Err() != nil {
				t.Fatal("versitygw does not answer")
			}
		}
		return s3
	}
}

// versitygw runs the server until the test and its subtests end, and returns
// its address.
func versitygw(t *testing.T, program string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // for the server
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, program, "--access", "quayside", "--secret", "quayside-tests", "--port", address,
		"--quiet", "posix", "--nometa", t.TempDir())
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return address
}

func TestUnreachableBucketIsUnavailable(t *testing.T) {
	t.Parallel()
	s3, err := NewS3(Bucket{Endpoint: "http://127.0.0.1:1", Name: "bucket", AccessKey: "a", SecretKey: "s", Region: "r"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s3.Open(t.Context(), newKey()); err == nil || !strings.Contains(err.Error(),
		shipments.ErrUnavailable.Error()) {
		t.Errorf("%v", err)
	}
	for _, endpoint := range []string{"", "127.0.0.1:9000", "ftp://x", "http://x/bucket", "http://%"} {
		if _, err := NewS3(Bucket{Endpoint: endpoint}); err == nil {
			t.Errorf("%q is an endpoint", endpoint)
		}
	}
}
