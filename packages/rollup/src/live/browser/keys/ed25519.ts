export const SEED_LENGTH = 32;

/** RFC 8410, section 7: the bytes before the seed in a private key. */
const PKCS8_PREFIX = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** Loaded if the browser has no Ed25519, or gives none to a page over plain HTTP. */
const library = () => import('@switchyard/protocol/ed25519');

export interface Ed25519 {
  readonly publicKey: Uint8Array;
  /** Gives no secret away; undefined if the browser has no Ed25519. */
  readonly signing: CryptoKey | undefined;
}

export async function getEd25519(seed: Uint8Array): Promise<Ed25519> {
  const browsers = await inBrowser(seed).catch(() => undefined);
  return browsers ?? { publicKey: (await library()).keyPair(seed).publicKey, signing: undefined };
}

/** @param key A key held by the browser, or a seed. */
export async function signWith(key: CryptoKey | Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  if (key instanceof Uint8Array) {
    const { keyPair, signDetached } = await library();
    return signDetached(message, keyPair(key).secretKey);
  }
  return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message)));
}

async function inBrowser(seed: Uint8Array): Promise<Ed25519> {
  const pkcs8 = Uint8Array.from([...PKCS8_PREFIX, ...seed]);
  const readable = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'Ed25519' }, true, ['sign']);
  // The only way to the public key: RFC 8037 has it in `x`.
  const { x = '' } = await crypto.subtle.exportKey('jwk', readable);
  const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'));
  return {
    publicKey: Uint8Array.from(binary, (character) => character.charCodeAt(0)),
    signing: await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'Ed25519' }, false, ['sign']),
  };
}
