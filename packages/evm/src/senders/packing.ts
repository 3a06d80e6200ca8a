import type { Signature } from '@switchyard/evm-machine/recover';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';

/* How signatures go to a thread, and addresses come back: rows of fixed width in one buffer that is handed over. */

/** r, s, digest: 32 bytes each; then the parity. */
const ASKED = 97;
/** Whether there is one, then the address. */
const ANSWERED = 21;

export function packSignatures(signatures: readonly Signature[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(signatures.length * ASKED);
  signatures.forEach(({ r, s, digest, yParity }, index) => {
    const at = index * ASKED;
    packed.set(r, at);
    packed.set(s, at + 32);
    packed.set(digest, at + 64);
    packed[at + 96] = yParity;
  });
  return packed;
}

export function unpackSignatures(packed: Uint8Array): Signature[] {
  return Array.from({ length: packed.length / ASKED }, (_, index) => {
    const at = index * ASKED;
    const part = (from: number) => packed.subarray(at + from, at + from + 32);
    return { r: part(0), s: part(32), digest: part(64), yParity: packed[at + 96] === 1 ? 1 : 0 };
  });
}

export function packSenders(senders: readonly (Address | undefined)[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(senders.length * ANSWERED);
  senders.forEach((sender, index) => {
    if (sender === undefined) return;
    packed[index * ANSWERED] = 1;
    packed.set(hexToBytes(sender), index * ANSWERED + 1);
  });
  return packed;
}

export function unpackSenders(packed: Uint8Array): (Address | undefined)[] {
  return Array.from({ length: packed.length / ANSWERED }, (_, index) => {
    const at = index * ANSWERED;
    return packed[at] === 1 ? bytesToHex(packed.subarray(at + 1, at + ANSWERED)) : undefined;
  });
}
