package integration

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// plenty is a limit that tests with many requests do not reach.
const plenty = `,"rate_limit":{"limit":1000000,"window_seconds":60}`

// load is a group of clients that send requests continuously, each on a connection of its own.
type load struct {
	sent, lost atomic.Int64
	unanswered atomic.Int64 // of those lost
	stop       chan struct{}
	clients    sync.WaitGroup

	mu  sync.Mutex
	why map[string]int
}

// loadOn starts a load. Half of the requests are POSTs, which are never retried.
func loadOn(t *testing.T, url, token string) *load {
	t.Helper()
	return loadBy(t, &http.Transport{MaxIdleConnsPerHost: 1}, url, token)
}

// loadBy starts a load whose clients have this transport.
func loadBy(t *testing.T, conduct *http.Transport, url, token string) *load {
	t.Helper()
	l := &load{stop: make(chan struct{}), why: map[string]int{}}
	for range 8 {
		l.clients.Go(func() {
			client := &http.Client{Transport: conduct.Clone()}
			defer client.CloseIdleConnections()
			tick := time.NewTicker(3 * time.Millisecond)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-l.stop:
					return
				case <-tick.C:
					l.send(client, url, token, n%2 == 0)
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) send(client *http.Client, url, token string, post bool) {
	method, body := http.MethodGet, io.Reader(nil)
	if post {
		method, body = http.MethodPost, io.NopCloser(strings.NewReader("{}"))
	}
	request, err := http.NewRequest(method, url+"/api/v1/shipments", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	l.sent.Add(1)
	response, err := client.Do(request)
	why := ""
	if err != nil {
		l.unanswered.Add(1)
		why = err.Error()
	} else {
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			why = fmt.Sprint(response.Status, err)
		}
		_ = response.Body.Close()
	}
	if why != "" {
		l.lost.Add(1)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.why[method+" "+why]++
	}
}

// end stops the clients and waits for their last responses.
func (l *load) end() {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.clients.Wait()
}

// reasons lists the lost requests by reason.
func (l *load) reasons() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.why)
}

// Restarting the replicas of a service one after another loses no request, not even one that cannot be retried.
func TestARollingRestartLosesNoRequest(t *testing.T) {
	t.Parallel()

	one := newReplica(t, 1, "")
	two := newReplica(t, 2, one.port)
	names := newNameServer(t, one.ip, two.ip)
	g := start(t, options{env: map[string]string{
		"SHIPMENTS_HOST": "shipments.test.", "SHIPMENTS_PORT": one.port, nameServerVariable: names.address,
		"REDIS_DOWN": "allow",
	}})
	token, _ := g.tokens.create(plenty)
	l := loadOn(t, g.url, token)
	for range 2 {
		for _, r := range []*replica{one, two} {
			before := l.sent.Load()
			r.end(t)
			r.start(t)
			g.usesBothAddresses(t, one.port)
			eventually(t, func() bool { return l.sent.Load() > before+100 }, "requests go on", g.log)
		}
	}
	l.end()
	if lost := l.lost.Load(); lost > 0 {
		t.Errorf("%d of %d requests were lost: %v; the gateway's log:\n%s", lost, l.sent.Load(), l.reasons(), g.log)
	}
}
