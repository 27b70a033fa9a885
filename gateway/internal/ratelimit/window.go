package ratelimit

import (
	"hash/crc32"
	"strconv"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// keyGrace is how long a key stays in Redis after its window, for gateways whose estimate of Redis's clock is a
// little behind.
const keyGrace = 5 * time.Second

// limit makes redis_rate's leaky bucket an exact counter. Each request costs one Period of a bucket that is Limit
// Periods deep and regains one request per Period. A key is used for one window and at most keyGrace, plus the skew
// between the gateways' estimates; Period is a minute longer than the window, so no request is regained while the key
// is in use. Whole seconds keep the script's floating-point sums exact.
func (q Quota) limit() redis_rate.Limit {
	return redis_rate.Limit{Rate: 1, Burst: q.Limit, Period: q.Window + time.Minute}
}

// window is the time in which requests of an id are counted together.
type window struct {
	length time.Duration
	offset int64 // in seconds, by the id
	number int64
}

// windowAt returns the window of id at now. Windows of one length follow each other without a gap, offset by a number
// of whole seconds that depends only on id: all gateways agree on it.
func windowAt(now time.Time, id string, length time.Duration) window {
	w := window{length: length}
	w.offset = int64(crc32.ChecksumIEEE([]byte(id))) % w.seconds()
	w.number = (now.Unix() - w.offset) / w.seconds()
	return w
}

func (w window) seconds() int64 { return int64(w.length / time.Second) }

// end is when the next window begins.
func (w window) end() time.Time {
	return time.Unix((w.number+1)*w.seconds()+w.offset, 0)
}

// redisPrefix is what redis_rate puts before every key.
const redisPrefix = "rate:"

// key returns the name of id's window in Redis, without redisPrefix. It contains the length, so that a token whose
// window changes does not continue an old count.
func (w window) key(id string) string {
	return id + ":" + strconv.FormatInt(w.seconds(), 10) + ":" + strconv.FormatInt(w.number, 10)
}
