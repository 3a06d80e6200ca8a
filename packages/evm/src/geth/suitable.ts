import type { Hash, Header } from '@switchyard/evm-machine/types';
import { ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { errorLine, JsonRpcError } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { forkConfig } from '../rpc/fork-config.ts';
import { type ForkSchedule, findTime, forkAt } from '../rules/forks.ts';
import { CannotBuild, forkState, type Geth } from './geth.ts';

/** The oldest geth whose `testing_buildBlockV1` suffices. */
export const OLDEST_GETH = [1, 17, 3] as const;
/** Earlier ones have drafts of its rules. */
const OLDEST_WITH_AMSTERDAM = [1, 17, 8] as const;

/** This client can never be worked with in this version. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** The version of a geth, such as `[1, 17, 3]`; undefined for another program. */
export function gethVersion(client: string): readonly number[] | undefined {
  const digits = /^geth\/(?:[^/]*\/)?v(\d+)\.(\d+)\.(\d+)/i.exec(client);
  return digits === null ? undefined : digits.slice(1, 4).map(Number);
}

export function isRecentEnough(version: readonly number[], oldest: readonly number[] = OLDEST_GETH): boolean {
  for (const [at, least] of oldest.entries()) {
    const part = version[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** A client, and the chain that it must fit. */
export interface ClientContext {
  readonly geth: Geth;
  readonly chainId: bigint;
  /** Block 0. */
  readonly first: { readonly hash: Hash; readonly header: Header };
  readonly forks: ForkSchedule;
  readonly gasLimit: bigint;
  readonly signal: AbortSignal;
}

/** @throws {Unusable} unless it is a geth that is recent enough, on our genesis, and produces blocks by our rules. */
export async function checkClient({ geth, chainId, first, forks, gasLimit, signal }: ClientContext): Promise<void> {
  const client = await geth.version(signal);
  const version = gethVersion(client);
  const least = findTime(forks, 'amsterdam') === undefined ? OLDEST_GETH : OLDEST_WITH_AMSTERDAM;
  const oldest = least.join('.');
  if (version === undefined || !isRecentEnough(version, least))
    throw new Unusable(
      `${geth.target}: expected geth ${oldest} or newer, got ${client.slice(0, 100)}; install a recent geth`,
    );
  const genesis = await geth.block(0n, signal);
  if (genesis?.hash !== first.hash)
    throw new Unusable(
      `${geth.target}: expected a chain with genesis ${first.hash}, got ${genesis?.hash ?? 'none'}; initialise an empty data directory with \`geth init\` and the rollup's genesis file`,
    );
  const config = forkConfig(forks, {
    chainId,
    genesisHash: first.hash,
    genesisTime: first.header.timestamp,
    time: (await geth.head(signal)).timestamp,
  });
  const [expected, got] = [forkState(new Input(config, 'eth_config')), await geth.forks(signal)];
  if (expected.forkId !== got.forkId || expected.precompiles !== got.precompiles)
    throw new Unusable(
      `${geth.target}: expected forks at the times of the rollup's genesis file (fork id ${expected.forkId}), got others (${got.forkId}); stop geth, run \`geth init\` with that file on the same data directory, and start it`,
    );
  await tryToBuild(geth, { forks, gasLimit, signal });
}

/** An empty block on its head, which leaves nothing behind, shows whether it is started as it must be. */
async function tryToBuild(
  geth: Geth,
  { forks, gasLimit, signal }: Pick<ClientContext, 'forks' | 'gasLimit' | 'signal'>,
): Promise<void> {
  const head = await geth.head(signal);
  try {
    const { header } = await geth.build(
      head.hash,
      {
        fork: forkAt(forks, head.timestamp + 1n),
        timestamp: head.timestamp + 1n,
        feeRecipient: ZERO_ADDRESS,
        withdrawals: [],
        parentBeaconBlockRoot: ZERO_HASH,
        extraData: '0x',
        gasLimit,
        slotNumber: 0n,
      },
      [],
      signal,
    );
    if (header.gasLimit !== gasLimit)
      throw new Unusable(
        `${geth.target}: expected blocks with gas limit ${gasLimit}, got ${header.gasLimit}; start geth with --miner.gaslimit ${gasLimit}`,
      );
  } catch (error) {
    if (error instanceof CannotBuild)
      throw new Unusable(`${geth.target}: it builds no empty block: ${error.message}`, { cause: error });
    if (error instanceof JsonRpcError)
      throw new Unusable(
        `${geth.target}: expected the method testing_buildBlockV1, got ${errorLine(error)}; use geth's unix socket, or name \`testing\` in --http.api`,
        { cause: error },
      );
    throw error;
  }
}
