//go:build tools

// Package tools pins the programs of other modules that scripts/kubernetes.mjs builds.
package tools

import (
	_ "github.com/rancher/local-path-provisioner"
	_ "github.com/traefik/traefik/v3/cmd/traefik"
)
