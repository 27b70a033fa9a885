package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/kit/endpoint"
)

func Example() {
	observe := Observe(func(response any, err error, _ time.Duration) { fmt.Println("observed:", response, err) })
	divide := endpoint.Chain(observe, Recover)(func(_ context.Context, request any) (any, error) {
		return 12 / request.(int), nil
	})
	_, _ = divide(context.Background(), 4)
	_, _ = divide(context.Background(), 0)
	// Output:
	// observed: 3 <nil>
	// observed: <nil> panic: runtime error: integer divide by zero
}

func TestAPanicIsAnErrorWithItsStack(t *testing.T) {
	t.Parallel()
	_, err := Recover(func(context.Context, any) (any, error) { panic("oops") })(t.Context(), nil)
	e, ok := errors.AsType[*PanicError](err)
	if !ok || e.Value != "oops" || e.Error() != "panic: oops" || !bytes.Contains(e.Stack, []byte("middleware_test.go")) {
		t.Errorf("%v", err)
	}
}

func TestACallIsObservedOnceWithItsResultAndDuration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, failure := 0, errors.New("failure")
		observe := Observe(func(response any, err error, took time.Duration) {
			calls++
			if response != "response" || !errors.Is(err, failure) || took != time.Second {
				t.Errorf("observed %v, %v, %s", response, err, took)
			}
		})
		response, err := observe(func(context.Context, any) (any, error) {
			<-time.After(time.Second) // of the test's clock
			return "response", failure
		})(t.Context(), "request")
		if calls != 1 || response != "response" || !errors.Is(err, failure) {
			t.Errorf("observed %d times; %v, %v", calls, response, err)
		}
	})
}
