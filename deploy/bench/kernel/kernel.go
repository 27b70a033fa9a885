// Package kernel reads from Linux the CPU time and peak memory of another process,
// and provides precise ticks.
//
// On other systems everything returns [errors.ErrUnsupported].
package kernel
