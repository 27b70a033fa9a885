package devstack

import "path/filepath"

// files says where the files of the product are.
type files struct {
	root      string // the repository; empty: an archive
	programs  string // a directory; empty until they were built
	caddyfile string
	secrets   string // the directory of those of development
	postgres  string // the directory of a bundled Postgres's binaries; empty: there is none
}

// findFiles returns those of an unpacked archive, or of the repository that the working directory is in.
func findFiles(archive string) (files, error) {
	if archive != "" {
		return files{
			programs: archive, caddyfile: filepath.Join(archive, "Caddyfile"), secrets: filepath.Join(archive, "demo"),
			postgres: filepath.Join(archive, "postgres", "bin"),
		}, nil
	}
	root, err := FindRoot()
	return files{
		root: root, caddyfile: filepath.Join(root, "gateway", "Caddyfile"),
		secrets: filepath.Join(root, "deploy", "compose", "demo"),
	}, err
}
