// Package middleware has the go-kit middleware that every endpoint needs.
package middleware

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-kit/kit/endpoint"
)

// Observe calls observe once after each call, with its result and duration.
func Observe(observe func(response any, err error, took time.Duration)) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			start := time.Now()
			response, err := next(ctx, request)
			observe(response, err, time.Since(start))
			return response, err
		}
	}
}

// PanicError is a panic as an error. Neither is for clients.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Recover turns a panic into a *PanicError, so that it ends one call only.
func Recover(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (response any, err error) {
		defer func() {
			if value := recover(); value != nil {
				err = &PanicError{Value: value, Stack: debug.Stack()}
			}
		}()
		return next(ctx, request)
	}
}
