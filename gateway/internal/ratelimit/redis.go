package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

func init() {
	// go-redis would log a line of its own for each failed connection.
	redis.SetLogger(discardLogger{})
}

type discardLogger struct{}

// Printf implements go-redis's logger.
func (discardLogger) Printf(context.Context, string, ...any) {}

// NewClient returns a client for the Redis at url (redis://, rediss:// or unix://). Its timeouts detect an
// unreachable Redis in 50 to 100 ms instead of go-redis's 1.7 to 5 s. It does not connect. The error never contains
// url, which may hold a password.
func NewClient(url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("not a redis:// URL")
	}
	// Without this, go-redis ignores a context's deadline on the socket.
	options.ContextTimeoutEnabled = true
	options.DialTimeout = 100 * time.Millisecond
	options.ReadTimeout = 50 * time.Millisecond
	options.WriteTimeout = 50 * time.Millisecond
	options.PoolTimeout = 50 * time.Millisecond
	// A repeated script counts twice, and a repeated dial waits twice.
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.PoolSize = 64
	// RESP3 makes go-redis look for push messages before each reply; none is needed here.
	options.Protocol = 2
	// Both cost a round trip on connecting; neither is needed here.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(options), nil
}
