package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxHeadLine bounds a line in bytes.
const maxHeadLine = 64 << 10

// ReadHeads reads heads that were written down, one JSON object a line, whose other
// members are ignored: a log line with a head is one. A text without a head is an
// error, as is a line that has none; errors name the line.
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
		var line struct {
			Head
			Hash *Hash `json:"hash"` // required
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || !strings.HasPrefix(line.Organization, "org_") || line.Sequence < 1 || line.Hash == nil {
			return nil, fmt.Errorf("line %d is no JSON object with organization, sequence from 1, and hash of 64 hexadecimal digits", number)
		}
		line.Head.Hash = *line.Hash
		heads = append(heads, line.Head)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", number, err)
	}
	if len(heads) == 0 {
		return nil, errors.New("there are no heads")
	}
	return heads, nil
}
