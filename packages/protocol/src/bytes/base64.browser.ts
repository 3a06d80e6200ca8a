/** The bytes of base64 text, which the caller has checked. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Standard alphabet, padded. */
export function base64OfBytes(bytes: Uint8Array): string {
  let text = '';
  // One call for all of them would need as many arguments.
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
