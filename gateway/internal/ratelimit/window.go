package ratelimit

import (
	"hash/crc32"
	"strconv"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// keyGrace is how long a window's key stays in Redis after the window: a gateway whose reading of
// Redis's clock is a little behind still finds it.
const keyGrace = 5 * time.Second

// limit turns redis_rate's leaking bucket into an exact counter. Each request costs one Period of a
// bucket that is Limit Periods deep and regains one request per Period. A key is used for one window and
// keyGrace at most, plus what the gateways' clocks are apart; as Period is longer by a minute, no request
// is regained while the key is in use. Whole seconds keep the script's floating-point sums exact, so that
// not even the last request of a window is lost to rounding.
func (q Quota) limit() redis_rate.Limit {
	return redis_rate.Limit{Rate: 1, Burst: q.Limit, Period: q.Window + time.Minute}
}

// window is one stretch of time in which the requests of an id are counted together.
type window struct {
	length time.Duration
	number int64
	hash   uint32 // of the id
}

// windowAt returns the window of id that now falls in. Windows of one length follow each other without a
// gap, shifted by a number of whole seconds that only id determines: every gateway must find the same.
func windowAt(now time.Time, id string, length time.Duration) window {
	w := window{length: length, hash: checksum(id)}
	w.number = (now.Unix() - w.offset()) / w.seconds()
	return w
}

func (w window) seconds() int64 { return int64(w.length / time.Second) }
func (w window) offset() int64  { return int64(w.hash) % w.seconds() }

// end is when the next window begins.
func (w window) end() time.Time {
	return time.Unix((w.number+1)*w.seconds()+w.offset(), 0)
}

// is reports whether w and other, which are windows of one id, are the same.
func (w window) is(other window) bool {
	return w.number == other.number && w.length == other.length
}

// key names the window of id in Redis; redis_rate puts "rate:" in front. The length is part of it, so that
// a token whose window is changed does not meet the number of an old one.
func (w window) key(id string) string {
	var space [80]byte
	key := append(append(space[:0], id...), ':')
	key = strconv.AppendInt(key, w.seconds(), 10)
	key = append(key, ':')
	key = strconv.AppendInt(key, w.number, 10)
	return string(key)
}

// checksum is the CRC-32 of id. hash/crc32 would want a copy of it.
func checksum(id string) uint32 {
	sum := ^uint32(0)
	for i := range len(id) {
		sum = crc32.IEEETable[byte(sum&0xff)^id[i]] ^ sum>>8
	}
	return ^sum
}
