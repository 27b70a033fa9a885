package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type orgCreate struct {
	Name string `required:"" help:"Its name."`
	ID   orgID  `placeholder:"ORG" help:"Its org_… id; generated unless given."`
	JSON bool   `help:"Print JSON."`
}

func (c orgCreate) Run(ctx context.Context, p program) error {
	org := tokens.OrgID(cmp.Or(string(c.ID), publicid.New("org")))
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		o, err := s.CreateOrganization(ctx, tokens.Operator(), org, c.Name)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.stdout, struct {
				Organization wire.Organization `json:"organization"`
			}{wire.Organization{ID: o.ID, Name: o.Name}})
		}
		_, err = fmt.Fprintln(p.stdout, o.ID)
		return err
	})
}
