package devstack

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// secrets are random and created once per state directory.
type secrets struct {
	postgres       string // the password of the cluster's owner
	tokensPostgres string // the password of servingLogin
	credentialFile string // the gateway's credential for tokens-svc
	peppersFile    string // the peppers of tokens-svc
	webhooksFile   string // the webhook keys of shipments-svc
	totpFile       string // the keys of authenticator apps of tokens-svc
	signingKeyFile string // the gateway's signing key
	publicKeyFile  string // its public key
}

func loadSecrets(dir string) (s secrets, err error) {
	s.credentialFile = filepath.Join(dir, "gateway-credential")
	s.peppersFile = filepath.Join(dir, "token-peppers")
	s.signingKeyFile = filepath.Join(dir, "gateway-key.pem")
	s.publicKeyFile = filepath.Join(dir, "gateway-public-key.pem")
	s.webhooksFile = filepath.Join(dir, "webhook-keys")
	s.totpFile = filepath.Join(dir, "totp-keys")
	for path, fresh := range map[string]string{
		filepath.Join(dir, "postgres-password"): rand.Text(),
		filepath.Join(dir, "tokens-password"):   rand.Text(),
		s.credentialFile:                        rand.Text() + rand.Text(),
		s.peppersFile:                           newKey(),
		s.webhooksFile:                          newKey(),
		s.totpFile:                              newKey(),
	} {
		if err := writeOnce(path, fresh); err != nil {
			return s, err
		}
	}
	if err := s.writeKeys(); err != nil {
		return s, err
	}
	for name, into := range map[string]*string{"postgres-password": &s.postgres, "tokens-password": &s.tokensPostgres} {
		password, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // G304: our own file
		if err != nil {
			return s, err
		}
		*into = string(password)
	}
	return s, nil
}

// newKey returns a random key as the services read them, version:base64.
func newKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "1:" + base64.StdEncoding.EncodeToString(key)
}

// writeKeys creates the gateway's key and its public key, once.
func (s secrets) writeKeys() error {
	if _, err := os.Stat(s.publicKeyFile); err == nil {
		return nil
	}
	public, key, _ := ed25519.GenerateKey(nil) // never fails
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(s.signingKeyFile, []byte(inPEM("PRIVATE KEY", private)), 0o600),
		os.WriteFile(s.publicKeyFile, []byte(inPEM("PUBLIC KEY", der)), 0o600))
}

func inPEM(label string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

// writeOnce writes a file unless it exists.
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
