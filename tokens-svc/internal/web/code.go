package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// keyCode is where the session of a browser in which nobody is signed in keeps a codeStep.
const keyCode = "code"

// codeStepLife is how long a person has to find the code.
const codeStepLife = 10 * time.Minute

// codeStep is a sign-in whose password was right, and which needs a code.
type codeStep struct {
	User  people.UserID
	Epoch int64 // of the account's sessions at that time
	Next  string
	Ends  time.Time
}

// secondForm is the second page of signing in.
type secondForm struct{ pages.Faults }

func (f secondForm) with(all faults) answer {
	f.Faults = all
	return page("code", "Enter a code", f)
}

// afterPassword starts the session of a person whose password was right, or leads to the second page.
func (s *site) afterPassword(ctx context.Context, user people.User, next string) (answer, error) {
	if !user.HasApp {
		return s.startSessionWithPassword(ctx, user, next)
	}
	text, err := json.Marshal(codeStep{user.ID, user.SessionEpoch, next, s.People.Now().Add(codeStepLife)})
	if err != nil {
		return answer{}, fmt.Errorf("keep a sign-in: %w", err)
	}
	if err := s.sessions.SignIn(ctx, people.User{}); err != nil { // of nobody, under a new token
		return answer{}, err
	}
	s.sessions.Put(ctx, keyCode, string(text))
	return redirect("/sign-in/code"), nil
}

func (s *site) showCode(ctx context.Context, _ *visit) (answer, error) {
	if _, ok := s.codeStep(ctx); !ok {
		return redirect("/sign-in"), nil
	}
	return secondForm{}.with(nil), nil
}

// codeStep returns the sign-in that the session keeps, and keeps it for another attempt.
func (s *site) codeStep(ctx context.Context) (step codeStep, ok bool) {
	text := s.sessions.Take(ctx, keyCode)
	if json.Unmarshal([]byte(text), &step) != nil || !s.People.Now().Before(step.Ends) {
		return codeStep{}, false
	}
	s.sessions.Put(ctx, keyCode, text)
	return step, true
}

func (s *site) signInWithCode(ctx context.Context, v *visit) (answer, error) {
	step, ok := s.codeStep(ctx)
	if !ok {
		return redirect("/sign-in?ended=1"), nil
	}
	user, err := s.People.User(ctx, step.User)
	if err != nil {
		return answer{}, err
	}
	user.SessionEpoch = step.Epoch
	if user, err = s.People.SignInWithCode(ctx, user, v.PostForm.Get("code"), v.client()); err != nil {
		return refused(err, "code", secondForm{}.with, wrongCodeOfApp("code"),
			refusal{people.ErrDisabled, http.StatusForbidden, "code", disabledText})
	}
	return s.startSessionWithPassword(ctx, user, step.Next)
}

func wrongCodeOfApp(field string) refusal {
	return refusal{
		people.ErrFactor, http.StatusUnprocessableEntity, field,
		"This code isn't valid. A code of the app works once, and for about a minute.",
	}
}

func wrongPasskey(field string) refusal {
	return refusal{
		people.ErrFactor, http.StatusUnprocessableEntity, field,
		"This passkey isn't valid here. Use another one, or your password.",
	}
}
