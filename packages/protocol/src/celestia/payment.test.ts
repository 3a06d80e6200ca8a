import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32, bech32m } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../accounts/ids.ts';
import { Writer } from '../bytes/writer.ts';
import { base64FromJson } from '../comet/json.ts';
import { Rejected } from '../errors.ts';
import { anyDamaged } from '../testing.ts';
import {
  celestiaAccountFromBytes,
  createCelestiaSigner,
  formatCelestiaAddress,
  parseCelestiaAddress,
  verifyCelestiaSignature,
} from './account.ts';
import { decodeBlobTx, encodeBlobTx, MAX_BLOB_TX_LENGTH } from './blob-tx.ts';
import { namespaceBytes, namespaceFromBytes, RESERVED_NAMESPACES } from './namespace.ts';
import {
  decodePayForBlobs,
  encodePayForBlobs,
  type PaidBlob,
  payForBlobs,
  payForBlobsGas,
  verifyPayForBlobs,
} from './pay-for-blobs.ts';
import { type SigningContext, signBytes, signPayment, verifyPayment } from './payment.ts';
import type { CelestiaBlob } from './shares.ts';
import { vector } from './vectors.testing.ts';

const recorded = vector('pfb.json');
const signer = createCelestiaSigner(recorded.at('privateKey').hex());
const blobs: CelestiaBlob[] = recorded
  .at('blobs')
  .list()
  .map((blob) => ({
    namespace: namespaceFromBytes(base64FromJson(blob.at('namespace'))),
    data: base64FromJson(blob.at('data')),
    author: undefined,
  }));
const message = payForBlobs(signer.account, blobs);
const context: SigningContext = {
  chainId: recorded.at('chainId').text(),
  accountNumber: recorded.at('accountNumber').big(),
};
const terms = {
  sequence: recorded.at('sequence').big(),
  gasLimit: recorded.at('gasLimit').big(),
  fee: recorded.at('feeUtia').big(),
  timeoutHeight: 0n,
};
const payment = signPayment(message, terms, context, signer);
const blobTx = { payment: payment.bytes, blobs };

test('makes the bytes that were committed', () => {
  expect(formatCelestiaAddress(signer.account)).toBe(recorded.at('signer').text());
  expect(parseCelestiaAddress(recorded.at('signer').text())).toBe(signer.account);
  expect(toHex(encodePayForBlobs(message))).toBe(recorded.at('msgPayForBlobs').text());
  expect(toHex(payment.bytes)).toBe(recorded.at('tx').text());
  expect(payment.hash.toUpperCase()).toBe(recorded.at('txHash').text());
  expect(toHex(encodeBlobTx(blobTx))).toBe(recorded.at('blobTx').text());
  expect(payForBlobsGas(blobs, { gasPerBlobByte: 8n, txSizeCostPerByte: 10n })).toBe(terms.gasLimit);
});

test('what is signed is the recorded document', () => {
  const tx = recorded.at('tx').hex();
  // Two messages with lengths of two bytes each: the body, then the authorization.
  const [bodyLength, at] = [(tx[1] ?? 0) - 128 + 128 * (tx[2] ?? 0), 3];
  const body = tx.subarray(at, at + bodyLength);
  const rest = tx.subarray(at + bodyLength);
  const authorization = rest.subarray(2, 2 + (rest[1] ?? 0));
  expect(toHex(signBytes(body, authorization, context))).toBe(recorded.at('signDoc').text());
});

test('reads the committed bytes', () => {
  const decoded = decodeBlobTx(recorded.at('blobTx').hex());
  expect(decoded).toEqual(blobTx);
  expect(verifyPayment(decoded.payment, context)).toEqual({ ...terms, message, publicKey: signer.publicKey });
  expect(() => verifyPayForBlobs(message, decoded.blobs)).not.toThrow();
});

test('a timeout height and authors are kept', () => {
  const authored = blobs.map((blob) => ({ ...blob, author: signer.account }));
  const paid = payForBlobs(signer.account, authored);
  const { bytes } = signPayment(paid, { ...terms, timeoutHeight: 70_000n }, context, signer);
  const decoded = decodeBlobTx(encodeBlobTx({ payment: bytes, blobs: authored }));
  expect(decoded.blobs).toEqual(authored);
  expect(verifyPayment(bytes, context)).toMatchObject({ timeoutHeight: 70_000n, message: paid });
  expect(decodePayForBlobs(encodePayForBlobs(paid))).toEqual(paid);
});

test.each<[string, SigningContext]>([
  ['chain', { ...context, chainId: 'celestia' }],
  ['account number', { ...context, accountNumber: 2n }],
])('a payment for another %s has a bad signature', (_, other) => {
  expect(() => verifyPayment(payment.bytes, other)).toThrow(expect.objectContaining({ reason: 'bad-signature' }));
});

const mallory = createCelestiaSigner(new Uint8Array(32).fill(5));

test('only the payer signs', () => {
  expect(() => signPayment(message, terms, context, mallory)).toThrow(
    expect.objectContaining({ reason: 'unauthorized' }),
  );
  const forged = signPayment({ ...message, payer: mallory.account }, terms, context, mallory).bytes;
  const name = new TextEncoder().encode(formatCelestiaAddress(signer.account));
  const at = Buffer.from(forged).indexOf(formatCelestiaAddress(mallory.account));
  forged.set(name, at);
  expect(() => verifyPayment(forged, context)).toThrow('a payer that signs');
});

test('the other form of a signature is refused, as Celestia does', () => {
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const signed = new TextEncoder().encode('signed');
  const signature = signer.sign(signed);
  expect(verifyCelestiaSignature(signature, signed, signer.publicKey)).toBe(true);
  const s = BigInt(`0x${toHex(signature.subarray(32))}`);
  const high = (ORDER - s).toString(16).padStart(64, '0');
  const other = Uint8Array.from([...signature.subarray(0, 32), ...Buffer.from(high, 'hex')]);
  expect(verifyCelestiaSignature(other, signed, signer.publicKey)).toBe(false);
  for (const length of [0, 63, 65]) {
    expect(verifyCelestiaSignature(new Uint8Array(length), signed, signer.publicKey)).toBe(false);
  }
  expect(verifyCelestiaSignature(signature, signed, new Uint8Array(33))).toBe(false);
  const uncompressed = secp256k1.Point.fromBytes(signer.publicKey).toBytes(false);
  expect(verifyCelestiaSignature(signature, signed, uncompressed)).toBe(false);
});

const [one, two] = blobs;
if (one === undefined || two === undefined) throw new Error('vector without blobs');
test.each<[string, readonly CelestiaBlob[], string]>([
  ['other data', [one, { ...two, data: two.data.map((byte) => byte ^ 1) }], 'another blob was paid for'],
  ['another length', [one, { ...two, data: two.data.subarray(1) }], 'another blob was paid for'],
  ['another namespace', [one, { ...two, namespace: one.namespace }], 'another blob was paid for'],
  ['an author', [one, { ...two, author: signer.account }], 'another blob was paid for'],
  ['another order', [two, one], 'another blob was paid for'],
  ['a blob left out', [one], 'other number of blobs'],
  ['a blob more', [one, two, two], 'other number of blobs'],
  ['a foreign author', [one, { ...two, author: mallory.account }], 'unauthorized'],
  ['no data', [one, { ...two, data: new Uint8Array() }], 'empty'],
  ['no blobs', [], 'other number of blobs'],
  [
    'a namespace of version 255',
    [one, { ...two, namespace: namespaceFromBytes(new Uint8Array(29).fill(0xff, 0, 1)) }],
    'unauthorized',
  ],
  ['a reserved namespace', [one, { ...two, namespace: RESERVED_NAMESPACES.primaryPadding }], 'unauthorized'],
])('refuses %s', (_, delivered, problem) => {
  expect(() => verifyPayForBlobs(message, delivered)).toThrow(Rejected);
  expect(() => verifyPayForBlobs(message, delivered)).toThrow(problem);
});

test('nothing is no message', () => {
  expect(() => payForBlobs(signer.account, [])).toThrow(expect.objectContaining({ reason: 'empty' }));
});

const [paidOne, paidTwo] = message.blobs;
if (paidOne === undefined || paidTwo === undefined) throw new Error('message without blobs');
test.each<[string, Partial<PaidBlob>]>([
  ['size', { size: paidTwo.size + 1 }],
  ['namespace', { namespace: paidOne.namespace }],
  ['share version', { shareVersion: 1 }],
  ['commitment', { commitment: paidOne.commitment }],
])('refuses a message with another %s than that of the blob', (_, members) => {
  const forged = { ...message, blobs: [paidOne, { ...paidTwo, ...members }] };
  expect(() => verifyPayForBlobs(forged, blobs)).toThrow('another blob was paid for');
});

test('lists that are not packed are read too, and none may be longer than another', () => {
  const { commitment, namespace, size } = paidOne;
  const start = () => new Writer().string(1, formatCelestiaAddress(signer.account)).bytes(2, namespaceBytes(namespace));
  const single = start().uint32(3, size).bytes(4, commitment).bytesAlways(8, Uint8Array.of(0)).finish();
  expect(decodePayForBlobs(single)).toEqual({ ...message, blobs: [paidOne] });
  const longer = start().uint32s(3, [size, size]).bytes(4, commitment).uint32s(8, [0]).finish();
  expect(() => decodePayForBlobs(longer)).toThrow('lists of different lengths');
  expect(() => decodePayForBlobs(new Writer().string(1, formatCelestiaAddress(signer.account)).finish())).toThrow(
    'lists',
  );
});

/** A transaction that is well signed, by an account that may sign, and is no payment in something else. */
interface Oddity {
  readonly messages?: number;
  readonly url?: string;
  readonly keyUrl?: string;
  readonly mode?: number;
  readonly denom?: string;
  readonly amount?: string;
  readonly signatures?: number;
  readonly granter?: string;
  readonly extension?: boolean;
}

function oddPayment(odd: Oddity): Uint8Array {
  const body = new Writer();
  for (let left = odd.messages ?? 1; left > 0; left--) {
    const url = odd.url ?? '/celestia.blob.v1.MsgPayForBlobs';
    body.message(1, (any) => any.string(1, url).bytes(2, encodePayForBlobs(message)));
  }
  if (odd.extension === true) body.message(1023, (any) => any.string(1, '/some.Extension'));
  const keyUrl = odd.keyUrl ?? '/cosmos.crypto.secp256k1.PubKey';
  const authorization = new Writer()
    .message(1, (info) =>
      info
        .message(1, (any) => any.string(1, keyUrl).message(2, (key) => key.bytes(1, signer.publicKey)))
        .message(2, (mode) => mode.message(1, (single) => single.uint32(1, odd.mode ?? 1))),
    )
    .message(2, (fee) =>
      fee
        .message(1, (coin) => coin.string(1, odd.denom ?? 'utia').string(2, odd.amount ?? '372'))
        .uint64(2, 92_784n)
        .string(4, odd.granter ?? ''),
    );
  const [bodyBytes, authorizationBytes] = [body.finish(), authorization.finish()];
  const signature = signer.sign(signBytes(bodyBytes, authorizationBytes, context));
  const tx = new Writer().bytes(1, bodyBytes).bytes(2, authorizationBytes);
  for (let left = odd.signatures ?? 1; left > 0; left--) tx.bytes(3, signature);
  return tx.finish();
}

test.each<[string, Oddity, string | undefined]>([
  ['nothing odd', {}, undefined],
  ['no message', { messages: 0 }, 'one message'],
  ['two messages', { messages: 2 }, 'one message'],
  ['another message', { url: '/cosmos.bank.v1beta1.MsgSend' }, '/celestia.blob.v1.MsgPayForBlobs'],
  ['another kind of key', { keyUrl: '/cosmos.crypto.ed25519.PubKey' }, '/cosmos.crypto.secp256k1.PubKey'],
  ['another mode', { mode: 127 }, 'the direct mode'],
  ['another token', { denom: 'uatom' }, 'an amount of utia'],
  ['a negative fee', { amount: '-1' }, 'an amount of utia'],
  ['a fee of many digits', { amount: '9'.repeat(100_000) }, 'an amount of utia'],
  ['a fee that another pays', { granter: formatCelestiaAddress(signer.account) }, 'unexpected field'],
  ['an extension', { extension: true }, 'unexpected field'],
  ['no signature', { signatures: 0 }, 'one signature'],
  ['two signatures', { signatures: 2 }, 'one signature'],
])('a payment with %s', (_, odd, problem) => {
  const verified = () => verifyPayment(oddPayment(odd), context);
  if (problem === undefined) expect(verified()).toMatchObject({ message, fee: 372n });
  else expect(verified).toThrow(problem);
});

const getId = (text: string) => new Uint8Array(28).fill(Number(text));
const getBlobTx = (write: (blob: Writer) => void, type = 'BLOB') =>
  new Writer().bytes(1, payment.bytes).message(2, write).string(3, type).finish();
test.each([
  ['another type', getBlobTx((blob) => blob.bytes(1, new Uint8Array(28)), 'INDX')],
  ['a namespace of another length', getBlobTx((blob) => blob.bytes(1, new Uint8Array(27)))],
  ['a namespace version of two bytes', getBlobTx((blob) => blob.bytes(1, getId('0')).uint32(4, 256))],
  ['share version 2', getBlobTx((blob) => blob.bytes(1, getId('0')).uint32(3, 2).bytes(5, new Uint8Array(20)))],
  ['share version 1 without an author', getBlobTx((blob) => blob.bytes(1, getId('0')).uint32(3, 1))],
  ['an author of share version 0', getBlobTx((blob) => blob.bytes(1, getId('0')).bytes(5, new Uint8Array(20)))],
  ['more bytes than validators take', new Uint8Array(MAX_BLOB_TX_LENGTH + 1)],
])('a BlobTx is refused with %s', (_, bytes) => {
  expect(() => decodeBlobTx(bytes)).toThrow(Rejected);
});

test('nothing that is damaged passes, or throws anything but its own error', () => {
  fc.assert(
    fc.property(anyDamaged(fc.constant(payment.bytes)), (bytes) => {
      if (toHex(bytes) === toHex(payment.bytes)) return;
      expect(() => verifyPayment(bytes, context)).toThrow(Rejected);
    }),
    { numRuns: 200 },
  );
  fc.assert(
    fc.property(anyDamaged(fc.constant(encodeBlobTx(blobTx))), (bytes) => {
      try {
        const decoded = decodeBlobTx(bytes);
        verifyPayForBlobs(verifyPayment(decoded.payment, context).message, decoded.blobs);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['bech32m', bech32m.encode('celestia', bech32m.toWords(new Uint8Array(20)))],
  ['another prefix', bech32.encode('cosmos', bech32.toWords(new Uint8Array(20)))],
  ['another length', bech32.encode('celestia', bech32.toWords(new Uint8Array(32)))],
  ['a changed letter', formatCelestiaAddress(signer.account).replace('celestia1e', 'celestia1c')],
  ['a very long text', 'celestia1'.repeat(10_000)],
  ['nothing', ''],
])('refuses an address: %s', (_, text) => {
  expect(() => parseCelestiaAddress(text)).toThrow(Rejected);
});

test('keys and accounts of another length are refused, and the key is in no message', () => {
  expect(() => celestiaAccountFromBytes(new Uint8Array(21))).toThrow(Rejected);
  for (const secret of [new Uint8Array(31).fill(0xab), new Uint8Array(32)]) {
    expect(() => createCelestiaSigner(secret)).toThrow(
      /^malformed: field private key, expected 32 bytes of secp256k1$/,
    );
  }
});
