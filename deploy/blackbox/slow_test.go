package blackbox

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// upload returns a request that attaches a file of size bytes to a new shipment.
func upload(t *testing.T, secret string, size int) *request {
	t.Helper()
	auth := []field{{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}}
	created := wantStatus(t, &request{method: "POST", target: "/api/v1/shipments", header: auth, body: []byte(createBody)}, 201)
	file := bytes.Repeat([]byte(t.Name()+"\n"), size/(len(t.Name())+1)+1)[:size]
	body := `{"document":{"type":"other","filename":"notes.txt","content_base64":"` + base64.StdEncoding.EncodeToString(file) + `"}}`
	return &request{method: "POST", target: created.header.Get("Location") + "/documents", header: auth, body: []byte(body)}
}

// pace writes content at a rate of perSecond bytes.
func pace(w io.Writer, content []byte, perSecond int) error {
	const steps = 20 // a second
	tick := time.NewTicker(time.Second / steps)
	defer tick.Stop()
	for len(content) > 0 {
		n := min(len(content), max(perSecond/steps, 1))
		if _, err := w.Write(content[:n]); err != nil {
			return err
		}
		content = content[n:]
		<-tick.C
	}
	return nil
}

// An upload at 100 KB/s is above the minimum rate, so it may take 28 s.
func TestASlowSteadyUploadSucceeds(t *testing.T) {
	t.Parallel()
	r := upload(t, token(t, "admin"), 2<<20) // 2.8 MB as base64: 28 s
	c, err := connect("127.31.3.1", 2*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write(r.head()); err != nil {
		t.Fatal(err)
	}
	wrote := pace(c, r.body, 100_000)
	res, err := c.read("POST")
	if err != nil || res.status != http.StatusCreated {
		t.Fatalf("status %d, %v; writing: %v; %.300s", res.status, err, wrote, res.body)
	}
}

// When the body stalls, the response is 408 after a time-out.
func TestAStalledUploadEndsWith408(t *testing.T) {
	t.Parallel()
	for i, sent := range []int{0, 1, 100_000, 1 << 20} {
		t.Run(fmt.Sprintf("after %d bytes", sent), func(t *testing.T) {
			t.Parallel()
			r := upload(t, token(t, "admin"), 4<<20)
			c, err := connect(fmt.Sprintf("127.31.4.%d", i+1), 90*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := c.Write(append(r.head(), r.body[:sent]...)); err != nil {
				t.Fatal(err)
			}
			res, err := c.read("POST")
			if err != nil || res.status != http.StatusRequestTimeout {
				t.Fatalf("status %d, %v, want 408: %.300s", res.status, err, res.body)
			}
			if err := checkProblem(res); err != nil {
				t.Error(err)
			}
		})
	}
}

// The gateway closes the connection of a client that sends below the minimum rate.
func TestARequestBelowTheMinimumRateIsAborted(t *testing.T) {
	t.Parallel()
	r := upload(t, token(t, "admin"), 1<<20)
	for name, content := range map[string][]byte{
		"in its head": append(r.head(), r.body...),
		"in its body": r.body,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := connect("127.31.5.1", 3*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if name == "in its body" {
				if _, err := c.Write(r.head()); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			go func() { _ = pace(c, content, 20) }()
			_, err = c.read("POST")
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				t.Errorf("the connection is still open after %s", time.Since(start))
			}
		})
	}
}

// Clients close their connections during a request or a response.
func TestAbortedRequestsDoNotAffectOtherRequests(t *testing.T) {
	secret := token(t, "admin")
	r := upload(t, secret, 100<<10)
	for i := range 40 {
		c, err := connect("127.31.6.1", 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Write(append(r.head(), r.body[:i*len(r.body)/40]...))
		if err = errors.Join(err, c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	wantStatus(t, r, http.StatusCreated)
}
