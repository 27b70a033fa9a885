package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"

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
}

// Has is for templates: whether a type is chosen.
func (f webhookForm) Has(kind shipments.EventType) bool { return slices.Contains(f.EventTypes, kind) }

func formOf(e webhooks.Endpoint) webhookForm {
	return webhookForm{
		Draft:   webhooks.Draft{URL: e.URL, Description: e.Description, EventTypes: e.EventTypes},
		Enabled: e.Status == webhooks.Enabled, Types: shipments.EventTypes,
	}
}

// webhookForm reads the form that was sent.
func (v *visit) webhookForm() (webhookForm, error) {
	err := v.parse()
	f := webhookForm{Types: shipments.EventTypes, Do: v.hooks(), Key: v.PostForm.Get("key")}
	f.URL, f.Description, f.Enabled = strings.TrimSpace(v.text("url")), v.text("description"), v.PostForm.Has("enabled")
	for _, kind := range v.PostForm["event_types"] {
		f.EventTypes = append(f.EventTypes, shipments.EventType(kind))
	}
	return f, err
}

func (s *site) showNewWebhook(_ context.Context, v *visit) (answer, error) {
	return newWebhook(webhookForm{Types: shipments.EventTypes, Do: v.hooks(), Key: rand.Text()}), nil
}

func newWebhook(f webhookForm) answer {
	return page("new-webhook", "New webhook endpoint", f)
}

func (s *site) createWebhook(ctx context.Context, v *visit) (answer, error) {
	f, err := v.webhookForm()
	if err != nil || f.Key == "" {
		return errorPage(http.StatusNotFound), nil //nolint:nilerr // a form that no page has
	}
	key := shipments.Key{
		Operation: "POST " + WebhooksPath + " " + v.person.Actor(), Text: f.Key,
		Fingerprint: sha256.Sum256([]byte(v.PostForm.Encode())),
	}
	made, _, err := s.Webhooks.Once(ctx, v.org, key, func(ctx context.Context) ([]byte, error) {
		made, err := s.Webhooks.Create(ctx, v.org, f.Draft)
		return []byte(transport.FormatWebhookID(made.ID) + " " + made.Secret.Reveal()), err
	})
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		f.Faults = faultsOf(invalid)
		return newWebhook(f).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	id, secret, _ := strings.Cut(string(made), " ")
	return secretAnswer(v.hooks(id), secret), nil
}

func (s *site) editWebhook(ctx context.Context, v *visit) (answer, error) {
	f, err := v.webhookForm()
	if err != nil {
		return errorPage(http.StatusNotFound), nil //nolint:nilerr // a form that no page has
	}
	e, err := s.webhook(ctx, v)
	if err != nil {
		return answer{}, err
	}
	edit := webhooks.Edit{
		ID: e.ID, URL: &f.URL, Description: &f.Description, EventTypes: &f.EventTypes, Status: new(webhooks.Disabled),
	}
	if f.Enabled {
		edit.Status = new(webhooks.Enabled)
	}
	_, err = s.Webhooks.Update(ctx, v.org, edit)
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok {
		f.Faults = faultsOf(invalid)
		a, err := s.webhookAnswer(ctx, v, e, f)
		return a.as(http.StatusUnprocessableEntity), err
	}
	return redirect(v.hooks(transport.FormatWebhookID(e.ID)), "saved"), err
}

// secretPage shows the secret of an endpoint, once.
type secretPage struct{ Secret, Link string }

// secretAnswer is the one place where a secret leaves the program for a browser.
func secretAnswer(link, secret string) answer {
	return page("secret", "Copy the signing secret", secretPage{Secret: secret, Link: link})
}

// askRotate and askRemove ask first.
func (s *site) askRotate(ctx context.Context, v *visit) (answer, error) {
	return s.askWebhook(ctx, v, confirmPage{
		Heading: "Replace the signing secret?", Button: "Replace secret", Do: "rotate",
		Text: "For 24 hours, deliveries are signed with the old and the new secret. Store the new one within that time.",
	})
}

func (s *site) askRemove(ctx context.Context, v *visit) (answer, error) {
	return s.askWebhook(ctx, v, confirmPage{
		Heading: "Delete this endpoint?", Button: "Delete endpoint", Do: "delete",
		Text: "Nothing is sent to it any more, and its deliveries are deleted. This cannot be undone.",
	})
}

func (s *site) askWebhook(ctx context.Context, v *visit, c confirmPage) (answer, error) {
	e, err := s.webhook(ctx, v)
	c.Back = v.hooks(transport.FormatWebhookID(e.ID))
	c.Do = c.Back + "/" + c.Do
	return page("confirm", strings.TrimSuffix(c.Heading, "?"), c), err
}

func (s *site) rotateSecret(ctx context.Context, v *visit) (answer, error) {
	e, err := s.webhook(ctx, v)
	if err != nil {
		return answer{}, err
	}
	made, err := s.Webhooks.RotateSecret(ctx, v.org, e.ID)
	return secretAnswer(v.hooks(transport.FormatWebhookID(e.ID)), made.Secret.Reveal()), err
}

func (s *site) removeWebhook(ctx context.Context, v *visit) (answer, error) {
	a, err := s.onWebhook(ctx, v, "", func(id webhooks.ID) error {
		_, err := s.Webhooks.Delete(ctx, v.org, id)
		return err
	})
	a.to = redirect(v.hooks(), "endpoint-deleted").to
	return a, err
}
