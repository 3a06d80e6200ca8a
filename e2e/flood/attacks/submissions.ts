import { randomBytes } from 'node:crypto';
import { signTransaction as signEvm } from '@switchyard/evm/testing';
import { signText } from '@switchyard/messenger/testing';
import { parseDenom, rollupIdFromName, signTransaction } from '@switchyard/protocol';
import { toHex } from 'viem';
import { frame } from '../../bench/load.ts';
import { CHAIN_ID, devKey } from '../../support/evm.ts';
import { ASSET, BOB, newSigner } from '../../support/submitting.ts';
import type { Attack, AttackContext } from '../attack.ts';
import { type Post, posts } from './http.ts';

const BATCH = 500;
const OCTETS = { 'content-type': 'application/octet-stream' };

const texts = ({ material }: AttackContext, count: number, firstNonce: number, signer = BOB): Uint8Array[] =>
  Array.from({ length: count }, (_, index) =>
    signText(
      { nonce: firstNonce + index, chainId: material.messengerChain, text: 'flood', from: 'x', feeAsset: ASSET },
      signer,
    ),
  );

/** The signature is at the beginning of an envelope: field 1, 64 bytes. */
function spoilt(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy[20] = (copy[20] ?? 0) ^ 1;
  return copy;
}

const batch = (transactions: readonly Uint8Array[]): Post => ({
  path: '/v1/transactions:batch',
  body: frame(transactions),
  headers: OCTETS,
});

/** Batches in which everything is right but the signatures. */
export const badSignatures: Attack = posts('messenger', 8, (context) => {
  const body = batch(texts(context, BATCH, 0).map(spoilt));
  return () => body;
});

export const nonceGaps: Attack = posts('messenger', 8, (context) => {
  const body = batch(texts(context, BATCH, 1_000_000));
  return () => body;
});

/** One good transaction, again and again. */
export const duplicates: Attack = posts('messenger', 16, (context) => {
  const [body] = texts(context, 1, 0);
  return () => ({ path: '/v1/transactions', body: body ?? '', headers: OCTETS });
});

const sendRaw = (raw: Uint8Array): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [toHex(raw)] });

const evmTransaction = (nonce: number) =>
  signEvm(
    {
      ...{ chainId: BigInt(CHAIN_ID), nonce: BigInt(nonce), to: `0x${'11'.repeat(20)}`, value: 1n, gasLimit: 21_000n },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n },
    },
    devKey(4),
  );

/** A recoverable signature of an account that holds nothing. */
export const evmBadSignatures: Attack = posts('evm', 16, () => {
  const bodies = Array.from({ length: 200 }, (_, nonce) => {
    const raw = evmTransaction(nonce);
    // Within r, the first of the last two numbers.
    raw.set(randomBytes(8), raw.length - 60);
    return sendRaw(raw);
  });
  let next = 0;
  return () => ({ path: '/', body: bodies[next++ % bodies.length] ?? '' });
});

export const evmNonceGaps: Attack = posts('evm', 16, () => {
  const bodies = Array.from({ length: 400 }, (_, index) => sendRaw(evmTransaction(1_000 + index)));
  let next = 0;
  return () => ({ path: '/', body: bodies[next++ % bodies.length] ?? '' });
});

/** Transactions of the sequencer, badly signed. */
export const sequencerBadSignatures: Attack = posts('rpc', 16, ({ material }) => {
  const signer = newSigner();
  const feeAsset = parseDenom('ntia');
  const bodies = Array.from({ length: 200 }, (_, nonce) => {
    const data = new Uint8Array(randomBytes(200));
    const action = { kind: 'rollupDataSubmission', rollup: rollupIdFromName('flood'), data, feeAsset } as const;
    const tx = spoilt(signTransaction({ nonce, chainId: material.sequencerChain, actions: [action] }, signer));
    return JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync' },
      params: { tx: Buffer.from(tx).toString('base64') },
    });
  });
  let next = 0;
  return () => ({ path: '/', body: bodies[next++ % bodies.length] ?? '' });
});

/** Claims for new addresses. */
export const faucetClaims: Attack = posts('faucet', 16, () => () => ({
  path: '/api/claim',
  body: JSON.stringify({ address: `0x${randomBytes(20).toString('hex')}` }),
}));
