import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure, usage } from '@switchyard/service/failure';
import { hashArgument, u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections, EvmPort } from '../../connect.ts';
import { columns } from '../../print.ts';
import { withInstanceNamed } from '../named-instance.ts';
import { getNode, requireRollup, withNode } from './options.ts';

export function statusCommand(cli: Cli, connect: Connections) {
  return withNode(
    leaf(
      'status',
      'show chain id, heights, base fee and pending transactions of a node',
      '',
      '--rpc-url http://127.0.0.1:8645',
    ),
  ).action(async (options) => {
    const { client, chainId, latest, safe, finalized, pending, queued } = await (
      await getNode(options, cli, connect)
    ).status();
    const value = {
      client,
      chainId: Number.isSafeInteger(Number(chainId)) ? Number(chainId) : chainId,
      latest: { number: Number(latest.number), hash: latest.hash, timestamp: Number(latest.timestamp) },
      safe: getNumber(safe),
      finalized: getNumber(finalized),
      gasLimit: Number(latest.gasLimit),
      baseFeePerGas: latest.baseFee,
      pending,
      queued,
    };
    cli.print(
      value,
      columns([
        ['Node:', client],
        ['Chain id:', String(chainId)],
        ['Block:', `${latest.number} ${latest.hash}`],
        ['Safe block:', String(safe ?? 'none yet')],
        ['Finalized block:', String(finalized ?? 'none yet')],
        ['Gas limit:', String(latest.gasLimit)],
        ['Base fee:', `${latest.baseFee ?? 0n} wei`],
        ['Transactions:', `pending ${pending}, queued ${queued} (nonce gap)`],
      ]),
    );
  });
}

const getNumber = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));

export function transactionCommand(cli: Cli, connect: Connections) {
  return withNode(leaf('transaction', 'show the status of a transaction, or why it is in no block', '0x5f3a61…'))
    .argument('<hash>', 'as eth_sendRawTransaction answered it')
    .action(async (text, options) => {
      const hash = `0x${hashArgument('hash', text)}`;
      const status = await (await getNode(options, cli, connect)).transactionStatus(hash);
      const facts = Object.entries(status).map(([name, value]) => [name, isQuantity(value) ? Number(value) : value]);
      cli.print(
        { hash, ...Object.fromEntries(facts) },
        columns(facts.map(([name, value]) => [`${name}:`, plain(String(value))])),
      );
    });
}

/** Numbers of Ethereum's methods, none of which is larger than a block number here. */
const isQuantity = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{1,12}$/.test(value);

export function genesisCommand(cli: Cli) {
  return withInstanceNamed(
    leaf('genesis', 'print the genesis of the EVM rollup; `geth init` and reth take it too', '', '--instance second'),
  ).action(async (options) => {
    const { genesisFacts } = await import('../../dev/networks/evm-rollup.ts');
    const { parseJson, readText } = await import('../../dev/files/files.ts');
    const { genesisFile } = await requireRollup(options, cli);
    genesisFacts(genesisFile);
    const text = readText(genesisFile);
    cli.print(parseJson(text, genesisFile), text.trimEnd());
  });
}

/** Concurrent requests. */
const AT_A_TIME = 32;

/** `switchyard evm export FILE`: a file for `geth import` and `switchyard evm import`. */
export function exportCommand(cli: Cli, connect: Connections) {
  return withNode(
    leaf(
      'export',
      'write the blocks of a running node to a file, as RLP one after another',
      'chain.rlp --first 1 --last 100',
    ),
  )
    .argument('<file>', 'a new file')
    .option('--first <n>', 'number of the first block (default: 1)', u64Reader('--first'))
    .option('--last <n>', 'number of the last block (default: the newest)', u64Reader('--last'))
    .action(async (file, { first = 1n, ...options }) => {
      const node = await getNode(options, cli, connect);
      const newest = (await node.block('latest'))?.number ?? 0n;
      const last = options.last ?? newest;
      if (last > newest) throw usage(`--last: the newest block is ${newest}, got ${last}`);
      if (first > last) throw usage(`--first: expected at most ${last}, got ${first}`);
      const path = resolve(cli.world.directory, file);
      const bytes = await writeBlocks(node, path, first, last);
      const value = { file: path, first: Number(first), last: Number(last), bytes };
      cli.print(value, `wrote blocks ${first} to ${last} to ${path}, ${bytes} bytes`);
    });
}

/** @returns how many bytes. @throws {Failure} when the file is there, or cannot be written; then it is not left half. */
async function writeBlocks(node: EvmPort, path: string, first: bigint, last: bigint): Promise<number> {
  const { systemReason } = await import('../../dev/files/files.ts');
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw new Failure(`${path}: cannot be written: ${systemReason(error)}`, error);
  });
  let written = 0;
  try {
    for (let from = first; from <= last; from += BigInt(AT_A_TIME)) {
      const count = last - from + 1n < AT_A_TIME ? Number(last - from + 1n) : AT_A_TIME;
      const numbers = Array.from({ length: count }, (_, index) => from + BigInt(index));
      const blocks = await Promise.all(numbers.map((number) => node.rawBlock(number)));
      for (const [index, bytes] of blocks.entries()) {
        if (bytes === undefined) throw new Failure(`the node has no block ${numbers[index]}`);
        await file.write(bytes);
        written += bytes.length;
      }
    }
    await file.close();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  return written;
}
