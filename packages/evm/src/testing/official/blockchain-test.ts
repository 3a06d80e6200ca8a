import { hexToBytes } from '@switchyard/protocol/ethereum';
import { type Input, list, object, optional, shortText } from '@switchyard/service/input';
import { type Archive, importBlocks, openArchive } from '../../archive/archive.ts';
import { InvalidBlock } from '../../archive/validate.ts';
import { openMemoryDatabase } from '../../database/memory.ts';
import { dataText, wordText } from '../../genesis/values.ts';
import { AMSTERDAM_CONTRACTS } from '../../rules/system-contracts.ts';
import { gethConfig } from './geth-config.ts';
import type { Verdict } from './verdict.ts';

/* Blockchain tests of the Ethereum project: a genesis and blocks, imported as an archive is, compared by block hash. */

const MAX_BLOCK_BYTES = 67_108_864;

const readTest = object({
  network: shortText(100),
  genesisBlockHeader: (input) => input,
  pre: (input) => input,
  config: (input) => input,
  lastblockhash: wordText,
  blocks: list(
    object({
      rlp: dataText(MAX_BLOCK_BYTES),
      expectException: optional(shortText(1_000)),
    }),
  ),
});

export function isBlockchainTest(test: Input): boolean {
  return test.isObject && test.at('blocks').isPresent && test.at('lastblockhash').isPresent;
}

/** @throws {InvalidData} if it is not of the format. */
export async function runBlockchainTest(
  name: string,
  test: Input,
  chosenFork: string | undefined,
): Promise<readonly Verdict[]> {
  const { network: fork, genesisBlockHeader, pre, config, lastblockhash, blocks } = readTest(test);
  if (chosenFork !== undefined && fork !== chosenFork) return [];
  const verdict = (result: Verdict['result'], detail: string): Verdict[] => [{ name, fork, result, detail }];
  const rules = gethConfig(fork, config);
  if (rules === undefined) return verdict('left out', `fork ${fork}`);
  const isValid = blocks.every(({ expectException }) => expectException === undefined);
  if (rules.amsterdamTime !== undefined && isValid && isDraft(pre)) return verdict('left out', DRAFT);
  const genesis = { ...genesisBlockHeader.object(), config: rules, alloc: pre.object() };
  const archive = openArchive(openMemoryDatabase(), JSON.stringify(fieldsOfGenesis(genesis)), name);
  for (const [index, { rlp, expectException }] of blocks.entries()) {
    const refused = await findRefusal(archive, hexToBytes(rlp));
    if (refused !== undefined && OTHER_BRANCH.test(refused)) return verdict('left out', 'several branches');
    if (expectException === undefined && refused !== undefined)
      return verdict('failed', `block ${index + 1}: ${refused}`);
    if (expectException !== undefined && refused === undefined)
      return verdict('failed', `block ${index + 1}: not refused (${expectException})`);
  }
  const head = archive.chain.findHash(archive.chain.heads.latest);
  if (head !== lastblockhash) return verdict('failed', `head: expected ${lastblockhash}, got ${head}`);
  return [{ name, fork, result: 'passed' }];
}

const DRAFT = 'rules of Amsterdam from before EIP-8282';

/** Tests of earlier devnets lack the contracts without which no block of Amsterdam is valid; their gas differs, too. */
function isDraft(pre: Input): boolean {
  const there = new Set(pre.members().map(([address]) => address.toLowerCase()));
  return AMSTERDAM_CONTRACTS.every(({ address }) => !there.has(address));
}

/** An archive has one branch: it does not take a block alongside its own, nor one after such a block. */
const OTHER_BRANCH = /parent hash|another block of that number/;

/** Members that the header of a test has and a genesis file has not. */
function fieldsOfGenesis({ ...fields }: Record<string, unknown>): Record<string, unknown> {
  for (const name of [
    'bloom',
    'hash',
    'receiptTrie',
    'stateRoot',
    'transactionsTrie',
    'uncleHash',
    'withdrawalsRoot',
    'parentBeaconBlockRoot',
  ])
    delete fields[name];
  return fields;
}

async function findRefusal(archive: Archive, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await importBlocks(archive, one({ bytes }));
    return undefined;
  } catch (error) {
    if (error instanceof InvalidBlock) return error.message;
    throw error;
  }
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}
