package tokens

import "io"

// base62 is the alphabet of ids, secrets and checksums, in the order of ASCII.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// fair is the greatest multiple of len(base62) that a byte can be below. Bytes
// from there on are thrown away: taking them modulo 62 would make the first
// characters of the alphabet likelier than the last.
const fair = 256 / len(base62) * len(base62)

// randomBase62 returns n characters of which each is equally likely.
func randomBase62(random io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		missing := buf[:n-len(out)]
		if _, err := io.ReadFull(random, missing); err != nil {
			return "", err
		}
		for _, b := range missing {
			if int(b) < fair {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out), nil
}
