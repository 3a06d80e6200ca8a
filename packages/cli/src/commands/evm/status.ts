import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { columns } from '../../print.ts';
import { nodeOf, withNode } from './options.ts';

/** `switchyard evm status` */
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
      await nodeOf(options, cli, connect)
    ).status();
    const value = {
      client,
      chainId: Number.isSafeInteger(Number(chainId)) ? Number(chainId) : chainId,
      latest: { number: Number(latest.number), hash: latest.hash, timestamp: Number(latest.timestamp) },
      safe: numberOf(safe),
      finalized: numberOf(finalized),
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

const numberOf = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));
