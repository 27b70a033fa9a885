package web

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// webhookForm is the form of a new endpoint, or of one that is edited.
type webhookForm struct {
	pages.Faults
	webhooks.Draft
	Enabled bool
	Types   []shipments.EventType // that can be chosen
	Do, Key string                // where it is sent; a new endpoint is made once for a key
	Version string                // of the endpoint that is edited
}

// Has is for templates: whether a type is chosen.
func (f webhookForm) Has(kind shipments.EventType) bool { return slices.Contains(f.EventTypes, kind) }

func formOf(e webhooks.Endpoint) webhookForm {
	return webhookForm{
		Draft:   webhooks.Draft{URL: e.URL, Description: e.Description, EventTypes: e.EventTypes},
		Enabled: e.Status == webhooks.Enabled, Types: shipments.EventTypes, Version: version(e),
	}
}

// version is that of an endpoint in its form.
func version(e webhooks.Endpoint) string { return number(e.UpdatedAt.UnixMilli()) }

// webhookForm reads the form that was sent.
func (v *visit) webhookForm() webhookForm {
	f := webhookForm{
		Types: shipments.EventTypes, Do: v.hooks(), Key: rand.Text(), Version: v.PostForm.Get("version"),
	}
	f.URL, f.Description, f.Enabled = strings.TrimSpace(v.text("url")), v.text("description"), v.PostForm.Has("enabled")
	for _, kind := range v.PostForm["event_types"] {
		f.EventTypes = append(f.EventTypes, shipments.EventType(kind))
	}
	return f
}

// proofLife is for how long a person may do what is as strong as making a token after they proved who they are, as long
// as the pages of tokens-svc have it.
const proofLife = 15 * time.Minute

// lost is the query of a page to which a person comes back without what they entered: it would be in addresses.
const lost = "?done=lost"

// unproved returns where a person proves who they are, and then comes back to a page, or nil after a recent proof.
func (s *site) unproved(v *visit, page string) *answer {
	if s.Now().Sub(v.person.AuthTime) < proofLife {
		return nil
	}
	return new(redirect("/settings/prove?return="+url.QueryEscape(page), ""))
}

// proven is a page, or what its form is sent to at the same path, that needs a recent proof.
func proven(
	do func(*site, context.Context, *visit) (answer, error),
) func(*site, context.Context, *visit) (answer, error) {
	return func(s *site, ctx context.Context, v *visit) (answer, error) {
		if prove := s.unproved(v, v.URL.Path); prove != nil {
			return *prove, nil
		}
		return do(s, ctx, v)
	}
}

func (s *site) showNewWebhook(_ context.Context, v *visit) (answer, error) {
	return newWebhook(webhookForm{Types: shipments.EventTypes, Do: v.hooks(), Key: rand.Text()}), nil
}

func newWebhook(f webhookForm) answer {
	return page("new-webhook", "New webhook endpoint", f)
}

func (s *site) createWebhook(ctx context.Context, v *visit) (answer, error) {
	if prove := s.unproved(v, v.hooks("new")+lost); prove != nil {
		return *prove, nil
	}
	f := v.webhookForm()
	a, err := s.newSecret(ctx, v, "POST "+WebhooksPath, func(ctx context.Context) (webhooks.EndpointWithSecret, error) {
		f.By = v.order().By
		return s.Webhooks.Create(ctx, v.org, f.Draft)
	})
	if f.Faults = faultsOf(err); f.Faults != nil {
		return newWebhook(f), nil
	}
	return a, err
}

// newSecret shows the secret of what do makes, once for the key of the form.
func (s *site) newSecret(
	ctx context.Context, v *visit, operation string, do func(context.Context) (webhooks.EndpointWithSecret, error),
) (answer, error) {
	key, err := v.once(operation)
	if err != nil {
		return answer{}, err
	}
	var made webhooks.EndpointWithSecret
	_, again, err := s.Service.Once(ctx, v.org, key, func(ctx context.Context) (_ []byte, err error) {
		made, err = do(ctx)
		return []byte{}, err // the secret is not stored
	})
	if again {
		return page("error", "This form was already sent", pages.Problem{
			Heading: "This form was already sent", Text: "Its secret was shown then and can't be shown again. " +
				"If you didn't copy it, open the endpoint and replace its secret.",
		}).as(http.StatusConflict), err
	}
	return page("secret", "Copy the signing secret", secretPage{
		Secret: made.Secret.Reveal(), Link: v.hooks(transport.WebhookIDs.Format(made.ID)),
	}), err
}

func (s *site) editWebhook(ctx context.Context, v *visit) (answer, error) {
	f := v.webhookForm()
	e, err := s.webhook(ctx, v)
	if err != nil {
		return answer{}, err
	}
	edit := webhooks.Edit{
		Order: v.onEndpoint(), URL: &f.URL, Description: &f.Description, EventTypes: &f.EventTypes,
		Status: new(webhooks.Disabled),
	}
	edit.Expects = func(e webhooks.Endpoint) bool { return version(e) == f.Version }
	if prove := s.unproved(v, v.URL.Path+lost); prove != nil && f.URL != e.URL {
		return *prove, nil
	}
	if f.Enabled {
		edit.Status = new(webhooks.Enabled)
	}
	_, err = s.Webhooks.Update(ctx, v.org, edit)
	if f.Faults = faultsOf(err); f.Faults != nil {
		return s.webhookAnswer(ctx, v, e, f)
	}
	return redirect(v.hooks(v.PathValue("id")), "saved"), err
}

// secretPage shows the secret of an endpoint, once.
type secretPage struct{ Secret, Link string }

// askRotate and askRemove ask first.
func (s *site) askRotate(ctx context.Context, v *visit) (answer, error) {
	return s.askWebhook(ctx, v, confirmPage{
		Heading: "Replace the signing secret?", Button: "Replace secret", Do: "rotate", Key: rand.Text(),
		Text: "For 24 hours, deliveries are also signed with the present secret. Store the new one within that time.",
	})
}

func (s *site) askRemove(ctx context.Context, v *visit) (answer, error) {
	return s.askWebhook(ctx, v, confirmPage{
		Heading: "Delete this endpoint?", Button: "Delete endpoint", Do: "delete",
		Text: "Nothing is sent to it any more, and its deliveries are deleted. This cannot be undone.",
	})
}

func (s *site) askWebhook(ctx context.Context, v *visit, c confirmPage) (answer, error) {
	_, err := s.webhook(ctx, v)
	c.Back = v.hooks(v.PathValue("id"))
	c.Do = c.Back + "/" + c.Do
	return page("confirm", strings.TrimSuffix(c.Heading, "?"), c), err
}

func (s *site) rotateSecret(ctx context.Context, v *visit) (answer, error) {
	return s.newSecret(ctx, v, "POST "+v.URL.Path, func(ctx context.Context) (webhooks.EndpointWithSecret, error) {
		return s.Webhooks.RotateSecret(ctx, v.org, v.onEndpoint())
	})
}

func (s *site) removeWebhook(ctx context.Context, v *visit) (answer, error) {
	_, err := s.Webhooks.Delete(ctx, v.org, v.onEndpoint())
	return redirect(v.hooks(), "endpoint-deleted"), err
}
