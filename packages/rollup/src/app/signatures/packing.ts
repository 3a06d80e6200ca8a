/* Loads nothing of the protocol package: a thread that only verifies should not load all of it. */

/** Lengths of signature and key: those of Ed25519, and of a wallet, which has an account in place of a key. */
const LENGTHS = [
  [64, 32],
  [65, 20],
] as const;
/** Bytes before these: the scheme, and the length of the message. */
const HEAD = 5;

export interface Signed {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Bytes that the signature covers. */
  readonly message: Uint8Array;
}

/**
 * One buffer of its own for all, so that it can be handed to a thread: for each, its scheme (1 byte), length
 * of the message (4, big-endian), signature, key, message. An envelope that was decoded has parts of these lengths.
 */
export function pack(items: readonly Signed[]): Uint8Array<ArrayBuffer> {
  const sizes = items.map(({ signature, publicKey, message }) => signature.length + publicKey.length + message.length);
  const packed = new Uint8Array(sizes.reduce((sum, size) => sum + HEAD + size, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { signature, publicKey, message } of items) {
    packed[at] = LENGTHS.findIndex(([length]) => length === signature.length);
    view.setUint32(at + 1, message.length);
    at += HEAD;
    for (const part of [signature, publicKey, message]) {
      packed.set(part, at);
      at += part.length;
    }
  }
  return packed;
}

export function unpack(packed: Uint8Array): Signed[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const items: Signed[] = [];
  for (let at = 0; at < packed.length; ) {
    const [ofSignature, ofKey] = LENGTHS[packed[at] === 0 ? 0 : 1];
    const key = at + HEAD + ofSignature;
    const message = key + ofKey;
    const end = message + view.getUint32(at + 1);
    items.push({
      signature: packed.subarray(at + HEAD, key),
      publicKey: packed.subarray(key, message),
      message: packed.subarray(message, end),
    });
    at = end;
  }
  return items;
}
