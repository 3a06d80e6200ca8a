import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { authorExports } from './scripts/framework-reference.mjs';

/*
 * A page gets typed answers from the contract of each HTTP API, and a command its options from their declarations: a name that is
 * changed in one place alone does not compile. The compiler checks one file, and each line of it that is marked must be an error.
 * Examples in the docstrings of what authors import compile.
 */

const root = import.meta.dirname;
const cache = join(root, 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'typed-'));
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
export const kind: 'transfer' | 'deposit' | 'withdrawal' = historyEntry.read({} as never).kind;
export const other: 'transfer' = historyEntry.read({} as never).kind; // error
`;

const commands = join(root, 'packages', 'cli', 'src', 'commands');

const COMMAND = `import { leaf } from '${commands}/../cli.ts';
import { type InstanceOptions, withInstance } from '${commands}/dev/options.ts';

const ports = new Map<number, string>();
withInstance(leaf('serve', 'serve a file', 'x'))
  .argument('[file]', 'which')
  .option('--http-port <port>', 'where', (text) => Number(text), 80)
  .option('--dry-run', 'only print')
  .action((file, options) => {
    ports.set(options.httpPort, file ?? options.instance ?? options.home ?? '');
    ports.set(options.port, ''); // error
    ports.set(80, options.httpPort); // error
    ports.set(80, file); // error
    if (options.dryRun === true) ports.clear();
    if (options.dryrun === true) ports.clear(); // error
  });
export const named = ({ instance }: InstanceOptions): string | undefined => instance;
export const other = ({ network }: InstanceOptions) => network; // error
`;

/** A command of ours of which one option has another name, and its lines that read the option. */
const RENAMED = readFileSync(join(commands, 'sequencer', 'transactions.ts'), 'utf8')
  .replaceAll(/(?<=from '|import\(')(?:\.\.?\/)+/g, (path) => join(commands, 'sequencer', path, '/'))
  .replace("'--event-id <id>'", "'--event <id>'")
  .replace(/^.*\beventId, .*$/m, '$& // error');

const exported: readonly { module: string; name: string; example?: string }[] = authorExports();

/** Names in the examples of docstrings that stand for what a reader has: the counter of the tutorial, a signer, a handler's context. */
const GIVEN = `import { sequencerClient } from '@switchyard/client';
import { verifyState } from '@switchyard/client/verify-state';
import { type AccountId, type AssetId, parseAnyAddress, type Signer } from '@switchyard/protocol';
import type { HandlerContext } from '@switchyard/rollup';
import { counter } from '${root}/examples/counter/src/counter.ts';

export { counter, parseAnyAddress };
export declare const account: AccountId;
export declare const nria: AssetId;
export declare const signer: Signer;
export declare const context: HandlerContext;
export const state: HandlerContext['state'] = context.state;
export declare const genesisText: string;
export const sequencer: ReturnType<typeof sequencerClient> = sequencerClient({ rpcUrl: '', grpcUrl: '' });
type Sequencer = NonNullable<Parameters<typeof verifyState>[1]['sequencer']>;
export declare const proof: Parameters<typeof verifyState>[0];
export declare const evidence: Sequencer['evidence'];
export declare const facts: Sequencer['facts'];
`;

/** An example of a docstring as a module that imports the names which it uses and does not declare. */
function importing({ module, example = '' }: (typeof exported)[number]): string {
  const given = [...GIVEN.matchAll(/^export .*?(?:const|\{) (.*?)(?::| \})/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const modules = new Map([
    ...given.map((name) => [name, './given.ts'] as const),
    ...exported.map(({ name, module: from }) => [name, from] as const),
    ...exported.filter(({ module: from }) => from === module).map(({ name }) => [name, module] as const),
  ]);
  const isNeeded = (name: string) =>
    new RegExp(`\\b${name}\\b`).test(example) && !new RegExp(`(const|function) [^=:(]*\\b${name}\\b`).test(example);
  const imports = [...modules].filter(([name]) => isNeeded(name));
  return [...imports.map(([name, from]) => `import { ${name} } from '${from}';`), example, 'export {};'].join('\n');
}

const EXAMPLES = exported.filter(({ example }) => example !== undefined);

const CASES = {
  'a page that reads a member which an API does not have': PAGE,
  'a command that reads an option which it does not declare': COMMAND,
  'a command whose option was renamed where it is declared alone': RENAMED,
};

/** Lines with an error of each case; all of them are compiled at once, since most of the time goes into what they import. */
let found: readonly (readonly number[])[];
let output = '';

const compile = (...options: readonly string[]): string =>
  spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--pretty', 'false', ...options],
    {
      encoding: 'utf8',
    },
  ).stdout;

beforeAll(() => {
  const files = Object.values(CASES).map((source, index) => {
    const file = join(directory, `source-${index}.ts`);
    writeFileSync(file, source);
    return file;
  });
  const examples = EXAMPLES.map((example) => {
    const file = join(directory, `example-${example.name}.ts`);
    writeFileSync(file, importing(example));
    return file;
  });
  writeFileSync(join(directory, 'given.ts'), GIVEN);
  const options = {
    compilerOptions: {
      ...{ noEmit: true, composite: false, declarationMap: false, sourceMap: false },
      // Examples have constants that they do not use, and import values and types alike.
      ...{ noUnusedLocals: false, verbatimModuleSyntax: false },
      rewriteRelativeImportExtensions: false,
      // Packages are read by the declarations of the build, as users have them: that takes a third of the time of their sources.
      customConditions: [],
    },
    extends: join(root, 'tsconfig.base.json'),
    files: [...files, ...examples],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(options));
  output = compile('-p', directory);
  found = files.map((_, index) => {
    const lines = output.matchAll(new RegExp(`^\\S*source-${index}\\.ts\\((\\d+),`, 'gm'));
    return [...new Set([...lines].map(([, line]) => Number(line)))];
  });
});

test.each(Object.entries(CASES).map((each, index) => [...each, index] as const))(
  '%s fails to compile',
  (_, source, index) => {
    const marked = source.split('\n').flatMap((line, at) => (line.endsWith('// error') ? [at + 1] : []));
    expect(marked.length).toBeGreaterThan(0);
    expect(found[index], output).toEqual(marked);
  },
);

test('examples in docstrings compile', () => {
  expect(EXAMPLES.length).toBeGreaterThan(25);
  expect(output.split('\n').filter((line) => /^\S*(example-\w+|given)\.ts/.test(line))).toEqual([]);
});

// Defect: A project that emits declarations could not export a definition with a list: no entry had the name of its type
test('a project that emits declarations can name every type of a definition', () => {
  const declarations = join(directory, 'market');
  const options = ['--declaration', '--emitDeclarationOnly', '--outDir', declarations];
  expect(compile('-p', join(root, 'examples', 'market'), ...options)).toBe('');
  expect(readFileSync(join(declarations, 'market.d.ts'), 'utf8')).toContain('import("@switchyard/rollup").ListType<');
});
