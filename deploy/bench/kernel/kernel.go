// Package kernel asks Linux what a measurement needs and Go does not tell: the
// CPU time of another process, its peak memory, and ticks that come on time.
//
// Elsewhere everything answers [errors.ErrUnsupported].
package kernel
