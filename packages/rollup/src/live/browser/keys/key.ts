import { type AsyncSigner, accountIdFromPublicKey, formatAddress } from '@switchyard/protocol';
import { getEd25519, SEED_LENGTH, signWith } from './ed25519.ts';
import { createPasskey, type Passkey, unlockPasskey } from './passkey.ts';

/**
 * A key as IndexedDB keeps it. `signing` gives no secret away to anything; if the browser has no Ed25519 of its own, or the key is
 * protected by a passkey, it is absent. The seed is sealed by `vault`: a key that cannot be read either, or one that only the passkey
 * makes. It is opened for an export, or to sign without `signing`.
 */
export interface StoredKey {
  readonly address: string;
  readonly name: string;
  /** Orders the keys of a browser: milliseconds by its clock when the page of its making was opened, and since. */
  readonly createdAt: number;
  readonly publicKey: Uint8Array;
  readonly signing: CryptoKey | undefined;
  readonly vault: CryptoKey | Passkey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

export const randomSeed = (): Uint8Array => crypto.getRandomValues(new Uint8Array(SEED_LENGTH));

/** @throws if the page has no WebCrypto, as over plain HTTP from another machine. */
export async function sealKey(seed: Uint8Array, name: string): Promise<StoredKey> {
  const { publicKey, signing } = await getEd25519(seed);
  const vault = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  // The page may be open for long, and its clock may be set in the meantime.
  const createdAt = performance.timeOrigin + performance.now();
  const address = formatAddress(accountIdFromPublicKey(publicKey));
  return { address, name, createdAt, publicKey, signing, vault, ...(await seal(seed, vault)) };
}

/**
 * Seals a key with a new passkey: the user verifies twice, to make it and to use it. The record has nothing with which the
 * browser could sign alone.
 *
 * @throws {PasskeyFailed} The stored key is unchanged then.
 */
export async function protectKey(key: StoredKey): Promise<StoredKey> {
  const seed = await openSeed(key);
  const vault = await createPasskey(key.name === '' ? key.address : key.name);
  return { ...key, signing: undefined, vault, ...(await seal(seed, await unlockPasskey(vault))) };
}

export const isProtected = ({ vault }: StoredKey): boolean => 'salt' in vault;

async function seal(seed: Uint8Array, vault: CryptoKey): Promise<Pick<StoredKey, 'iv' | 'sealed'>> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  return { iv, sealed: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, vault, Uint8Array.from(seed)) };
}

/** The secret of a key. @throws {PasskeyFailed} if the user does not unlock its passkey. */
export async function openSeed({ vault, iv, sealed }: StoredKey): Promise<Uint8Array> {
  const opener = 'salt' in vault ? await unlockPasskey(vault) : vault;
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, opener, sealed));
}

/** A signer with a key of this browser. A passkey is unlocked for its first signature, which all further ones use. */
export function signerOfKey(key: StoredKey): AsyncSigner {
  const { signing, publicKey } = key;
  let unlocked: Promise<AsyncSigner> | undefined;
  const unlock = () => {
    unlocked ??= openSeed(key)
      .then(signerOfSeed)
      .catch((error: unknown) => {
        unlocked = undefined;
        throw error;
      });
    return unlocked;
  };
  return {
    publicKey,
    account: accountIdFromPublicKey(publicKey),
    sign: async (message) => (signing === undefined ? (await unlock()).sign(message) : signWith(signing, message)),
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
