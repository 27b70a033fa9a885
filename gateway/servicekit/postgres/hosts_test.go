package postgres

import (
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/testserver"
)

// TestAHostThatHangsDelaysNoConnection: one host accepts connections and never
// answers, and one refuses them.
func TestAHostThatHangsDelaysNoConnection(t *testing.T) {
	t.Parallel()
	dsn, err := url.Parse(testserver.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	hung, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hung.Close() }()
	_, port, _ := net.SplitHostPort(hung.Addr().String())
	query := dsn.Query()
	query.Set("host", "127.0.0.1,127.0.0.1,"+dsn.Hostname())
	query.Set("port", port+",1,"+dsn.Port())
	ping := func(attributes string) error {
		query.Set("target_session_attrs", attributes)
		several := url.URL{Scheme: "postgres", User: dsn.User, Path: dsn.Path, RawQuery: query.Encode()}
		db, err := Open(several.String(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		return db.PingContext(t.Context())
	}
	fastest := time.Hour
	for range 5 { // on a busy machine one may take longer
		start := time.Now()
		if err := ping("read-write"); err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(start))
	}
	if fastest >= AnswerTimeout {
		t.Errorf("connecting took %s, as long as the host that hangs", fastest)
	}
	if err := ping("standby"); !Unavailable(err) {
		t.Error("a primary is used where a standby is required")
	}
}
