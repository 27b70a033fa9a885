//go:build !linux

package timerslack

// Relax does nothing: only Linux has timer slack.
func Relax() {}
