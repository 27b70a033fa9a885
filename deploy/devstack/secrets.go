package devstack

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// secrets are made once per state directory, at random.
type secrets struct {
	postgres       string // the password of the cluster's owner
	credentialFile string // what the gateway shows to the tokens service
	peppersFile    string // the tokens service's HMAC key
}

func loadSecrets(dir string) (s secrets, err error) {
	s.credentialFile = filepath.Join(dir, "gateway-credential")
	s.peppersFile = filepath.Join(dir, "token-peppers")
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper) // never fails
	for path, fresh := range map[string]string{
		filepath.Join(dir, "postgres-password"): rand.Text(),
		s.credentialFile:                        rand.Text() + rand.Text(),
		s.peppersFile:                           "1:" + base64.StdEncoding.EncodeToString(pepper),
	} {
		if err := writeOnce(path, fresh); err != nil {
			return s, err
		}
	}
	password, err := os.ReadFile(filepath.Join(dir, "postgres-password")) //nolint:gosec // G304: our own file
	s.postgres = string(password)
	return s, err
}

// writeOnce leaves a file alone that is there already.
func writeOnce(path, content string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // G304: our own file
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
