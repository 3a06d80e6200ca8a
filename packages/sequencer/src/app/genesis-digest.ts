import { sha256, toHex } from '@switchyard/protocol';
import { exactJsonText, parseExactJson } from '@switchyard/service';
import type { Genesis } from './types.ts';

/** Names a genesis, whatever the white space of its app state. 32 bytes. */
export function digestOf({ chainId, time, initialHeight, consensusParams, validators, appState }: Genesis): Uint8Array {
  const state = parseExactJson(new TextDecoder().decode(appState));
  const keys = validators.map(({ publicKey, power }) => [toHex(publicKey), power]);
  const content = [chainId, time.seconds, time.nanos, initialHeight, consensusParams, keys].map((part) =>
    JSON.stringify(part, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  );
  return sha256(new TextEncoder().encode(`[${[...content, exactJsonText(state)].join(',')}]`));
}
