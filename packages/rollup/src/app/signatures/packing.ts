/* Loads nothing of the protocol package: a thread that only verifies should not load all of it. */
const SIGNATURE_LENGTH = 64;
const PUBLIC_KEY_LENGTH = 32;
const HEAD = SIGNATURE_LENGTH + PUBLIC_KEY_LENGTH + 4;

export interface Signed {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Bytes that the signature covers. */
  readonly message: Uint8Array;
}

/**
 * One buffer of its own for all, so that it can be handed to a thread: for each, signature (64 bytes), key (32), length
 * of the message (4, big-endian), message. An envelope that was decoded has parts of these lengths.
 */
export function pack(items: readonly Signed[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(items.reduce((sum, { message }) => sum + HEAD + message.length, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { signature, publicKey, message } of items) {
    packed.set(signature, at);
    packed.set(publicKey, at + SIGNATURE_LENGTH);
    view.setUint32(at + HEAD - 4, message.length);
    packed.set(message, at + HEAD);
    at += HEAD + message.length;
  }
  return packed;
}

export function unpack(packed: Uint8Array): Signed[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const items: Signed[] = [];
  for (let at = 0; at < packed.length; ) {
    const end = at + HEAD + view.getUint32(at + HEAD - 4);
    items.push({
      signature: packed.subarray(at, at + SIGNATURE_LENGTH),
      publicKey: packed.subarray(at + SIGNATURE_LENGTH, at + HEAD - 4),
      message: packed.subarray(at + HEAD, end),
    });
    at = end;
  }
  return items;
}
