import { isIP } from 'node:net';

/**
 * Peer at an address, for limits: an IPv4 address, or the first 64 bits of an IPv6 address, since the owner of one has
 * all that begin with these.
 *
 * @returns undefined for a text that is no address.
 */
export function findPeer(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '');
  const version = isIP(mapped);
  if (version === 0) return undefined;
  return version === 4 ? mapped : `${firstWords(mapped)}::/64`;
}

/** The first four words of an IPv6 address in its one short spelling each. */
function firstWords(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  // A dotted end stands for two words, and is never among the first four unless `::` stands before it.
  const after =
    tail === undefined || tail === ''
      ? []
      : tail.split(':').flatMap((word) => (word.includes('.') ? [word, word] : [word]));
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const words = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return words
    .slice(0, 4)
    .map((word) => Number.parseInt(word, 16).toString(16))
    .join(':');
}

/** Whether a peer is this machine, whose many programs share few addresses. */
export function isLoopbackPeer(peer: string): boolean {
  return peer === 'local' || peer === '0:0:0:0::/64' || (isIP(peer) === 4 && peer.startsWith('127.'));
}
