import sodium from 'sodium-native';

/** Ed25519 by libsodium. Its verification is stricter than ZIP-215: it accepts nothing that ZIP-215 refuses. */
export function keyPair(seed: Uint8Array): { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array } {
  const publicKey = new Uint8Array(32);
  const secretKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
  return { publicKey, secretKey };
}

export function signDetached(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  sodium.crypto_sign_detached(signature, message, secretKey);
  return signature;
}

export function verifyDetached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(signature, message, publicKey);
}
