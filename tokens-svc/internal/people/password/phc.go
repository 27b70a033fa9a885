package password

import (
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Bounds on the parameters of a stored hash: write access to the database
// shall not be able to stop the program with it.
const (
	maxMemory = 1 << 20 // KiB
	maxPasses = 32
)

// hash is one stored password.
type hash struct {
	params    Params
	salt, sum []byte
}

const phc = "$argon2id$v=%d$m=%d,t=%d,p=%d$"

// String returns the hash in PHC format:
// $argon2id$v=19$m=19456,t=2,p=1$SALT$SUM, in base64 without padding.
func (h hash) String() string {
	enc := base64.RawStdEncoding
	return fmt.Sprintf(phc, argon2.Version, h.params.Memory, h.params.Passes, h.params.Threads) +
		enc.EncodeToString(h.salt) + "$" + enc.EncodeToString(h.sum)
}

// parse accepts exactly the results of String.
func parse(text string) (hash, error) {
	var h hash
	var version int
	var rest string
	if _, err := fmt.Sscanf(text, phc+"%s", &version, &h.params.Memory, &h.params.Passes, &h.params.Threads, &rest); err != nil {
		return hash{}, ErrStored
	}
	enc := base64.RawStdEncoding.Strict()
	salt, sum, _ := strings.Cut(rest, "$")
	var errSalt, errSum error
	h.salt, errSalt = enc.DecodeString(salt)
	h.sum, errSum = enc.DecodeString(sum)
	p := h.params
	if errSalt != nil || errSum != nil || len(h.salt) < 8 || len(h.sum) != sumLen || h.String() != text ||
		p.Memory < 8 || p.Memory > maxMemory || p.Passes < 1 || p.Passes > maxPasses || p.Threads < 1 {
		return hash{}, ErrStored
	}
	return h, nil
}
