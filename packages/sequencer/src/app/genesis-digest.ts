import { sha256, toHex } from '@switchyard/protocol';
import type { Genesis } from './types.ts';

/** Names a genesis, whatever the white space of its app state. 32 bytes. */
export function digestOf({ chainId, time, initialHeight, consensusParams, validators, appState }: Genesis): Uint8Array {
  const state: unknown = JSON.parse(new TextDecoder().decode(appState));
  const keys = validators.map(({ publicKey, power }) => [toHex(publicKey), power]);
  const content = [chainId, time.seconds, time.nanos, initialHeight, consensusParams, keys, state];
  const text = JSON.stringify(content, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return sha256(new TextEncoder().encode(text));
}
