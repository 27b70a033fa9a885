// Package timerslack lets the kernel delay a program's timers by up to a
// millisecond, so that the Go runtime wakes less often.
//
// While a program does anything, the runtime's monitor thread sleeps for 20 µs
// at a time, to which Linux adds its default slack of 50 µs. With few requests
// these wakings are a quarter of a service's CPU time. The price: a goroutine in
// a blocking system call may keep its processor for a millisecond longer.
package timerslack

import "time"

const slack = time.Millisecond
