/** What we are tried with, and what `dev install celestia` builds. The go.mod of the node names the same celestia-app. */
export const NODE_VERSION = 'v0.31.6-corto';
export const APP_VERSION = 'v9.0.4';
