// Package pool shares values between configurations: a reload keeps those that the next configuration takes as well.
package pool

import (
	"iter"

	"github.com/caddyserver/caddy/v2"
)

// Pool holds values of one type. Each is destructed when it was released as often as it was taken.
type Pool[K comparable, V caddy.Destructor] struct{ *caddy.UsagePool }

// New returns an empty pool.
func New[K comparable, V caddy.Destructor]() Pool[K, V] { return Pool[K, V]{caddy.NewUsagePool()} }

// Take returns the value of key, which open makes if there is none, and the function that releases it.
func (p Pool[K, V]) Take(key K, open func() (V, error)) (value V, release func() error, err error) {
	shared, _, err := p.LoadOrNew(key, func() (caddy.Destructor, error) { return open() })
	if err != nil {
		return value, nil, err
	}
	return shared.(V), func() error {
		_, err := p.Delete(key)
		return err
	}, nil
}

// All returns all values.
func (p Pool[K, V]) All() iter.Seq[V] {
	return func(yield func(V) bool) { p.Range(func(_, value any) bool { return yield(value.(V)) }) }
}
