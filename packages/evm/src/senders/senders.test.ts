import type { Signature } from '@switchyard/evm-machine/recover';
import { recoverSender } from '@switchyard/evm-machine/recover';
import type { Address } from '@switchyard/evm-machine/types';
import { afterEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { signTransaction } from '../transactions/sign.ts';
import { decodeTransaction } from '../transactions/transaction.ts';
import { packSenders, packSignatures, unpackSenders, unpackSignatures } from './packing.ts';
import { Senders } from './senders.ts';
import { openRecoveryThreads, type RecoveryThreads } from './threads.ts';

const signed = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const { address, privateKey } = DEV_ACCOUNTS[index % DEV_ACCOUNTS.length] ?? { address: '0x', privateKey: '0x' };
    const raw = signTransaction({ chainId: 1n, nonce: BigInt(index), gasLimit: 21_000n, maxFeePerGas: 1n }, privateKey);
    return { tx: decodeTransaction(raw), from: address };
  });

const opened: RecoveryThreads[] = [];
afterEach(async () => {
  for (const threads of opened.splice(0)) await threads.close();
});
/** Threads that do this with each message. Real ones load a built file, which the end-to-end tests do. */
function threads(count: number, body: string): RecoveryThreads {
  const text = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (packed) => { const count = packed.length / 97; ${body} });`;
  const made = openRecoveryThreads(count, new URL(`data:text/javascript,${encodeURIComponent(text)}`));
  opened.push(made);
  return made;
}

test('the development accounts are those of their keys', () => {
  for (const { tx, from } of signed(DEV_ACCOUNTS.length)) expect(recoverSender(tx.signature)).toBe(from);
});

test('a signature that names no point of the curve has no sender', () => {
  const [{ tx } = { tx: undefined }] = signed(1);
  if (tx === undefined) throw new Error('nothing was signed');
  // No point has this x coordinate.
  const r = new Uint8Array(32);
  r[31] = 5;
  const { s, yParity, digest } = tx.signature;
  expect(recoverSender({ r, s, yParity, digest })).toBeUndefined();
});

test('what is packed for a thread is what comes out', () => {
  const signatures: Signature[] = signed(3).map(({ tx: { signature } }) => {
    const { r, s, yParity, digest } = signature;
    return { r, s, yParity, digest };
  });
  expect(unpackSignatures(packSignatures(signatures))).toEqual(signatures);
  const senders: (Address | undefined)[] = [`0x${'ab'.repeat(20)}`, undefined];
  expect(unpackSenders(packSenders(senders))).toEqual(senders);
});

test('a batch is shared among threads and answered in order', async () => {
  const all = signed(20);
  // Each answers the last byte of the digest, so that the order can be seen.
  const echo = threads(
    3,
    `const out = new Uint8Array(count * 21);
     for (let i = 0; i < count; i += 1) { out[i * 21] = 1; out[i * 21 + 20] = packed[i * 97 + 95]; }
     parentPort.postMessage(out);`,
  );
  const found = await echo.recover(all.map(({ tx }) => tx.signature));
  const expected = all.map(({ tx }) => (tx.signature.digest[31] ?? 0).toString(16).padStart(40, '0'));
  expect(found).toEqual(expected.map((digits) => `0x${digits}`));
});

test('threads that fail cost time and no answer', async () => {
  const all = signed(20);
  const { recover } = threads(2, 'throw new Error("no");');
  const senders = new Senders(recover);
  expect(await senders.ofAll(all.map(({ tx }) => tx))).toEqual(all.map(({ from }) => from));
});

test('each signature is looked at once', async () => {
  const all = signed(40);
  let wanted = 0;
  const senders = new Senders(async (signatures) => {
    wanted += signatures.length;
    return signatures.map(recoverSender);
  });
  const [first, ...rest] = all;
  if (first === undefined) throw new Error('nothing was signed');
  expect(senders.of(first.tx)).toBe(first.from);
  await senders.ofAll(all.map(({ tx }) => tx));
  await senders.ofAll(all.map(({ tx }) => tx));
  expect(wanted).toBe(rest.length);
});
