import { fields } from '@switchyard/messenger/config';
import { ownVariable, rollupBuiltin } from '../config/entry.ts';
import type { Instance } from '../instance/instance.ts';

/** The URL of a listener; a wildcard address is called on the loopback. */
export function urlOfListener(address: string): string {
  if (/^(unix:|https?:\/\/)/i.test(address)) return address;
  return `http://${address.replace(/^(0\.0\.0\.0|\[::\])?(?=:\d+$)/, '127.0.0.1')}`;
}

/**
 * Address of the messenger of a network, from the files of the instance have it; `undefined` when there is none. No other
 * service decides this setting, so the plan of the network is not made, which each command would wait for.
 */
export function findMessengerUrl({ network, base }: Instance): string | undefined {
  const entry = network.services.find((each) => rollupBuiltin(each) === 'messenger');
  if (entry === undefined) return undefined;
  const { names, fallback } = fields.restAddr;
  return urlOfListener(ownVariable(entry, fields.restAddr)?.value ?? base[names[0]] ?? fallback ?? '');
}
