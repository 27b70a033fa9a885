package devstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the user who owns a cluster. initdb and postgres refuse to
// run as root, so there it is postgres or nobody; otherwise it is ourselves
// and credential is nil.
type owner struct{ credential *syscall.Credential }

func clusterOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return owner{}, err
		}
		return owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return owner{}, errors.New("root may not run Postgres, and there is neither a user postgres nor nobody")
}

// become makes cmd run as the owner.
func (o owner) become(cmd *exec.Cmd) {
	cmd.Dir = "/"
	if o.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: o.credential}
	}
}

// write creates a file that only the owner can read.
func (o owner) write(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	if o.credential == nil {
		return nil
	}
	return os.Chown(path, int(o.credential.Uid), int(o.credential.Gid))
}

// place returns the directory for a cluster that is wanted at dir, made for
// the owner. A user other than root may be unable to enter a checkout (below
// /root, say): then the data lies in /var/tmp and dir is a link to it.
func (o owner) place(dir string) (string, error) {
	if o.credential == nil {
		return dir, os.MkdirAll(dir, 0o700)
	}
	sum := sha256.Sum256([]byte(dir))
	real := filepath.Join("/var/tmp", "quayside-"+hex.EncodeToString(sum[:8]), "postgres")
	target, err := os.Readlink(dir)
	switch {
	case err == nil && target != real:
		return "", fmt.Errorf("%s leads to %s, not to %s: run make clean", dir, target, real)
	case errors.Is(err, fs.ErrNotExist):
		// Existing data belongs to a checkout that was removed without make clean; its password is lost.
		err = errors.Join(os.RemoveAll(real), os.Symlink(real, dir))
	}
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(real, 0o700); err != nil {
		return "", err
	}
	for _, path := range []string{filepath.Dir(real), real} {
		if err := os.Chown(path, int(o.credential.Uid), int(o.credential.Gid)); err != nil {
			return "", err
		}
	}
	return real, nil
}
