// Package auth has the names that Traefik v3.7.13 refers to in its fork of
// go-http-auth, which is not on the Go module proxy.  It fails closed: the
// basicAuth and digestAuth middlewares of this Traefik refuse everyone.
package auth

import "net/http"

// SecretProvider gives the secret of a user.
type SecretProvider func(user, realm string) string

// CheckSecret refuses every password.
func CheckSecret(string, string) bool { return false }

// BasicAuth refuses every request.
type BasicAuth struct {
	Realm   string
	Secrets SecretProvider
}

// RequireAuth refuses.
func (*BasicAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// DigestAuth refuses every request.
type DigestAuth struct{}

// NewDigestAuthenticator returns an authenticator that refuses.
func NewDigestAuthenticator(string, SecretProvider) *DigestAuth { return &DigestAuth{} }

// CheckAuth accepts no one.
func (*DigestAuth) CheckAuth(*http.Request) (string, *string) { return "", nil }

// RequireAuth refuses.
func (*DigestAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// RequireAuthStale refuses.
func (*DigestAuth) RequireAuthStale(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// DigestAuthParams finds nothing.
func DigestAuthParams(string) map[string]string { return nil }

func refuse(w http.ResponseWriter) { http.Error(w, "Unauthorized", http.StatusUnauthorized) }
