/** The parts of a live client that only a page in a browser has. */
export type { Connection, EventHandlers, Events } from './event-source.ts';
export { openEvents } from './events.ts';
export { developmentKeys } from './keys/development.ts';
export {
  isProtected,
  openSeed,
  protectKey,
  randomSeed,
  type StoredKey,
  sealKey,
  signerOfKey,
  signerOfSeed,
} from './keys/key.ts';
export { BadKeyFile, decodeKeyFile, encodeKeyFile } from './keys/key-file.ts';
export { type KeyStore, openKeyStore } from './keys/key-store.ts';
export { PasskeyFailed } from './keys/passkey.ts';
export { type OpenOutboxOptions, openOutbox } from './outbox.ts';
export { type ServeVerifierOptions, serveVerifier } from './serve-verifier.ts';
export { sharedSockets } from './shared-sockets.ts';
export { type WalletProvider, walletSigner } from './wallet.ts';
