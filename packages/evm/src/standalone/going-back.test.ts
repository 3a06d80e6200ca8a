import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';
import { manualClock } from '@switchyard/service/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { evmGenesisFile } from '../genesis/file.ts';
import { parseEvmGenesis } from '../genesis/genesis.ts';
import { NEW_ACCOUNT } from '../transactions/accounts.ts';
import { signTransaction } from '../transactions/sign.ts';
import { StandaloneNode } from './node.ts';
import { standalonePool } from './pool.ts';
import { UndoDatabase } from './undo-database.ts';

const NONE = { address: '0x', privateKey: '0x' } as const;
const [alice = NONE, bob = NONE] = DEV_ACCOUNTS;

beforeAll(readyPrecompiles);

function world() {
  const clock = manualClock(1_000_000);
  const file = evmGenesisFile({ rollupName: 'r', sequencerChainId: 's', startHeight: 1 });
  const genesis = parseEvmGenesis(file, 'genesis');
  const database = new UndoDatabase(openMemoryDatabase());
  const node = new StandaloneNode({ genesis, database, indexers: [], wall: clock });
  const pool = standalonePool(node, clock);
  const hashes = () =>
    Array.from({ length: Number(node.chain.heads.latest) + 1 }, (_, number) => node.chain.findHash(BigInt(number)));
  const funds = () => node.chain.state(node.chain.heads.latest).account(bob.address)?.balance ?? 0n;
  const transfer = async () => {
    const nonce = await pool.pendingNonce(alice.address);
    const fees = { gasLimit: 21_000n, gasPrice: 10n ** 12n };
    await pool.send(signTransaction({ chainId: 1337n, nonce, ...fees, to: bob.address, value: 1n }, alice.privateKey));
  };
  const view = () => ({ hashes: hashes(), funds: funds(), waiting: node.situation.waiting });
  const set = (balance: bigint) =>
    node.edit((state) => state.putAccount(bob.address, { ...(state.account(bob.address) ?? NEW_ACCOUNT), balance }));
  const followed = hashes();
  node.chain.onDrop(({ after }) => void followed.splice(Number(after) + 1));
  node.chain.onCommit(({ blocks }) => {
    for (const { block } of blocks) {
      expect(block.header.number).toBe(BigInt(followed.length));
      expect(block.header.parentHash).toBe(followed.at(-1));
      followed.push(block.hash);
    }
  });
  return { node, database, hashes, transfer, set, view, followed };
}

test('the same beside a snapshot that is kept, as tests have it, which can still be reverted to', async () => {
  const { node, database, hashes } = world();
  for (let made = 0; made < 3; made += 1) await node.mineOne();
  const before = hashes();
  const id = node.snapshot();
  await node.mineOne();
  const moment = database.mark();
  for (let made = 0; made < 1_100; made += 1) await node.mineOne();
  expect(() => database.rewind(moment)).toThrow(`moment ${moment} is forgotten`);
  expect(node.revert(id)).toBe(true);
  expect(hashes()).toEqual(before);
  await node.rollback(3n);
  expect(hashes()).toEqual(before.slice(0, 1));
});

test('the last 1024 writes can be taken back, so that a chain that grows for long does not fill its memory', async () => {
  const { node, hashes } = world();
  for (let made = 0; made < 1_100; made += 1) await node.mineOne();
  await expect(node.rollback(1_025n)).rejects.toThrow(
    'depth 1025: blocks before 77 can no longer be taken back, only the last 1024 of this process',
  );
  const before = hashes();
  await node.rollback(1_024n);
  expect(hashes()).toEqual(before.slice(0, -1_024));
  node.reset();
  expect(hashes()).toEqual(before.slice(0, 1));
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constantFrom('send' as const, 'wait' as const, 'snapshot' as const) }),
  fc.record({ kind: fc.constantFrom('rollback' as const, 'reorg' as const), depth: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant('revert' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('set' as const), balance: fc.nat() }),
);

test('whatever was replaced before, a snapshot brings back its chain, blocks that are replaced are gone, and events lead to the same chain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { node, hashes, transfer, set, view, followed } = world();
      const snapshots: { readonly id: bigint; readonly seen: ReturnType<typeof view> }[] = [];
      for (const each of steps) {
        const before = hashes();
        switch (each.kind) {
          case 'mine':
            await node.mine(BigInt(each.count));
            break;
          case 'send':
          case 'wait':
            node.automine = each.kind === 'send';
            await transfer();
            break;
          case 'set':
            set(BigInt(each.balance));
            break;
          case 'snapshot':
            snapshots.push({ seen: view(), id: node.snapshot() });
            break;
          case 'rollback':
          case 'reorg': {
            const depth = Math.min(each.depth, before.length - 1);
            if (each.kind === 'rollback') await node.rollback(BigInt(depth));
            else await node.reorg(BigInt(depth), async () => []);
            const stayed = before.slice(0, before.length - depth);
            expect(hashes().slice(0, stayed.length)).toEqual(stayed);
            expect(hashes()).toHaveLength(each.kind === 'reorg' ? before.length : stayed.length);
            for (const gone of before.slice(stayed.length)) expect(hashes()).not.toContain(gone);
            break;
          }
          case 'revert': {
            if (snapshots.length === 0) break;
            const at = each.which % snapshots.length;
            const [{ id, seen } = { id: 0n, seen: view() }] = snapshots.splice(at);
            expect(node.revert(id)).toBe(true);
            expect(view()).toEqual(seen);
          }
        }
        expect(followed).toEqual(hashes());
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);
