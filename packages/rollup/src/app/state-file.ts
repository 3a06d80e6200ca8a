import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { INDEX_PREFIX, type Snapshot, type Store } from '@switchyard/machine';
import { blockHashFromBytes, fromHex, rollupBlockHash, toHex } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import type { RollupDefinition } from './definition.ts';
import { getBlock } from './stored-blocks.ts';
import { commitmentRows, origins } from './tables.ts';

/*
 * A state as a file, with which another chain begins. The first line has the block after which it is the state, whose hash commits to
 * the root; the others have a row each, key and value, in the order of the keys. The root is derived from them again.
 */

/** Rows that are read at a time, and written in one batch. */
const ROWS = 1_000;
/** First key after the keys outside of the root. */
const AFTER_INDEX = `${INDEX_PREFIX.slice(0, -1)}0`;

export interface ExportedState {
  readonly number: bigint;
  readonly hash: string;
  readonly stateRoot: string;
  readonly rows: number;
}

/** Writes the state of the soft block, in bounded memory. */
export async function exportState(snapshot: Snapshot, file: string): Promise<ExportedState> {
  const { soft = 0n } = commitmentRows.get(snapshot) ?? {};
  const block = getBlock(snapshot, soft);
  if (block === undefined) throw new Error('the database has no blocks');
  const { hash, parentHash, contentHash, sequencerBlockHash, stateRoot, receiptsHash } = block;
  const out = createWriteStream(file, { flags: 'wx' });
  const line = async (value: unknown): Promise<void> => {
    if (!out.write(`${JSON.stringify(value)}\n`)) await once(out, 'drain');
  };
  const header = { hash, parentHash, contentHash, sequencerBlockHash, stateRoot, receiptsHash };
  await line({ format: 'switchyard-state-1', number: String(soft), ...header });
  let rows = 0;
  for (let after = ''; ; ) {
    const page = snapshot.range({ prefix: '', after, limit: ROWS });
    for (const [key, value] of page) {
      after = key.startsWith(INDEX_PREFIX) ? AFTER_INDEX : key;
      if (after === AFTER_INDEX) break;
      await line([key, toHex(value)]);
      rows += 1;
    }
    if (page.length === 0) break;
  }
  out.end();
  await once(out, 'finish');
  return { number: soft, hash, stateRoot, rows };
}

/**
 * Fills an empty store with the state that the genesis names. An interrupted import is begun again.
 *
 * @returns whether it had to be filled, so that the first block is still to come.
 * @throws {InvalidConfig} if the file has another state.
 */
export async function importState(
  { genesis, onChange }: Pick<RollupDefinition, 'genesis' | 'onChange'>,
  store: Store,
  file: string,
): Promise<boolean> {
  const { stateRoot } = genesis;
  if (stateRoot === undefined || origins.get(store.snapshot()) !== undefined) return false;
  if (!existsSync(file)) throw otherState(file, stateRoot, 'no file');
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let batch: (readonly [string, Uint8Array])[] = [];
  const put = async (): Promise<void> => {
    const next = (store.snapshot().height ?? -1n) + 1n;
    const state = store.begin();
    for (const [key, value] of batch) state.put(key, value);
    batch = [];
    const rows = store.begin(store.seal(state, next));
    onChange?.(state, rows, (problem) => {
      throw new Error(problem);
    });
    await store.commit(store.seal(rows, next + 1n));
  };
  let header: string | undefined;
  for await (const line of lines) {
    const input = new Input(JSON.parse(line), file);
    if (header === undefined) header = getRoot(input);
    else if (batch.push(getRow(input)) === ROWS) await put();
    if (header !== stateRoot) throw otherState(file, stateRoot, header);
  }
  await put();
  const root = toHex(store.snapshot().root);
  if (root !== stateRoot) throw otherState(file, stateRoot, `rows of ${root}`);
  return true;
}

/** The root of the block in the first line. @throws {InvalidData} if its hash differs. */
function getRoot(header: Input): string {
  const member = (name: string) => fromHex(header.at(name).text());
  const stateRoot = header.at('stateRoot').text();
  const hash = rollupBlockHash({
    contentHash: member('contentHash'),
    parentHash: blockHashFromBytes(member('parentHash')),
    number: header.at('number').big(),
    sequencerBlockHash: blockHashFromBytes(member('sequencerBlockHash')),
    stateRoot: member('stateRoot'),
    receiptsHash: member('receiptsHash'),
  });
  const isFirst = header.at('number').big() === 0n;
  return isFirst || hash === header.at('hash').text()
    ? stateRoot
    : header.at('hash').fail(`the hash of the block, ${hash}`);
}

function getRow(line: Input): readonly [string, Uint8Array] {
  const [key, value] = line.list(2).map((part) => part.text());
  if (key === undefined || value === undefined || key.startsWith(INDEX_PREFIX))
    return line.fail('key and value of a row');
  return [key, fromHex(value)];
}

function otherState(file: string, expected: string, got: string): InvalidConfig {
  const advice = 'put the exported file there, and delete the database that was begun';
  return new InvalidConfig({ variable: file, expected: `the state of the root ${expected}`, got, advice });
}
