import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { counter } from './examples/counter/src/counter.ts';
import { orderbook } from './examples/orderbook/src/orderbook.ts';
import { token } from './examples/token/src/token.ts';
import { messenger } from './packages/messenger/src/messenger.ts';
import { createSigner, parseDenom, parseSeed, type Signer } from './packages/protocol/src/index.ts';
import type { DefinedRollup } from './packages/rollup/src/define/definition.ts';
import { signTransaction } from './packages/rollup/src/define/transaction.ts';
import type { createVerifier, Verdict } from './packages/rollup/src/live/verify/index.ts';
import { signedWorld } from './packages/rollup/src/live/verify/signed-world.testing.ts';
import { eventually } from './packages/service/src/testing.ts';

/* The page that executes every block of its node: how much it loads, and that its blocks are those of Node. */

const directory = mkdtempSync(join(tmpdir(), 'switchyard-execution-'));
afterAll(() => rmSync(directory, { recursive: true }));

const PLACES = {
  counter: './examples/counter/src/counter.ts',
  token: './examples/token/src/token.ts',
  orderbook: './examples/orderbook/src/orderbook.ts',
  messenger: './packages/messenger/src/messenger.ts',
};

/** The module of a page, bundled from sources, with its compressed size. */
async function page(name: keyof typeof PLACES) {
  const text = `export { createVerifier } from '@switchyard/rollup/live/verify'; export { ${name} as definition } from '${PLACES[name]}';`;
  const place = join(import.meta.dirname, name);
  const bundle = await rolldown({
    input: name,
    platform: 'browser',
    plugins: [
      {
        name,
        resolveId: (id) => (id === name ? place : undefined),
        load: (id) => (id === place ? text : undefined),
      },
    ],
    resolve: { conditionNames: ['switchyard-source', 'browser', 'import', 'default'] },
  });
  const { output } = await bundle.write({
    dir: directory,
    minify: true,
    comments: false,
    entryFileNames: '[name].mjs',
  });
  const chunks = output.flatMap((each) => (each.type === 'chunk' ? [each] : []));
  const loaded = chunks.filter(({ isEntry }) => isEntry);
  for (const { imports: needed } of loaded)
    loaded.push(...chunks.filter((each) => needed.includes(each.fileName) && !loaded.includes(each)));
  const made = (await import(pathToFileURL(join(directory, `${name}.mjs`)).href)) as {
    readonly createVerifier: typeof createVerifier;
    // biome-ignore lint/suspicious/noExplicitAny: the definition of any of these rollups
    readonly definition: DefinedRollup<any, any, any, any>;
  };
  const imports = chunks.flatMap((each) => [...each.imports, ...each.dynamicImports]);
  const size = loaded.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  return { made, size, foreign: imports.filter((each) => !each.endsWith('.js')) };
}

const owner = createSigner(parseSeed('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
const other = createSigner(new Uint8Array(32).fill(1));

interface History {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly definition: DefinedRollup<any, any, any, any>;
  readonly genesis: object;
  /** Actions of block N. */
  actions(block: bigint): readonly (readonly [Signer, object])[];
}

const example = (name: string): object => {
  const read = JSON.parse(readFileSync(new URL(`./examples/${name}/genesis.json`, import.meta.url), 'utf8'));
  return { ...read, sequencer_chain_id: 'sequencer-0' };
};
const HISTORIES: Readonly<Record<keyof typeof PLACES, History>> = {
  counter: {
    definition: counter,
    genesis: example('counter'),
    actions: (block) => [[owner, { kind: 'add', amount: block }]],
  },
  token: {
    definition: token,
    genesis: example('token'),
    actions: (block) => [
      [owner, { kind: 'mint', to: other.account, amount: block }],
      // It is not the owner: refused.
      [other, { kind: 'mint', to: other.account, amount: 1n }],
    ],
  },
  orderbook: {
    definition: orderbook,
    genesis: example('orderbook'),
    actions: (block) => [
      [owner, { kind: 'place', isBid: block % 2n === 0n, price: 100 + Number(block % 3n), amount: block }],
    ],
  },
  messenger: {
    definition: messenger,
    genesis: {
      chain_id: 'chat',
      accounts: [
        { address: { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' }, balance: { lo: '1000000000000' } },
      ],
      authority_sudo_address: { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' },
    },
    actions: (block) => [
      [owner, { kind: 'sendText', name: 'alice', text: `text ${block}`, feeAsset: parseDenom('nria') }],
    ],
  },
};

test.each(Object.keys(PLACES) as (keyof typeof PLACES)[])(
  'a page executes the blocks of %s as a node does, and loads nothing of Node for it',
  async (name) => {
    const { made, size, foreign } = await page(name);
    console.log(`page with the execution of ${name}: ${size} bytes, compressed`);
    expect(foreign).toEqual([]);
    expect(size).toBeLessThanOrEqual(73_500);
    const { definition, genesis, actions } = HISTORIES[name];
    const world = await signedWorld(definition, genesis);
    const { chainId } = world.node.node.genesis;
    const nonces = new Map<Signer, number>();
    for (let block = 1n; block <= 12n; block += 1n) {
      const signing = actions(block).map(([signer, action]) => {
        const nonce = nonces.get(signer) ?? 0;
        nonces.set(signer, nonce + 1);
        return signTransaction(definition, { nonce, chainId, actions: [action as never] }, signer);
      });
      await world.block(...(await Promise.all(signing)), Uint8Array.of(1));
    }
    const verifier = made.createVerifier({
      ...{ definition: made.definition, genesis: world.text, mode: 'execute' },
      ...{ url: 'http://node', explorer: 'http://explorer', fetch: world.fetch },
    });
    const found: Verdict[] = [];
    verifier.onVerdict((each) => void found.push(each));
    expect(await eventually(() => found.at(-1))).toEqual({ kind: 'verified', block: 12n });
    expect((world.node.chain.view.block.refused ?? 0) > 0).toBe(true);
    await verifier.close();
    await world.node.stop();
  },
);
