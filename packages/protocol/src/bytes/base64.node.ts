/** The bytes of base64 text, which the caller has checked: Node skips all other characters. */
export function bytesOfBase64(text: string): Uint8Array {
  // A copy: a short Buffer is a view of memory that others share.
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Standard alphabet, padded. */
export function base64OfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
