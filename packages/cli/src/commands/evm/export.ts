import { u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections, EvmPort } from '../../connections.ts';
import { Failure, usage } from '../../failure.ts';
import { nodeOf, withNode } from './options.ts';

/** Concurrent requests. */
const AT_A_TIME = 32;

/** `switchyard evm export FILE`: what `geth import` and `switchyard evm import` take. */
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
      const { resolve } = await import('node:path');
      const node = await nodeOf(options, cli, connect);
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
  const [{ open, rm }, { systemReason }] = await Promise.all([
    import('node:fs/promises'),
    import('../../dev/files/files.ts'),
  ]);
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw new Failure(`${path}: cannot be written: ${systemReason(error)}`, undefined, { cause: error });
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
