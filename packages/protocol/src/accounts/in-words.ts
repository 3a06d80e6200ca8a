import { DEFAULT_PREFIX, formatAddress } from './address.ts';
import { type AccountId, assetIdFromTrace } from './ids.ts';

/**
 * The message of a refusal with assets and accounts as people know them. State machines know both by hashes and bytes only.
 *
 * @param traces Assets that can be meant. Others get the form of their hash, `ibc/...`.
 */
export function inWords(message: string, traces: readonly string[], prefix: string = DEFAULT_PREFIX): string {
  return message
    .replace(
      /(?<=\basset )[0-9a-f]{64}\b/g,
      (id) => traces.find((each) => assetIdFromTrace(each) === id) ?? `ibc/${id}`,
    )
    .replace(/(?<=\baccount )[0-9a-f]{40}\b/g, (id) => formatAddress(id as AccountId, prefix)); // 40 hex digits, just matched
}
