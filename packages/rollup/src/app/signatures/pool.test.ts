import { createSigner, decodeEnvelope, type Envelope, signEnvelope, signedBytes } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { pack, unpack } from './packing.ts';
import { openVerifierPool, type VerifierPool } from './pool.ts';

const TYPE = '/test.Body';
const signer = createSigner(new Uint8Array(32).fill(7));
const signed = (...body: number[]) => decodeEnvelope(signEnvelope(TYPE, Uint8Array.from(body), signer), TYPE);
const broken = ({ signature, ...rest }: Envelope): Envelope => ({
  ...rest,
  signature: signature.map((byte) => byte ^ 1),
});

const pools: VerifierPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
/** The program of a thread: its reaction to each message. Real threads load a built file, which the end-to-end tests do. */
function pool(threads: number, body: string): VerifierPool {
  const text = `import { parentPort } from 'node:worker_threads';
    const bodies = (packed) => {
      const found = [];
      for (let at = 0; at < packed.length; ) {
        const length = new DataView(packed.buffer).getUint32(at + 1);
        at += 5 + 96 + length;
        found.push(packed[at - 1]);
      }
      return found;
    };
    parentPort.on('message', (packed) => { ${body} });`;
  const opened = openVerifierPool(threads, new URL(`data:text/javascript,${encodeURIComponent(text)}`));
  pools.push(opened);
  return opened;
}
const ODD_IS_GOOD = 'parentPort.postMessage(Uint8Array.from(bodies(packed), (last) => last % 2));';

test('what is packed is what was signed', () => {
  const items = [signed(1, 2, 3), signed(), signed(...new Uint8Array(1_000))];
  const messages = items.map((each) => ({ ...each, message: signedBytes(each) }));
  const ofWallet = {
    signature: new Uint8Array(65).fill(3),
    publicKey: new Uint8Array(20).fill(4),
    message: Uint8Array.of(5),
  };
  expect(unpack(pack([ofWallet, ...messages, ofWallet]))).toEqual([
    ofWallet,
    ...messages.map(({ signature, publicKey, message }) => ({ signature, publicKey, message })),
    ofWallet,
  ]);
  expect(unpack(pack([]))).toEqual([]);
});

test.each([1, 3])('answers come in order from %i threads, whatever the size of the batch', async (threads) => {
  const threaded = pool(threads, ODD_IS_GOOD);
  for (const size of [8, 300, 1_000]) {
    const batch = Array.from({ length: size }, (_, index) => signed(index % 200));
    // The program calls odd ones good, though all are: so the answers are its answers.
    const odd = batch.map((_, index) => index % 2 === 1);
    expect(await Promise.all([threaded.verify(batch), threaded.verify(batch)])).toEqual([odd, odd]);
  }
});

test('a few are verified at once', async () => {
  expect(await pool(1, 'throw new Error()').verify([signed(2), broken(signed(2))])).toEqual([true, false]);
});

test.each([
  ['fails', 'throw new Error("no")'],
  ['ends', 'process.exit(1)'],
])('when a thread %s, its batch is verified without it, and the next too', async (_, body) => {
  const threaded = pool(1, body);
  const batch = [...Array.from({ length: 20 }, (__, index) => signed(index)), broken(signed(1))];
  const right = [...Array<boolean>(20).fill(true), false];
  expect(await threaded.verify(batch)).toEqual(right);
  expect(await threaded.verify(batch)).toEqual(right);
});
