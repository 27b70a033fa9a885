package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type orgCreate struct {
	Name string       `required:"" help:"Its name."`
	ID   tokens.OrgID `placeholder:"ORG" help:"Its org_… id; generated unless given."`
}

func (c orgCreate) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		o, err := s.CreateOrganization(ctx, tokens.Operator(), cmp.Or(c.ID, tokens.OrgID(publicid.New("org"))), c.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, o.ID)
		return err
	})
}
