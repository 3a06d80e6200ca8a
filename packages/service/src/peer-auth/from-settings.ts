import { Authenticator, type GrpcAuth, type PeerRule } from './authenticator.ts';
import type { PeerCredentials } from './credentials.ts';
import { SecretFile } from './secret-file.ts';
import { readTls, type TlsFiles } from './tls.ts';

type Table<K extends string> = { readonly [P in K]: { readonly names: readonly [string, ...string[]] } };
type Paths<K extends string> = { readonly [P in K]: string | undefined };
type Rule<K extends string> = { readonly [P in `${K}Auth`]: PeerRule };
type ServerFiles = 'SecretFile' | 'TlsCertFile' | 'TlsKeyFile' | 'TlsClientCaFile';
type ClientFiles = 'SecretFile' | 'TlsCertFile' | 'TlsKeyFile' | 'TlsCaFile';

/**
 * Authentication for `serveGrpc`, from the values of the settings.
 *
 * @throws {InvalidConfig} if a file cannot be used.
 */
export function serverAuth<K extends string>(
  key: K,
  table: Table<`${K}Auth` | `${K}${ServerFiles}`>,
  values: Paths<`${K}${ServerFiles}`> & Rule<K>,
): GrpcAuth {
  const secret = findSecret(key, table, values);
  const settings = { rule: table[`${key}Auth`].names[0], secret: table[`${key}SecretFile`].names[0] };
  const tls = readTls(toFiles(key, 'TlsClientCaFile', table, values));
  const { [`${key}Auth` as const]: rule }: Rule<K> = values;
  return { authenticator: new Authenticator({ rule, secret, settings }), tls };
}

/** Credentials for `grpcTransport`. @throws {InvalidConfig} if a file cannot be used. */
export function clientAuth<K extends string>(
  key: K,
  table: Table<`${K}${ClientFiles}`>,
  values: Paths<`${K}${ClientFiles}`>,
): PeerCredentials {
  return { secret: findSecret(key, table, values), tls: readTls(toFiles(key, 'TlsCaFile', table, values)) };
}

function findSecret<K extends string>(key: K, table: Table<`${K}SecretFile`>, values: Paths<`${K}SecretFile`>) {
  const found = values[`${key}SecretFile`];
  return found === undefined ? undefined : new SecretFile(found, table[`${key}SecretFile`].names[0]);
}

function toFiles<K extends string, A extends 'TlsCaFile' | 'TlsClientCaFile'>(
  key: K,
  authorities: A,
  table: Table<`${K}TlsCertFile` | `${K}TlsKeyFile` | `${K}${A}`>,
  values: Paths<`${K}TlsCertFile` | `${K}TlsKeyFile` | `${K}${A}`>,
): TlsFiles {
  const one = (name: `${K}TlsCertFile` | `${K}TlsKeyFile` | `${K}${A}`) => ({
    path: values[name],
    setting: table[name].names[0],
  });
  return { cert: one(`${key}TlsCertFile`), key: one(`${key}TlsKeyFile`), ca: one(`${key}${authorities}`) };
}
