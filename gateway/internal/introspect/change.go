package introspect

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

// tokenID is the id in a token: its public id without "tok_". Being an array, it does not keep a request's memory
// alive.
type tokenID [bearer.IDLength]byte

// idOf returns the id of a well-formed token.
func idOf(token string) (id tokenID) {
	copy(id[:], bearer.ID(token))
	return id
}

// publicID returns the id with its prefix.
func (id tokenID) publicID() string {
	return tokenPrefix + string(id[:])
}

const tokenPrefix = "tok_"

// change is one line of the change stream: a changed token or, without a token, a heartbeat with the newest revision.
type change struct {
	revision int64
	// epoch identifies the history in which revisions are unique; empty: the tokens service sends none.
	epoch     string
	token     tokenID
	heartbeat bool
}

// parseChange parses one line. The kind of change is irrelevant: the token's result is evicted. Errors do not quote
// it.
func parseChange(line []byte) (change, error) {
	var wire struct {
		Revision *int64  `json:"rev"`
		Token    *string `json:"token"`
		Epoch    string  `json:"epoch"`
	}
	if err := json.Unmarshal(line, &wire); err != nil {
		return change{}, errors.New("a line of the stream is not JSON")
	}
	switch {
	case wire.Revision == nil || *wire.Revision < 0:
		return change{}, errors.New("a line of the stream has no revision")
	case wire.Token == nil:
		return change{revision: *wire.Revision, epoch: wire.Epoch, heartbeat: true}, nil
	case !tokenIDForm.MatchString(*wire.Token):
		return change{}, fmt.Errorf("revision %d in the stream has an invalid token", *wire.Revision)
	}
	c := change{revision: *wire.Revision, epoch: wire.Epoch}
	copy(c.token[:], (*wire.Token)[len(tokenPrefix):])
	return c, nil
}
