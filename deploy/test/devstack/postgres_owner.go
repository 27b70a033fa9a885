package devstack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the user who owns a cluster. initdb and postgres refuse to
// run as root, so there it is the user postgres or nobody; otherwise it is the current user
// and credential is nil.
type owner struct{ credential *syscall.Credential }

// clusterOwner returns the owner of clusters on this machine.
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
		return owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, errors.Join(err1, err2)
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
	return errors.Join(os.WriteFile(path, []byte(content), 0o600), o.own(path))
}

// mkdir creates a directory and the one above it for the owner.
func (o owner) mkdir(dir string) error {
	return errors.Join(os.MkdirAll(dir, 0o700), o.own(dir), o.own(filepath.Dir(dir)))
}

// own gives a file or a directory to the owner.
func (o owner) own(path string) error {
	if o.credential == nil {
		return nil
	}
	return os.Chown(path, int(o.credential.Uid), int(o.credential.Gid))
}

// clusterDir returns where the data of the cluster of a state directory lies: of root's in /var/tmp, because its owner
// may be unable to enter a checkout, below /root say.
func clusterDir(state string) string {
	dir := filepath.Join(state, "postgres")
	if os.Geteuid() != 0 {
		return dir
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join("/var/tmp", "quayside-"+hex.EncodeToString(sum[:8]), "postgres")
}
