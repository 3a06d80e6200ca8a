import { isDevelopmentKey } from '@switchyard/protocol';
import { InvalidConfig, isLoopbackHost, type KeyKind, type Logger, readKey } from '@switchyard/service';
import type { Field } from '@switchyard/service/settings';

/** The settings that every process with a key of its own has for it. */
interface KeySettings {
  readonly privateKeyFile: string;
  readonly privateKeyPassphraseFile: string | undefined;
  readonly allowDevKey: boolean;
}

/**
 * The key that a process signs with.
 *
 * @param urls Nodes of the chain that it signs for.
 * @throws {InvalidConfig} as `readKey`, and for a published key on a chain that others may use.
 */
export function readSigningKey(
  fields: { readonly [K in keyof KeySettings]: Field<KeySettings[K]> },
  { privateKeyFile: path, privateKeyPassphraseFile: passphraseFile, allowDevKey }: KeySettings,
  kind: KeyKind,
  urls: readonly string[],
  log: Logger,
): Uint8Array {
  const [[variable], [passphraseSetting]] = [fields.privateKeyFile.names, fields.privateKeyPassphraseFile.names];
  const key = readKey({ path, setting: variable, kind, passphraseFile, passphraseSetting, log });
  const elsewhere = urls.find((url) => !isLoopbackHost(new URL(url).hostname));
  if (!isDevelopmentKey(key) || allowDevKey || elsewhere === undefined) return key;
  const advice = `name a key of your own, or set ${fields.allowDevKey.names[0]}=true`;
  const got = `${path}: a public test key, and ${elsewhere} is not local`;
  throw new InvalidConfig({ variable, expected: 'a private key, not a published one', got, advice });
}
