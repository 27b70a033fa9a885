// Package pool shares values between configurations: a reload keeps those that the next configuration takes as well.
package pool

import (
	"iter"

	"github.com/caddyserver/caddy/v2"
)

// Pool holds values of one type. Each is closed when it was released as often as it was taken.
type Pool[K comparable, V interface{ Close() }] struct{ *caddy.UsagePool }

// New returns an empty pool.
func New[K comparable, V interface{ Close() }]() Pool[K, V] { return Pool[K, V]{caddy.NewUsagePool()} }

// pooled is a value as a caddy.Destructor.
type pooled[V interface{ Close() }] struct{ value V }

// Destruct implements caddy.Destructor.
func (p pooled[V]) Destruct() error {
	p.value.Close()
	return nil
}

// Take returns the value of key, which open makes if there is none, and the function that releases it.
func (p Pool[K, V]) Take(key K, open func() (V, error)) (value V, release func(), err error) {
	shared, _, err := p.LoadOrNew(key, func() (caddy.Destructor, error) {
		made, err := open()
		return pooled[V]{made}, err
	})
	if err != nil {
		return value, nil, err
	}
	return shared.(pooled[V]).value, func() { _, _ = p.Delete(key) }, nil
}

// All returns all values.
func (p Pool[K, V]) All() iter.Seq[V] {
	return func(yield func(V) bool) { p.Range(func(_, value any) bool { return yield(value.(pooled[V]).value) }) }
}
