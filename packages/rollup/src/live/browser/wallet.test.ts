import { decodeEnvelope, formatAddress } from '@switchyard/protocol';
import { encodeEnvelope } from '@switchyard/protocol/wallet-signature';
import { Wallet } from 'ethers';
import { afterEach, expect, test } from 'vitest';
import { action, defineRollup, query } from '../../define/definition.ts';
import { getGenesis, toRules } from '../../define/rules-of.ts';
import { table } from '../../define/table.ts';
import { signTransaction } from '../../define/transaction.ts';
import { address, text, u64 } from '../../schema/scalars.ts';
import { list, option } from '../../schema/shapes.ts';
import { since } from '../../schema/since.ts';
import { signers } from '../../testing/tally.ts';
import { testInput } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import { liveClient } from '../client.ts';
import { ExecutedChain } from '../verify/executed-chain.ts';
import { PlatformSignatures } from '../verify/known-transactions.ts';
import { type WalletProvider, walletSigner } from './wallet.ts';

const [alice] = signers;
const held = table({ name: 'held', key: address, value: u64 });
const define = (more: Readonly<Record<never, never>> = {}) =>
  defineRollup({
    name: 'gifts',
    tables: [held],
    actions: {
      give: action({
        fields: {
          to: list(address, { maxItems: 4 }),
          amount: u64,
          note: option(text({ maxBytes: 5_000 })),
          ...more,
        },
        execute({ to, amount }, { state }) {
          for (const each of to) held.put(state, each, (held.get(state, each) ?? 0n) + amount);
        },
      }),
    },
    queries: {
      held: query({
        parameters: { of: address },
        answer: { amount: u64 },
        handle: ({ of }, { state }) => ({ amount: held.get(state, of) ?? 0n }),
      }),
    },
  });
const gifts = define();
const genesis = (members: object = {}) =>
  JSON.stringify({
    ...{ rollup_name: 'gifts', chain_id: 'gifts-1', sequencer_chain_id: 'sequencer-0' },
    ...{ signatures: ['secp256k1', 'ed25519'], canonical_transactions: true, ...members },
  });

/** A wallet with a key of ethers. */
class EthersWallet implements WalletProvider {
  readonly key = new Wallet(`0x${'11'.repeat(32)}`);
  readonly shown: string[] = [];
  accounts = [this.key.address];
  refusal: object | undefined;
  signsWith = this.key;

  async request({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }) {
    if (method !== 'eth_signTypedData_v4') return this.accounts;
    this.shown.push(String(params[1]));
    if (this.refusal !== undefined) throw this.refusal;
    const { domain, types, message } = JSON.parse(String(params[1]));
    const { EIP712Domain: _, ...own } = types;
    return this.signsWith.signTypedData(domain, own, message);
  }
}

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function start(members?: object, defined = gifts) {
  const node = await testRollup(defined, genesis(members));
  endings.push(() => node.stop());
  const wallet = new EthersWallet();
  return { node, wallet, signer: await walletSigner(wallet) };
}
const give = (amount: bigint) => ({ kind: 'give' as const, to: [alice.account], amount });
const bytesOf = async (nonce: number, amount = 5n, chainId = 'gifts-1') => {
  const signer = await walletSigner(new EthersWallet());
  return signTransaction(gifts, { nonce, chainId, actions: [give(amount)] }, signer);
};

test('a wallet signs actions of a live client, and nodes, pages and queries have their effect', async () => {
  const { node, wallet, signer } = await start();
  expect(signer.account).toBe(wallet.key.address.slice(2).toLowerCase());
  const app = liveClient(gifts, { ...node.link, signer });
  endings.push(() => app.close());
  const sent = app.send([give(5n), { ...give(7n), note: 'for you' }]);
  await sent.until('accepted');
  expect(JSON.parse(wallet.shown[0] ?? '').message.actions).toEqual({
    item1: { kind: 'give', to: [formatAddress(alice.account)], amount: '5' },
    item2: { kind: 'give', to: [formatAddress(alice.account)], amount: '7', note: 'for you' },
  });
  await node.block();
  await sent.until('executed');
  expect(await node.client.query.held({ of: alice.account })).toEqual({ amount: 12n });
});

test('a block is executed alike by a node and in a page', async () => {
  const { node, signer } = await start();
  const bytes = await bytesOf(0);
  const { body } = await node.post('/v1/transactions:decode', bytes);
  expect(body).toMatchObject({ signer: formatAddress(signer.account), nonce: 0, actions: [{ kind: 'give' }] });
  const own = await signTransaction(gifts, { nonce: 0, chainId: 'gifts-1', actions: [give(1n)] }, alice);
  const data = [bytes, own];
  const { hash } = await node.block({ data });
  expect(await node.client.query.held({ of: alice.account })).toEqual({ amount: 6n });
  const rules = toRules(gifts, getGenesis(gifts, genesis(), 'genesis'));
  const chain = await ExecutedChain.begin(rules);
  const entries = data.map((each) => ({ kind: 'sequencedData' as const, data: each }));
  const input = testInput(1, entries);
  await chain.execute(input, await new PlatformSignatures().known(rules, input, 1n));
  expect(chain.head.hash).toBe(hash);
});

/** A transaction with another signature. */
const changed = (bytes: Uint8Array, change: (signature: Uint8Array) => void, typeUrl = gifts.typeUrl) => {
  const { signature, publicKey, body } = decodeEnvelope(bytes, typeUrl, undefined, true);
  const other = Uint8Array.from(signature);
  change(other);
  return encodeEnvelope(typeUrl, body, publicKey, other);
};
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const withOtherS = (signature: Uint8Array): void => {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`);
  signature.set(Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex'), 32);
  signature[64] = 55 - (signature[64] ?? 0);
};

test.each<[string, (signature: Uint8Array) => void]>([
  ['the higher s', withOtherS],
  ['another parity', (signature) => signature.set([55 - (signature[64] ?? 0)], 64)],
  ['a last byte of 0 or 1', (signature) => signature.set([(signature[64] ?? 0) - 27], 64)],
  ['no r', (signature) => void signature.fill(0, 0, 32)],
  ['no s', (signature) => void signature.fill(0, 32, 64)],
  ['an r beyond the curve', (signature) => void signature.fill(255, 0, 32)],
])('a signature with %s is refused at intake and in a block', async (_, change) => {
  const { node } = await start();
  const bytes = changed(await bytesOf(0), change);
  expect(await node.post('/v1/transactions', bytes)).toMatchObject({ status: 400, body: { code: 'bad-signature' } });
  await node.block({ data: [bytes] });
  expect(await node.client.query.held({ of: alice.account })).toEqual({ amount: 0n });
});

test('a signature holds on one chain, for one definition and for exactly its bytes', async () => {
  const { node, signer } = await start();
  const elsewhere = await bytesOf(0, 5n, 'gifts-2');
  expect(await node.post('/v1/transactions', elsewhere)).toMatchObject({ body: { code: 'wrong-chain' } });
  const { signature, publicKey } = decodeEnvelope(elsewhere, gifts.typeUrl, undefined, true);
  const here = gifts.body.encode({ nonce: 0, chainId: 'gifts-1', actions: [give(5n)] });
  const replayed = encodeEnvelope(gifts.typeUrl, here, publicKey, signature);
  expect(await node.post('/v1/transactions', replayed)).toMatchObject({ body: { code: 'bad-signature' } });
  const long = [{ ...give(5n), note: 'x'.repeat(4_500) }];
  const tooLong = await signTransaction(gifts, { nonce: 0, chainId: 'gifts-1', actions: long }, signer);
  expect(await node.post('/v1/transactions', tooLong)).toMatchObject({ body: { code: 'too-large' } });
});

test('a chain takes wallets if its genesis names them, and keys unless it names wallets alone', async () => {
  const { node } = await start({ signatures: ['ed25519'] });
  expect(await node.post('/v1/transactions', await bytesOf(0))).toMatchObject({ body: { code: 'malformed' } });
  const { node: ofWallets } = await start({ signatures: ['secp256k1'] });
  expect((await ofWallets.post('/v1/transactions', await bytesOf(0))).status).toBe(202);
  await expect(ofWallets.client.submit.give(give(1n), alice)).rejects.toMatchObject({ code: 'malformed' });
  await expect(start({ signatures: ['ed448'] })).rejects.toThrow(
    'the genesis file: signatures[0]: expected one of ed25519, secp256k1, got "ed448"',
  );
});

test('a refusal of the person, a wrong signature and a locked wallet are refusals of the action', async () => {
  const { node, wallet, signer } = await start();
  const app = liveClient(gifts, { ...node.link, signer });
  endings.push(() => app.close());
  wallet.refusal = { code: 4_001, message: 'User rejected the request.' };
  await expect(app.submit.give(give(1n)).until('accepted')).rejects.toThrow('it was refused in the wallet');
  wallet.refusal = undefined;
  wallet.signsWith = new Wallet(`0x${'22'.repeat(32)}`);
  await expect(app.submit.give(give(1n)).until('accepted')).rejects.toThrow('has not signed this transaction');
  wallet.signsWith = wallet.key;
  wallet.accounts = [];
  await expect(app.submit.give(give(1n)).until('accepted')).rejects.toThrow('the wallet is locked, or does not share');
  wallet.accounts = [wallet.key.address];
  await app.submit.give(give(1n)).until('accepted');
  expect(wallet.shown).toHaveLength(3);
  const other = walletSigner(wallet, { address: `0x${'33'.repeat(20)}` });
  await expect(other).rejects.toThrow(`the wallet does not share 0x${'33'.repeat(20)}`);
});

test('a field that begins at a block changes no signature before it, and is signed from then on', async () => {
  const later = define({ tip: since(3n, u64) });
  const { node, signer } = await start({}, later);
  await node.block({ data: [await bytesOf(0, 1n)] });
  const withTip = (nonce: number) =>
    signTransaction(
      later,
      { nonce, chainId: 'gifts-1', actions: [{ ...give(1n), tip: 9n } as ReturnType<typeof give>] },
      signer,
    );
  await node.block({ data: [await withTip(1)] });
  expect(await node.client.query.held({ of: alice.account })).toEqual({ amount: 1n });
  await node.block({ data: [await withTip(1), await bytesOf(2, 1n)] });
  expect(await node.client.query.held({ of: alice.account })).toEqual({ amount: 3n });
});
