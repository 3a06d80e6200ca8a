import type { Envelope } from '@switchyard/protocol';

// Not from the protocol package: a thread that only verifies should not load all of it.
const SIGNATURE_LENGTH = 64;
const PUBLIC_KEY_LENGTH = 32;
const HEAD = SIGNATURE_LENGTH + PUBLIC_KEY_LENGTH + 4;

export type Signed = Pick<Envelope, 'signature' | 'publicKey' | 'body'>;

/**
 * One buffer of its own for all, so that it can be handed to a thread: for each, signature (64 bytes), key (32), length
 * of the body (4, big-endian), body. An envelope that was decoded has parts of these lengths.
 */
export function pack(items: readonly Signed[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(items.reduce((sum, { body }) => sum + HEAD + body.length, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { signature, publicKey, body } of items) {
    packed.set(signature, at);
    packed.set(publicKey, at + SIGNATURE_LENGTH);
    view.setUint32(at + HEAD - 4, body.length);
    packed.set(body, at + HEAD);
    at += HEAD + body.length;
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
      body: packed.subarray(at + HEAD, end),
    });
    at = end;
  }
  return items;
}
