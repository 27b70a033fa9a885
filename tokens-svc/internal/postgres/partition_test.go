package postgres_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// TestNoTokenWorksOnAPartitionOfTwoOrganizations: where a row of an organization
// was altered or inserted so that its data is another one's, too, no token is
// made for it and no test token served, changed or sealed; tokens from before go on
// working on live data.
func TestNoTokenWorksOnAPartitionOfTwoOrganizations(t *testing.T) {
	t.Parallel()
	const inserted tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfj"
	insert := `INSERT INTO organizations (id, test_id, name, created_at) VALUES `
	for name, c := range map[string]struct {
		statement string
		org       tokens.OrgID // whose tokens are refused
		env       tokens.Environment
		works     tokens.Environment // of the same organization; "": none
	}{
		"another's live data by UPDATE": {
			`UPDATE organizations SET test_id = '` + string(repotest.Other) + `' WHERE id = '` + string(repotest.Org) + `'`,
			repotest.Org, tokens.Test, tokens.Live,
		},
		"another's live data by INSERT": {
			insert + `('` + string(inserted) + `', '` + string(repotest.Other) + `', 'x', now())`, inserted, tokens.Test, tokens.Live,
		},
		"another's test data as live data": {
			insert + `((SELECT test_id FROM organizations WHERE id = '` + string(repotest.Other) + `'), '` + string(inserted) + `', 'x', now())`,
			"", tokens.Live, tokens.Test,
		},
		"another's test data": {
			`ALTER TABLE organizations DROP CONSTRAINT organizations_test_id_key;
			UPDATE organizations SET test_id = (SELECT test_id FROM organizations WHERE id = '` + string(repotest.Other) + `')`,
			repotest.Org, tokens.Test, tokens.Live,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.New(t, postgres.Migrate)
			repo, db := open(t, dsn), connect(t, dsn)
			p, err := tokens.ParsePeppers("1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("p", 32))))
			if err != nil {
				t.Fatal(err)
			}
			s := tokens.NewService(repo, tokens.Config{Peppers: p, SealOld: true})
			for org, name := range map[tokens.OrgID]string{repotest.Org: "Acme", repotest.Other: "Other"} {
				if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), org, name); err != nil {
					t.Fatal(err)
				}
			}
			org := c.org
			if org == "" {
				other, err := repo.Organization(t.Context(), repotest.Other)
				if err != nil {
					t.Fatal(err)
				}
				org = other.TestID
			}
			create := func(org tokens.OrgID, env tokens.Environment) (tokens.Token, tokens.Secret, error) {
				return s.CreateToken(t.Context(), tokens.Operator(), org, tokens.Draft{Name: "ERP", Permissions: []string{"admin"}, Environment: env})
			}
			altered := func(what string, err error) {
				t.Helper()
				if _, ok := errors.AsType[*tokens.BoundsError](err); !ok {
					t.Errorf("%s: %v", what, err)
				}
			}
			before, secret, err := create(repotest.Org, tokens.Test)
			if err != nil {
				t.Fatal(err)
			}
			_, others, err := create(repotest.Other, tokens.Live)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), c.statement); err != nil {
				t.Fatal(err)
			}
			_, _, err = create(org, c.env)
			altered("create", err)
			if token, _, err := create(org, c.works); err != nil || token.Environment != c.works {
				t.Errorf("its other data: %v", err)
			}
			if found, err := s.Introspect(t.Context(), others); err != nil || found.Outcome != tokens.OutcomeActive {
				t.Errorf("another organization's token: %s, %v", found.Outcome, err)
			}
			if org != repotest.Org {
				return
			}
			// Without its MAC the token would be sealed as it is.
			if _, err := db.ExecContext(t.Context(), `UPDATE api_tokens SET bounds_mac = NULL, bounds_version = NULL`); err != nil {
				t.Fatal(err)
			}
			if _, err := s.SealOldTokens(t.Context()); err != nil {
				t.Fatal(err)
			}
			found, err := s.Introspect(t.Context(), secret)
			if err != nil || found.Outcome != tokens.OutcomeAltered {
				t.Errorf("introspect: %s, %v", found.Outcome, err)
			}
			_, err = s.RotateToken(t.Context(), tokens.Operator(), org, before.ID, 0)
			altered("rotate", err)
			if unsealed, err := repo.UnsealedTokens(t.Context(), "", 10); err != nil || len(unsealed) != 1 || unsealed[0].ID != before.ID {
				t.Errorf("without a MAC: %v, %v", unsealed, err)
			}
		})
	}
}
