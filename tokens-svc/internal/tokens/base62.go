package tokens

import (
	"crypto/rand"
	"math/big"
)

// base62 is the alphabet of ids, secrets and checksums, in the order of ASCII.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomBase62 returns n characters of which each is equally likely.
func randomBase62(n int) string {
	text := make([]byte, n)
	for i := range text {
		digit, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // rand.Reader never fails
		text[i] = base62[digit.Int64()]
	}
	return string(text)
}
