package parting

import (
	"net"
	"reflect"
	"syscall"

	"golang.org/x/sys/unix"
)

// steer has the kernel give new connections to the configuration that comes, where l is that of the one that goes,
// and reports whether it does. Connections that wait at l already stay there until they are accepted.
//
// Caddy opens a socket for each configuration, all with the same address (SO_REUSEPORT), and the kernel chooses one
// for each connection. They are numbered as they came: the one that goes is 0, the one that comes is 1. Told to take
// number 1, the kernel still chooses by itself where there is none. It is told so for as long as any of them is open.
func steer(l net.Listener) bool {
	socket, ok := socketOf(l).(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	next := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 1}
	program := unix.SockFprog{Len: 1, Filter: &next}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &program)
	})
	return err == nil && refused == nil
}

// socketOf returns what Caddy has put a listener of its own around, which has no method that tells.
func socketOf(l net.Listener) net.Listener {
	around := reflect.ValueOf(l)
	if around.Kind() != reflect.Struct {
		return l
	}
	field := around.FieldByName("Listener")
	if !field.IsValid() || !field.CanInterface() {
		return l
	}
	inner, _ := reflect.TypeAssert[net.Listener](field)
	return inner
}
