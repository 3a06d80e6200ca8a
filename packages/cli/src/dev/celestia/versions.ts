/** Versions that we are tested with and `dev install celestia` builds. The node's go.mod names this celestia-app. */
export const NODE_VERSION = 'v0.31.6-corto';
export const APP_VERSION = 'v9.0.4';
