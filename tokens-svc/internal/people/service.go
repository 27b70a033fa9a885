package people

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Service is the operations on people. It is safe for concurrent use.
//
// Besides the errors that methods name, all of them pass on the repository's tokens.ErrUnavailable.
type Service struct {
	Reader

	repo      Repository
	config    Config
	recording sync.WaitGroup // refused sign-ins that are being recorded
}

// Passwords makes and checks stored passwords; see people/password.
type Passwords interface {
	Hash(ctx context.Context, from password.From, password string) (string, error)
	Verify(ctx context.Context, from password.From, stored, password string) (right bool, err error)
}

// Config has the dependencies and settings of a Service.
type Config struct {
	Passwords Passwords
	Now       func() time.Time  // zero: time.Now
	Domains   map[string]Domain // by name, in lower case: whose people join without an invitation
	Mail      Mail              // nil: none is sent
	// AppKeys seal the keys of authenticator apps; nil: none can be added, and codes of those that there
	// are cannot be verified.
	AppKeys  *sealing.Keys
	Passkeys *passkey.Party // nil: none can be added or used
	// Log gets each refused sign-in that is in no organization's audit log: of an
	// unknown account, or because of a failure to record it. Zero: discarded.
	Log *slog.Logger
}

// NewService returns a service over repo.
func NewService(repo Repository, c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Reader: repo, repo: repo, config: c}
}

// Now returns the current time: UTC, whole milliseconds.
func (s *Service) Now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

// Standing returns a person with their memberships, of which one is in org, if they are a member.
func (s *Service) Standing(ctx context.Context, id UserID, org tokens.OrgID) (p Standing, err error) {
	if p.User, err = s.User(ctx, id); err != nil {
		return p, err
	}
	p.Memberships, err = s.Memberships(ctx, id)
	at := slices.IndexFunc(p.Memberships, func(m Membership) bool { return m.Organization.ID == org })
	if at >= 0 {
		p.Membership = p.Memberships[at]
	}
	return p, err
}

// Enrolment is a person as an operator brings one in.
type Enrolment struct {
	ID           UserID // of an account that it creates; "": a new one
	Organization tokens.OrgID
	Email, Name  string
	Role         string
	Password     string
	// Temporary means that the person must change the password of a new account at sign-in: an operator knows it.
	Temporary bool
}

// Enroll makes a person a member, and creates their account unless it exists: then its password and name stay, as does
// the role of a membership that there is. An account that it makes is verified: the operator hands the password to the
// person. It gives tokens.ErrNotFound without the organization, ErrAccountUnverified for an account that may not join a
// further organization, and a tokens.ValidationError.
func (s *Service) Enroll(ctx context.Context, e Enrolment) (u User, made bool, err error) {
	var wrong faults
	email := wrong.email(e.Email)
	name := wrong.name(e.Name, 0)
	role := wrong.role(e.Role)
	wrong.password(e.Password, email)
	if err := wrong.OrNil(); err != nil {
		return User{}, false, err
	}
	hash, err := s.config.Passwords.Hash(ctx, password.From{}, e.Password)
	if err != nil {
		return User{}, false, err
	}
	now := s.Now()
	return s.repo.Admit(ctx, Admission{
		Organization: e.Organization, Role: role, Password: hash,
		User: User{
			ID: cmp.Or(e.ID, UserID(publicid.New("usr"))), Email: email, Name: name, CreatedAt: now, VerifiedAt: now,
			PasswordTemporary: e.Temporary,
		},
		Entry: s.joined(audit.CommandLine, email, role),
	})
}

// joined is the audit entry of a new member.
func (s *Service) joined(actor audit.Actor, email string, role tokens.Role) audit.Entry {
	return s.entry(audit.MemberJoined, actor, "", map[string]string{"email": email, "role": string(role)})
}

func (s *Service) entry(action audit.Action, actor audit.Actor, target string, details map[string]string) audit.Entry {
	return audit.Entry{At: s.Now(), Actor: actor, Action: action, Target: target, Details: details}
}

// ChangeRole gives a member another role. An operator's may leave no owner. It gives tokens.ErrForbidden, ErrLastOwner,
// tokens.ErrNotFound and a tokens.ValidationError.
func (s *Service) ChangeRole(
	ctx context.Context, principal tokens.Principal, org tokens.OrgID, id UserID, role string,
) error {
	var wrong faults
	to := wrong.role(role)
	if err := wrong.OrNil(); err != nil {
		return err
	}
	return s.change(ctx, principal, org, id, to)
}

// Remove takes a person out of an organization, also at their own wish, whatever
// their role; their account stays, and so do the tokens that they own, which may
// do nothing any more. It gives tokens.ErrForbidden, ErrLastOwner and tokens.ErrNotFound.
func (s *Service) Remove(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id UserID) error {
	return s.change(ctx, principal, org, id, "")
}

func (s *Service) change(
	ctx context.Context, principal tokens.Principal, org tokens.OrgID, id UserID, to tokens.Role,
) error {
	self := principal.Actor.ID == string(id)
	return s.repo.ChangeMember(ctx, org, id, principal.Actor, func(
		role tokens.Role, now Member, others int,
	) (tokens.Role, audit.Entry, error) {
		leaves := to == "" && self
		switch {
		case !leaves && !principal.As(role).MayAssign(now.Role, to):
			return "", audit.Entry{}, tokens.ErrForbidden
		case now.Role == tokens.RoleOwner && to != tokens.RoleOwner && others == 0 && principal.Actor.Kind != audit.Operator:
			return "", audit.Entry{}, ErrLastOwner
		}
		action, details := audit.MemberRemoved, map[string]string{"email": now.Email, "from": string(now.Role)}
		if to != "" {
			action, details["to"] = audit.MemberRoleChanged, string(to)
		}
		e := s.entry(action, principal.Actor, string(id), details)
		if to != "" && !self {
			now.Membership.Role = to
			e.Mails = s.notices("role", Letter{Membership: now.Membership, By: principal.Actor}, now.Email)
		}
		return to, e, nil
	})
}
