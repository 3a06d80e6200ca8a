import { type AsyncSigner, accountIdFromPublicKey, formatAddress } from '@switchyard/protocol';
import { getEd25519, SEED_LENGTH, signWith } from './ed25519.ts';

/**
 * A key as IndexedDB keeps it. `signing` gives no secret away to anything; if the browser has no Ed25519 of its own,
 * it is absent. The seed is sealed by `vault`, a key that cannot be read either, and is opened for an export only, or to
 * sign without `signing`.
 */
export interface StoredKey {
  readonly address: string;
  readonly name: string;
  /** Orders the keys of a browser: milliseconds by its clock when the page of its making was opened, and since. */
  readonly createdAt: number;
  readonly publicKey: Uint8Array;
  readonly signing: CryptoKey | undefined;
  readonly vault: CryptoKey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

export const randomSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(SEED_LENGTH));

/** @throws if the page has no WebCrypto, as over plain HTTP from another machine. */
export async function sealKey(seed: Uint8Array, name: string): Promise<StoredKey> {
  const { publicKey, signing } = await getEd25519(seed);
  const vault = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, vault, Uint8Array.from(seed));
  // The page may be open for long, and its clock may be set in the meantime.
  const createdAt = performance.timeOrigin + performance.now();
  return {
    address: formatAddress(accountIdFromPublicKey(publicKey)),
    name,
    createdAt,
    publicKey,
    signing,
    vault,
    iv,
    sealed,
  };
}

export async function openSeed({ vault, iv, sealed }: StoredKey): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, vault, sealed));
}

export function signerOfKey(key: StoredKey): AsyncSigner {
  const { signing, publicKey } = key;
  return {
    publicKey,
    account: accountIdFromPublicKey(publicKey),
    sign: async (message) => signWith(signing ?? (await openSeed(key)), message),
  };
}

/** Signer with a key in memory: a development key, or one for this visit. */
export async function signerOfSeed(seed: Uint8Array): Promise<AsyncSigner> {
  const { publicKey, signing } = await getEd25519(seed);
  return {
    publicKey,
    account: accountIdFromPublicKey(publicKey),
    sign: (message) => signWith(signing ?? seed, message),
  };
}
