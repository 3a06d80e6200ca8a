import type { SecretFile } from './secret-file.ts';
import type { TlsMaterial } from './tls.ts';

/** The means by which a client shows its identity, and knows its server. */
export interface PeerCredentials {
  readonly secret?: SecretFile | undefined;
  readonly tls?: TlsMaterial | undefined;
}

/** Read for each call: a secret may be exchanged while a connection is open. */
export function credentialHeaders({ secret }: PeerCredentials): Readonly<Record<string, string>> {
  return secret === undefined ? {} : { authorization: `Bearer ${secret.reveal()}` };
}
