import type { Schema } from '../input/schema.ts';
import { optional } from '../input/shapes.ts';
import { words } from '../input/values.ts';
import { type Field, field } from '../settings/config.ts';
import { path } from '../settings/parsers.ts';
import type { PeerRule } from './authenticator.ts';

/** Settings of a server that asks its callers who they are; `K` is the prefix of their keys. */
export type ServerAuthFields<K extends string> = {
  readonly [P in `${K}Auth`]: Field<PeerRule>;
} & {
  readonly [P in `${K}SecretFile` | `${K}TlsCertFile` | `${K}TlsKeyFile` | `${K}TlsClientCaFile`]: Field<
    string | undefined
  >;
};

/** Settings of a client of such a server. */
export type ClientAuthFields<K extends string> = {
  readonly [P in `${K}SecretFile` | `${K}TlsCertFile` | `${K}TlsKeyFile` | `${K}TlsCaFile`]: Field<string | undefined>;
};

const file = optional(path);

/**
 * @param key Such as `execution`.
 * @param prefix Of the variables, such as `EXECUTION_`.
 * @param rules The permitted rules; the first is used if nothing is set.
 */
export function serverAuthFields<K extends string>(
  key: K,
  prefix: string,
  rules: readonly ['local', 'secret', ...PeerRule[]],
): ServerAuthFields<K> {
  const rule: Schema<PeerRule> = words(...rules);
  const open = rules.includes('open') ? ', open: none' : '';
  const fields = {
    [`${key}Auth`]: field(`${prefix}AUTH`, rule, {
      help: `which callers need a secret or a client certificate; local: those on other machines, secret: all${open}`,
      fallback: 'local',
    }),
    [`${key}SecretFile`]: field(`${prefix}SECRET_FILE`, file, {
      help: 'file, of mode 0600, with the secret that callers show; the other end needs the same secret',
    }),
    [`${key}TlsCertFile`]: field(`${prefix}TLS_CERT_FILE`, file, {
      help: 'certificate of this server, in PEM; callers then use https://',
    }),
    [`${key}TlsKeyFile`]: field(`${prefix}TLS_KEY_FILE`, file, { help: 'its key, in PEM, of mode 0600' }),
    [`${key}TlsClientCaFile`]: field(`${prefix}TLS_CLIENT_CA_FILE`, file, {
      help: 'authorities, in PEM, that sign client certificates; callers without one cannot connect',
    }),
  };
  // Built key by key as the type states; the compiler does not follow computed keys.
  return fields as unknown as ServerAuthFields<K>;
}

export function clientAuthFields<K extends string>(key: K, prefix: string, server: string): ClientAuthFields<K> {
  const fields = {
    [`${key}SecretFile`]: field(`${prefix}SECRET_FILE`, file, {
      help: `file, of mode 0600, with the secret that ${server} asks for`,
    }),
    [`${key}TlsCaFile`]: field(`${prefix}TLS_CA_FILE`, file, {
      help: `authorities, in PEM, that sign the certificate of ${server}; those of the system if unset`,
    }),
    [`${key}TlsCertFile`]: field(`${prefix}TLS_CERT_FILE`, file, {
      help: `certificate of this client, in PEM, where ${server} asks for one`,
    }),
    [`${key}TlsKeyFile`]: field(`${prefix}TLS_KEY_FILE`, file, { help: 'its key, in PEM, of mode 0600' }),
  };
  return fields as unknown as ClientAuthFields<K>;
}
