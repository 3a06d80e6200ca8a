/** A passkey that makes the secret which a key is sealed with. None of these members is a secret. */
export interface Passkey {
  /** Identifies the credential; the authenticator chose it. */
  readonly id: Uint8Array<ArrayBuffer>;
  /** 32 bytes, from which the authenticator makes the secret of this key. */
  readonly salt: Uint8Array<ArrayBuffer>;
}

/** A passkey that was not made or not used, and why. */
export class PasskeyFailed extends Error {}

const USE = new TextEncoder().encode('switchyard key sealed by a passkey');
const MINUTES_MS = 120_000;
/** EdDSA, ES256 and RS256 of COSE. The signature is not used, but an authenticator makes one of these. */
const ALGORITHMS = [-8, -7, -257];

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Asks the user to make a passkey for this site. @param label Names the key in the dialogs of the browser, along with the site. */
export async function createPasskey(label: string): Promise<Passkey> {
  const salt = randomBytes(32);
  const name = `${label} at ${location.host}`;
  const made = await asked('made', () =>
    navigator.credentials.create({
      publicKey: {
        rp: { name: location.host },
        user: { id: randomBytes(16), name, displayName: name },
        challenge: randomBytes(32),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: { eval: { first: salt } } },
        timeout: MINUTES_MS,
      },
    }),
  );
  if (made.getClientExtensionResults().prf?.enabled !== true)
    throw new PasskeyFailed(
      'this passkey cannot seal a key: its authenticator has no PRF extension; the key is unchanged',
    );
  return { id: new Uint8Array(made.rawId), salt };
}

/** Has the user unlock the passkey. @returns the key of AES-256-GCM that it makes. */
export async function unlockPasskey({ id, salt }: Passkey): Promise<CryptoKey> {
  const used = await asked('used', () =>
    navigator.credentials.get({
      publicKey: {
        challenge: randomBytes(32),
        allowCredentials: [{ type: 'public-key', id }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: salt } } },
        timeout: MINUTES_MS,
      },
    }),
  );
  const secret = used.getClientExtensionResults().prf?.results?.first;
  if (secret === undefined)
    throw new PasskeyFailed('this passkey made no secret: its authenticator has no PRF extension');
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: USE };
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

async function asked(what: string, ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!('PublicKeyCredential' in globalThis)) throw new PasskeyFailed('this browser has no passkeys for this page');
  if (/^[\d.]+$|^\[/.test(location.hostname))
    throw new PasskeyFailed(
      `passkeys need a host name such as localhost, got ${location.hostname}: open the page by a name`,
    );
  const credential = await ask().catch((error: unknown) => {
    throw new PasskeyFailed(`the passkey was not ${what}: ${String(error)}`, { cause: error });
  });
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyFailed(`the passkey was not ${what}`);
  return credential;
}
