import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/*
 * A page gets typed answers from the contract of each HTTP API: a member that is renamed in one place alone does not compile.
 * The compiler checks one file, and each line of it that is marked must be an error.
 */

const root = import.meta.dirname;
const cache = join(root, 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'contract-'));
afterAll(() => rmSync(directory, { recursive: true }));

const PAGE = `import { contractApi, httpApi } from '@switchyard/client/http-api';
import { evm, rollups, sequencer } from '@switchyard/explorer/contract';
import { getClaim } from '@switchyard/faucet/contract';
import { account, historyEntry } from '@switchyard/messenger/contract';

const ask = contractApi(httpApi('explorer', { url: '' }));
const block = await ask(sequencer.getBlock, { block: 1 });
export const height: number = block.height;
export const hight = block.hight; // error
export const asset: string | undefined = block.fees[0]?.asset;
export const coin = block.fees[0]?.coin; // error
export const time: string = block.time; // error
await ask(sequencer.getBlock, { height: 1 }); // error
await ask(sequencer.listBlocks, { limit: 5 });
await ask(sequencer.listBlocks, { limits: 5 }); // error
const { items } = await ask(evm.listEvmTransactions, { rollup: 'evm' });
export const recipients: readonly (string | null)[] = items.map(({ to }) => to);
export const receivers = items.map(({ receiver }) => receiver); // error
export const views: readonly string[] = (await ask(rollups.getRollup, { rollup: 'x' })).offers?.views ?? []; // error
const claim = await ask(getClaim, { id: 1 });
export const paidIn: bigint | undefined = claim.block;
export const paidAt = claim.height; // error
export const nonce: number = account.read({} as never).pendingNonce;
export const next = account.read({} as never).nextNonce; // error
export const kind: 'transfer' | 'deposit' = historyEntry.read({} as never).kind;
export const other: 'transfer' = historyEntry.read({} as never).kind; // error
`;

test('a page that reads a member which an API does not have fails to compile', () => {
  const file = join(directory, 'page.ts');
  writeFileSync(file, PAGE);
  const options = {
    compilerOptions: { noEmit: true, composite: false, declarationMap: false, sourceMap: false },
    extends: join(root, 'tsconfig.base.json'),
    files: [file],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(options));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' });
  const found = [...stdout.matchAll(/^\S*page\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  const marked = PAGE.split('\n').flatMap((line, index) => (line.endsWith('// error') ? [index + 1] : []));
  expect([...new Set(found)], stdout).toEqual(marked);
});
