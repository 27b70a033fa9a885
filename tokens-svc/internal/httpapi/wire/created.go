package wire

import "github.com/quayside/quayside/tokens-svc/internal/tokens"

// Created is the answer that a new token's secret is in, and the only one.
type Created struct {
	Token struct {
		Token
		Secret string `json:"secret"`
	} `json:"token"`
}

// NewCreated returns the JSON form of a new token.
func NewCreated(s *tokens.Service, t tokens.Token, secret tokens.Secret) (c Created) {
	c.Token.Token, c.Token.Secret = NewToken(s, t), secret.Reveal()
	return c
}

// Rotation is the answer that a successor's secret is in, and the only one.
type Rotation struct {
	Created
	Previous Token `json:"previous"`
}

// NewRotation returns the JSON form of a rotation.
func NewRotation(s *tokens.Service, r tokens.Rotation) Rotation {
	return Rotation{
		Created:  NewCreated(s, r.Token, r.Secret),
		Previous: NewToken(s, r.Previous),
	}
}

// NewTokens returns the JSON form of a list with its tokens' usage.
func NewTokens(s *tokens.Service, all []tokens.Token, usage map[tokens.TokenID]tokens.Usage) []Token {
	shown := make([]Token, len(all))
	for i, t := range all {
		shown[i] = NewToken(s, t)
		shown[i].Usage = NewUsage(usage[t.ID])
	}
	return shown
}
