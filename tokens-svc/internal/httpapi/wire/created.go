package wire

import (
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Created is the answer that a new token's secret is in, and the only one.
type Created struct {
	Token struct {
		Token
		Secret string `json:"secret"`
	} `json:"token"`
}

// NewCreated returns the JSON form of a new token.
func NewCreated(t tokens.Token, secret tokens.Secret, now time.Time) (c Created) {
	c.Token.Token, c.Token.Secret = NewToken(t, now), secret.Reveal()
	return c
}

// Rotation is the answer that a successor's secret is in, and the only one.
type Rotation struct {
	Created
	Previous Token `json:"previous"`
}

// NewRotation returns the JSON form of a rotation at the time when it was done.
func NewRotation(r tokens.Rotation, now time.Time) Rotation {
	return Rotation{
		Created:  NewCreated(r.Token, r.Secret, now),
		Previous: NewToken(r.Previous, now),
	}
}

// NewTokens returns the JSON form of a list with its tokens' usage.
func NewTokens(all []tokens.Token, usage map[tokens.TokenID]tokens.Usage, now time.Time) []Token {
	shown := make([]Token, len(all))
	for i, t := range all {
		shown[i] = NewToken(t, now)
		shown[i].Usage = NewUsage(usage[t.ID])
	}
	return shown
}
