import { systemClock, wallClock } from '@switchyard/service';
import { explorerMethods } from '../explorer/methods.ts';
import { serverError } from '../json/errors.ts';
import type { Pool } from '../pool/pool.ts';
import type { RpcDeps, RpcMethods } from '../rpc/deps.ts';
import { embeddedMethods } from '../rpc/embedded-methods.ts';
import { EvmSimulator, type SimulatorConfig } from '../simulate/evm-simulator.ts';
import type { Archive } from './archive.ts';

export interface ReadOnlyOptions extends Pick<RpcDeps, 'log' | 'hereMs' | 'bounds' | 'metrics' | 'clientVersion'> {
  readonly calls: SimulatorConfig;
  /** Pool that takes transactions; if absent, all are rejected. */
  readonly pool?: Pool;
}

/** Every method of a node, over an archive. */
export function archiveMethods({ chain, state, genesis, index }: Archive, options: ReadOnlyOptions): RpcMethods {
  const {
    calls,
    pool = readOnlyPool((address) => chain.state(chain.heads.latest).account(address)?.nonce ?? 0n),
    ...rest
  } = options;
  const simulator = new EvmSimulator(calls, {
    chain,
    rules: genesis.rules,
    stateRoot: (block, changes) => state.rootWith(block, changes),
    slotsEver: (address) => state.slotsEver(address),
  });
  const parts = { chain, pool, simulator, forks: genesis.forks, oldestProof: () => state.oldestProof };
  const deps = { ...rest, ...parts, clock: systemClock, wall: wallClock };
  return embeddedMethods(deps, explorerMethods({ simulator, index }));
}

function readOnlyPool(getNonce: Pool['nextNonce']): Pool {
  return {
    send: async () => {
      throw serverError('this node only reads: its chain was imported and takes no transactions');
    },
    get: () => undefined,
    status: async () => ({ status: 'unknown' }),
    nextNonce: getNonce,
    counts: { sent: 0, held: 0 },
    ofSender: () => [],
    content: () => ({ pending: new Map(), queued: new Map() }),
    pending: () => [],
    onPending: () => () => undefined,
  };
}
