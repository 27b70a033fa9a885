package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// headLine is a head in a line of JSON. Other members are ignored, so a log line
// that has these is one, too.
type headLine struct {
	Organization string `json:"organization"`
	Sequence     int64  `json:"sequence"`
	Hash         string `json:"hash"`
}

// MarshalJSON implements json.Marshaler: an object that ReadHeads reads.
func (h Head) MarshalJSON() ([]byte, error) {
	return json.Marshal(headLine{h.Organization, h.Sequence, h.Hash.String()})
}

// maxHeadLine bounds a line in bytes.
const maxHeadLine = 64 << 10

// ReadHeads reads heads that were written down, one JSON object a line. A text
// without a head is an error, as is a line that has none; errors name the line.
func ReadHeads(r io.Reader) ([]Head, error) {
	var heads []Head
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxHeadLine)
	number := 0
	for lines.Scan() {
		number++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var line headLine
		err := json.Unmarshal(lines.Bytes(), &line)
		hash, malformed := ParseHash(line.Hash)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d is no JSON object with a head", number)
		case !strings.HasPrefix(line.Organization, "org_") || line.Sequence < 1 || malformed != nil:
			return nil, fmt.Errorf("line %d needs organization, sequence from 1, and hash of 64 hexadecimal digits", number)
		}
		heads = append(heads, Head{Organization: line.Organization, Sequence: line.Sequence, Hash: hash})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", number, err)
	}
	if len(heads) == 0 {
		return nil, errors.New("there are no heads")
	}
	return heads, nil
}
