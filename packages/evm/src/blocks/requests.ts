import { createHash } from 'node:crypto';
import type { Hash } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';

/** Hash of the requests of a block without any: SHA-256 of nothing. */
export const NO_REQUESTS: Hash = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * EIP-7685: the requests that a header from Prague on commits to.
 *
 * @param requests Each with its type before it; none is empty behind that.
 */
export function requestsHash(requests: readonly Uint8Array[]): Hash {
  const sum = createHash('sha256');
  for (const request of requests) sum.update(createHash('sha256').update(request).digest());
  return bytesToHex(sum.digest());
}
