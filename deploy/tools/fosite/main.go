// Command fosite is an authorization server for tests, made of ory/fosite: tokens for the client "orders" by client
// credentials at /token, and their introspection for it at /introspect (RFC 7662). It prints its address.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/storage"
	"golang.org/x/crypto/bcrypt"
)

func main() {
	secret, err := bcrypt.GenerateFromPassword([]byte("a secret: 50%"), bcrypt.MinCost)
	if err != nil {
		log.Fatal(err)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	store := storage.NewMemoryStore()
	store.Clients["orders"] = &fosite.DefaultClient{
		ID: "orders", Secret: secret, GrantTypes: []string{"client_credentials"}, Scopes: []string{"read", "write"},
	}
	config := &fosite.Config{GlobalSecret: []byte(rand.Text() + rand.Text())[:32], AccessTokenLifespan: time.Hour}
	provider := compose.ComposeAllEnabled(config, store, key)
	session := func() *fosite.DefaultSession { return &fosite.DefaultSession{Subject: "orders@example.com"} }

	http.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		request, err := provider.NewAccessRequest(ctx, r, session())
		if err != nil {
			provider.WriteAccessError(ctx, w, request, err)
			return
		}
		for _, scope := range request.GetRequestedScopes() {
			request.GrantScope(scope)
		}
		response, err := provider.NewAccessResponse(ctx, request)
		if err != nil {
			provider.WriteAccessError(ctx, w, request, err)
			return
		}
		provider.WriteAccessResponse(ctx, w, request, response)
	})
	http.HandleFunc("/introspect", func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		response, err := provider.NewIntrospectionRequest(ctx, r, session())
		if err != nil {
			provider.WriteIntrospectionError(ctx, w, err)
			return
		}
		provider.WriteIntrospectionResponse(ctx, w, response)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal((&http.Server{ReadHeaderTimeout: time.Second}).Serve(listener))
}
