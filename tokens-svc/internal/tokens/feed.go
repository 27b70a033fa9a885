package tokens

// Change is that something happened to a token.
type Change struct {
	Revision int64
	Token    TokenID
	Kind     ChangeKind
}
