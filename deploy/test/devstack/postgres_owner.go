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

// Owner is the user who owns a cluster. initdb and postgres refuse to
// run as root, so there it is the user postgres or nobody; otherwise it is the current user
// and credential is nil.
type Owner struct{ credential *syscall.Credential }

// ClusterOwner returns the owner of clusters on this machine.
func ClusterOwner() (Owner, error) {
	if os.Geteuid() != 0 {
		return Owner{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return Owner{}, err
		}
		return Owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return Owner{}, errors.New("root may not run Postgres, and there is neither a user postgres nor nobody")
}

// Become makes cmd run as the owner.
func (o Owner) Become(cmd *exec.Cmd) {
	cmd.Dir = "/"
	if o.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: o.credential}
	}
}

// Write creates a file that only the owner can read.
func (o Owner) Write(path, content string) error {
	return errors.Join(os.WriteFile(path, []byte(content), 0o600), o.Own(path))
}

// Own gives a file or a directory to the owner.
func (o Owner) Own(path string) error {
	if o.credential == nil {
		return nil
	}
	return os.Chown(path, int(o.credential.Uid), int(o.credential.Gid))
}

// place returns the directory for a cluster that is wanted at dir, made for
// the owner. A user other than root may be unable to enter a checkout (below
// /root, say): then the data lies in /var/tmp and dir is a link to it.
func (o Owner) place(dir string) (string, error) {
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
	return real, errors.Join(os.MkdirAll(real, 0o700), o.Own(filepath.Dir(real)), o.Own(real))
}
