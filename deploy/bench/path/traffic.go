package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/quayside/quayside/deploy/bench/packinglist"
)

// kind is one kind of traffic.
type kind struct {
	name     string
	rate     int     // requests a second; 0: saturated
	share    float64 // of the throughput that a saturated run of `of` had, as the rate
	of       string
	bound    bool // whether the lower bound serves it
	requests [][]byte
	wants    []int // statuses that are right
	fresh    func(context.Context) ([][]byte, error)
}

const newShipment = `{"shipment":{"reference":"PO-2611-1","vessel":"MSC Carmen","origin":"Cape Town, South Africa","destination":"Rotterdam, Netherlands"}}`

// client sends requests to one side, outside of measurements.
type client struct {
	address, token string
}

// request returns a whole HTTP/1.1 request.
func (c client) request(method, target, contentType string, body []byte) []byte {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: api.example\r\nUser-Agent: quayside-bench\r\nAccept: application/json\r\nAuthorization: Bearer %s\r\n", method, target, c.token)
	if body != nil {
		head += fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", contentType, len(body))
	}
	return append([]byte(head+"\r\n"), body...)
}

func (c client) get(target string) []byte { return c.request(http.MethodGet, target, "", nil) }

func (c client) create() []byte {
	return c.request(http.MethodPost, "/api/v1/shipments", "application/json", []byte(newShipment))
}

// attach returns the upload of a packing list of 60 pallets with random SSCCs.
func (c client) attach(shipment string) []byte {
	mediaType, form := packinglist.Form("list.csv", packinglist.CSV(packinglist.Table(60)))
	return c.request(http.MethodPost, "/api/v1/shipments/"+shipment+"/documents", mediaType, form)
}

// createShipment makes a shipment and returns its id.
func (c client) createShipment(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.address+"/api/v1/shipments", bytes.NewBufferString(newShipment))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var made struct{ Shipment struct{ ID string } }
	if err := json.Unmarshal(body, &made); err != nil || res.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("create a shipment: %s: %s", res.Status, body)
	}
	return made.Shipment.ID, nil
}

func (c client) createShipments(ctx context.Context, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		var err error
		if ids[i], err = c.createShipment(ctx); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// organization is one whose requests are measured.
type organization struct {
	id        string // as Postgres has it
	clients   []client
	shipments []string // to get
}

// each returns one request of each client.
func (o organization) each(request func(c client, n int) []byte) [][]byte {
	all := make([][]byte, len(o.clients))
	for i, c := range o.clients {
		all[i] = request(c, i)
	}
	return all
}

func (o organization) lists() [][]byte {
	return o.each(func(c client, _ int) []byte { return c.get("/api/v1/shipments") })
}

func (o organization) gets() [][]byte {
	return o.each(func(c client, n int) []byte { return c.get("/api/v1/shipments/" + o.shipments[n%len(o.shipments)]) })
}

func (o organization) tokens() [][]byte {
	return o.each(func(c client, _ int) []byte { return c.get("/api/v1/token") })
}

func (o organization) creates() [][]byte {
	return o.each(func(c client, _ int) []byte { return c.create() })
}

// mix is 80 % lists, 15 % gets and 5 % creates; writer's creates leave the
// lists of o as they are.
func (o organization) mix(writer organization) [][]byte {
	return o.each(func(c client, n int) []byte {
		switch {
		case n%20 == 0:
			return writer.clients[n/20%len(writer.clients)].create()
		case n%20 <= 3:
			return c.get("/api/v1/shipments/" + o.shipments[n%len(o.shipments)])
		default:
			return c.get("/api/v1/shipments")
		}
	})
}

// attachRate is how many packing lists a second are attached.
const attachRate = 20

// side is what is measured: a stack, or the lower bound.
type side struct {
	name    string
	address string
	cpu     func() (usage, error) // used so far
	small   organization
	large   organization
	writer  organization
}

// kinds returns what a side is measured with.
func (sd side) kinds(s settings) []kind {
	ok := []int{http.StatusOK}
	created := []int{http.StatusCreated}
	mixed := []int{http.StatusOK, http.StatusCreated}
	uploads := int((s.warmup+s.length).Seconds()*attachRate) + attachRate*6 // and what becomes due until a run ends
	all := []kind{
		{name: "list, 8 rows", requests: sd.small.lists(), wants: ok, bound: true},
		{name: "list, 8 rows, 300/s", rate: 300, requests: sd.small.lists(), wants: ok, bound: true},
		{name: "get", requests: sd.small.gets(), wants: ok, bound: true},
		{name: "create", requests: sd.writer.creates(), wants: created, bound: true},
		{name: "token", requests: sd.small.tokens(), wants: ok},
		{
			name: "attach 60 pallets, " + strconv.Itoa(attachRate) + "/s", rate: attachRate, wants: []int{http.StatusAccepted, http.StatusCreated},
			fresh: func(ctx context.Context) ([][]byte, error) {
				c := sd.writer.clients[0]
				ids, err := c.createShipments(ctx, uploads)
				requests := make([][]byte, len(ids))
				for i, id := range ids {
					requests[i] = c.attach(id)
				}
				return requests, err
			},
		},
		{name: "mix, 8 rows, saturated", requests: sd.small.mix(sd.writer), wants: mixed},
		{name: "mix, 8 rows, half capacity", share: 0.5, of: "mix, 8 rows, saturated", requests: sd.small.mix(sd.writer), wants: mixed},
	}
	if len(sd.large.clients) == 0 {
		return all
	}
	rows := strconv.Itoa(s.large) + " rows"
	return append(all,
		kind{name: "list, " + rows, requests: sd.large.lists(), wants: ok},
		kind{name: "mix, " + rows + ", saturated", requests: sd.large.mix(sd.large), wants: mixed},
		kind{name: "mix, " + rows + ", half capacity", share: 0.5, of: "mix, " + rows + ", saturated", requests: sd.large.mix(sd.large), wants: mixed},
	)
}
