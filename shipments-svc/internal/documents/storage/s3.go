package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Bucket is a bucket with its credentials.
type Bucket struct {
	Endpoint  string // an http or https URL without a path
	Name      string
	Region    string // empty: the default of the service
	AccessKey string // empty: that of the workload, by web identity or the host's metadata
	SecretKey string
}

// S3 stores files in a bucket, as objects ORGANIZATION/DOCUMENT.
type S3 struct {
	observer
	client *minio.Client
	bucket string
}

// NewS3 returns an S3 on an existing bucket. It does not connect. Its error says all that is
// wrong, with the names of settings.
func NewS3(b Bucket) (*S3, error) {
	var errs []error
	if err := s3utils.CheckValidBucketName(b.Name); err != nil {
		errs = append(errs, fmt.Errorf("S3_BUCKET is %q: %w", b.Name, err))
	}
	u, err := url.Parse(b.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" {
		errs = append(errs, fmt.Errorf(
			"S3_ENDPOINT is %q: want an http or https URL without a path, such as https://s3.amazonaws.com",
			b.Endpoint))
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	keys := credentials.NewStaticV4(b.AccessKey, b.SecretKey, "")
	if b.AccessKey == "" {
		keys = credentials.NewIAM("")
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: keys, Secure: u.Scheme == "https", Region: b.Region,
		MaxRetries: 2,
	})
	if err != nil {
		return nil, fmt.Errorf("S3_ENDPOINT: %w", err)
	}
	return &S3{client: client, bucket: b.Name}, nil
}

// Put implements shipments.Files. S3 writes are atomic.
func (s *S3) Put(ctx context.Context, key shipments.FileKey, content io.Reader, size int64) error {
	_, err := s.client.PutObject(ctx, s.bucket, formatKey(key), content, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	return s.result("put", err)
}

// Open implements shipments.Files.
func (s *S3) Open(ctx context.Context, key shipments.FileKey) (shipments.OpenFile, error) {
	object, err := s.client.GetObject(ctx, s.bucket, formatKey(key), minio.GetObjectOptions{})
	if err != nil {
		return nil, s.result("open", err)
	}
	if _, err := object.Stat(); err != nil { // sends the request
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			// A HEAD request gets 404 for a missing bucket, too, which is an outage.
			if found, _ := s.client.BucketExists(ctx, s.bucket); found {
				err = shipments.ErrNoFile
			}
		}
		return nil, errors.Join(s.result("open", err), object.Close())
	}
	return opened{object, s}, s.result("open", nil)
}

// opened is a file that is read while it is transferred.
type opened struct {
	*minio.Object
	from *S3
}

// ReadAt implements io.ReaderAt.
func (o opened) ReadAt(part []byte, at int64) (n int, err error) {
	if n, err = o.Object.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
		err = o.from.result("read", err)
	}
	return n, err
}

// Delete implements shipments.Files.
func (s *S3) Delete(ctx context.Context, key shipments.FileKey) error {
	return s.result("delete", s.client.RemoveObject(ctx, s.bucket, formatKey(key), minio.RemoveObjectOptions{}))
}

// List implements shipments.Files.
func (s *S3) List(ctx context.Context, before time.Time) iter.Seq2[shipments.FileKey, error] {
	return func(yield func(shipments.FileKey, error) bool) {
		ctx, cancel := context.WithCancel(ctx) // ends the listing when the loop ends
		defer cancel()
		for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Recursive: true}) {
			if object.Err != nil {
				yield(shipments.FileKey{}, s.result("list", object.Err))
				return
			}
			if key, ok := parseKey(object.Key); ok && object.LastModified.Before(before) && !yield(key, nil) {
				return
			}
		}
		_ = s.result("list", nil)
	}
}

var _ Store = (*S3)(nil)
