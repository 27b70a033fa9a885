package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func createOrganization(ctx context.Context, p program) error {
	f := newFlags("org create", "Creates an organization and prints its id.")
	name := f.String("name", "", "its name")
	id := f.String("id", "", "its `org_…` id; generated if left out")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	if err := f.require("name"); err != nil {
		return err
	}
	if *id == "" {
		*id = publicid.New("org")
	}
	org, err := parseOrg(*id)
	if err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		o, err := s.CreateOrganization(ctx, tokens.Operator(), org, *name)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, struct {
				Organization wire.Organization `json:"organization"`
			}{wire.NewOrganization(o)})
		}
		_, err = fmt.Fprintln(p.stdout, o.ID)
		return err
	}, config.AuditKeys)
}
