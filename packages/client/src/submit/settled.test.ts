import { Code, ConnectError } from '@connectrpc/connect';
import { type TxHash, txHashOf } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TxExecution } from '../sequencer/comet.ts';
import { type SettledSource, type SignedNonce, type Spender, settledSearch } from './settled.ts';

const { signal } = new AbortController();
const TX = Uint8Array.of(1, 2, 3);
const signed = { nonce: 4, candidates: [{ hash: txHashOf(TX) }] };
const executed: TxExecution = { code: 0, log: '', events: [] };

/** A sequencer without our service, whose index has nothing: it was killed between its blocks and their index entries. */
function foreignNode() {
  const node = { nonce: 4, height: 7n, blocks: new Map<bigint, Uint8Array[]>(), results: [executed] };
  const client: SettledSource = {
    nonceSpender: () => Promise.reject(new ConnectError('no such service', Code.Unimplemented)),
    nonce: async () => ({ nonce: node.nonce, height: node.height }),
    tx: async () => undefined,
    block: async (height: bigint) => ({ txs: node.blocks.get(height) ?? [] }),
    blockResults: async () => node.results,
  };
  const settled = settledSearch(client, 'an address');
  const spender = async () => (await settled([signed], signal)).spenders.get(signed.nonce);
  return { node, spender };
}

// Defect: Composer on a foreign sequencer node: bundle sent again when a killed CometBFT lost its index entry
test('a transaction that the index of a foreign node never gets is found in its block, however many blocks follow', async () => {
  const { node, spender } = foreignNode();
  expect(await spender()).toBeUndefined();
  Object.assign(node, { nonce: 5, height: 60n });
  node.blocks.set(9n, [TX]);
  expect(await spender()).toEqual({ transaction: txHashOf(TX), height: 9n });
});

test('a transaction that failed in its block did not use the nonce', async () => {
  const { node, spender } = foreignNode();
  await spender();
  Object.assign(node, { nonce: 5, height: 9n, results: [{ ...executed, code: 7 }] });
  node.blocks.set(9n, [TX]);
  expect(await spender()).toBeUndefined();
  node.height = 12n;
  expect(await spender()).toBe('foreign');
});

test('a nonce that was not seen free counts as used by a foreign transaction after three blocks', async () => {
  const { node, spender } = foreignNode();
  node.nonce = 5;
  const seen = [];
  for (const height of [9n, 11n, 12n]) {
    node.height = height;
    seen.push(await spender());
  }
  expect(seen).toEqual([undefined, undefined, 'foreign']);
});

test('a node that fails to list spenders proves nothing, and is asked again', async () => {
  const spenders = [{ nonce: 4, hash: txHashOf(TX), height: 9n }];
  const answers = [
    () => Promise.reject(new ConnectError('away', Code.Unavailable)),
    async () => ({ accountNonce: 5, height: 9n, spenders }),
  ];
  const never = () => Promise.reject(new Error('it was searched'));
  const nonceSpender = () => answers.shift()?.() ?? never();
  const settled = settledSearch({ nonceSpender, nonce: never, tx: never, block: never, blockResults: never }, 'a');
  await expect(settled([signed], signal)).rejects.toThrow('away');
  expect((await settled([signed], signal)).spenders.get(4)).toEqual({ transaction: txHashOf(TX), height: 9n });
});

/** An account on a node that may lose index entries and answers; every block has one transaction of the account. */
class ModelNode implements SettledSource {
  accountNonce = 0;
  isAway = () => false;
  readonly #hasService: boolean;
  readonly #blocks: { readonly bytes: Uint8Array; readonly nonce: number; readonly execution: TxExecution }[] = [];
  readonly #index = new Map<TxHash, number>();

  constructor(hasService: boolean) {
    this.#hasService = hasService;
  }

  /** @param isFailing Its execution is undone, and leaves the nonce free. */
  mine(
    bytes: Uint8Array,
    { isFailing, isIndexed }: { readonly isFailing: boolean; readonly isIndexed: boolean },
  ): void {
    this.#blocks.push({ bytes, nonce: this.accountNonce, execution: { ...executed, code: isFailing ? 7 : 0 } });
    if (isIndexed) this.#index.set(txHashOf(bytes), this.#blocks.length - 1);
    if (!isFailing) this.accountNonce += 1;
  }

  /** Transaction that used a nonce, in truth. */
  truth(nonce: number): { readonly hash: TxHash; readonly height: bigint } | undefined {
    const at = this.#blocks.findIndex((block) => block.nonce === nonce && block.execution.code === 0);
    const block = this.#blocks[at];
    return block && { hash: txHashOf(block.bytes), height: BigInt(at + 1) };
  }

  nonceSpender = (_: string, nonces: readonly number[]) =>
    this.#answer(() => {
      if (!this.#hasService) throw new ConnectError('no such service', Code.Unimplemented);
      const spenders = nonces.flatMap((nonce) => {
        const spender = this.truth(nonce);
        return spender === undefined ? [] : [{ nonce, ...spender }];
      });
      return { accountNonce: this.accountNonce, height: this.#height, spenders };
    });
  nonce = () => this.#answer(() => ({ nonce: this.accountNonce, height: this.#height }));
  tx = (hash: TxHash) =>
    this.#answer(() => {
      const at = this.#index.get(hash);
      const block = this.#blocks[at ?? -1];
      return block && { hash, height: BigInt((at ?? 0) + 1), index: 0, ...block.execution };
    });
  block = (height: bigint) =>
    this.#answer(() => ({ txs: this.#blocks.slice(Number(height) - 1, Number(height)).map(({ bytes }) => bytes) }));
  blockResults = (height: bigint) =>
    this.#answer(() => this.#blocks.slice(Number(height) - 1, Number(height)).map(({ execution }) => execution));

  get #height(): bigint {
    return BigInt(this.#blocks.length);
  }

  async #answer<T>(item: () => T): Promise<T> {
    if (this.isAway()) throw new ConnectError('away', Code.Unavailable);
    return item();
  }
}

// Defect: Composer on a foreign sequencer node: bundle sent again when its nonce was signed for after the last look, or a
// copy of it had failed in a block before
test('whatever is lost, no transaction of ours that used a nonce is taken for a foreign one, and each nonce is decided', async () => {
  const step = fc.record({
    what: fc.constantFrom('ours', 'ours', 'older', 'foreign', 'ask', 'ask'),
    isFailing: fc.constantFrom(false, false, true),
    isIndexed: fc.boolean(),
    /** Which of the node's next answers is lost, if any. */
    lostAt: fc.option(fc.nat(6), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40 }), async (hasService, steps) => {
      const node = new ModelNode(hasService);
      const settled = settledSearch(node, 'a');
      const toBytes = (nonce: number, version: number) => Uint8Array.of(nonce, version);
      // Two transactions are signed under each nonce; the next three nonces are always ours to fill.
      const open = new Map<number, SignedNonce>();
      const decided = new Map<number, Spender>();
      const ask = async (lostAt?: number) => {
        for (let nonce = node.accountNonce; nonce < node.accountNonce + 3; nonce += 1) {
          const candidates = [0, 1].map((version) => ({ hash: txHashOf(toBytes(nonce, version)) }));
          if (!decided.has(nonce)) open.set(nonce, { nonce, candidates });
        }
        let calls = 0;
        node.isAway = () => calls++ === lostAt;
        const answer = await settled([...open.values()], signal).catch(() => undefined);
        node.isAway = () => false;
        for (const [nonce, spender] of answer?.spenders ?? []) {
          decided.set(nonce, spender);
          open.delete(nonce);
        }
      };
      await ask();
      for (const { what, isFailing, isIndexed, lostAt } of steps) {
        if (what === 'ask') await ask(lostAt);
        // A nonce that is not signed for yet can only be used by others.
        else if (what === 'foreign' || !open.has(node.accountNonce))
          node.mine(Uint8Array.of(node.accountNonce, 9), { isFailing: false, isIndexed });
        else node.mine(toBytes(node.accountNonce, what === 'ours' ? 1 : 0), { isFailing, isIndexed });
      }
      const end = node.accountNonce;
      for (let block = 0; block < 4; block += 1) {
        node.mine(Uint8Array.of(node.accountNonce, 9), { isFailing: false, isIndexed: false });
        await ask();
      }
      expect([...open.keys()].filter((nonce) => nonce < end)).toEqual([]);
      for (const [nonce, spender] of decided) {
        const truth = node.truth(nonce);
        const isOurs = [0, 1].some((version) => txHashOf(toBytes(nonce, version)) === truth?.hash);
        expect([nonce, spender]).toEqual([
          nonce,
          isOurs ? { transaction: truth?.hash, height: truth?.height } : 'foreign',
        ]);
      }
    }),
    { numRuns: 300 },
  );
});
