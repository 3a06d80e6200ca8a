import { randomBytes } from 'node:crypto';
import type { ExplorerConfig } from '../config.ts';
import { readable } from '../http/upstream.ts';
import { openStore } from '../store/open.ts';
import type { IndexStore } from '../store/store.ts';
import { Decoder } from './decode/decoder.ts';
import { Compilers } from './verify/compilers.ts';
import { CONTRACTS } from './verify/tables.ts';
import { VerifiedContracts } from './verify/verified-contracts.ts';
import { Verifier, type VerifierDeps } from './verify/verifier.ts';

type ContractsDeps = Pick<VerifierDeps, 'clock' | 'wall' | 'log' | 'signal' | 'limits'>;

/** Access to facts about contracts beyond the chain, and to the parts that add to it. */
export type Contracts = ReturnType<typeof createContracts>;

/** @param store With the tables of {@link CONTRACTS}. */
export function createContracts(
  store: IndexStore,
  solcDirectory: string | undefined,
  { clock, wall, log, signal, limits = {} }: ContractsDeps,
) {
  const compilers = new Compilers(solcDirectory, log);
  const verified = new VerifiedContracts({ store, clock, wall, signal });
  const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');
  const verifier = new Verifier({ store, contracts: verified, compilers, clock, wall, randomHex, log, signal, limits });
  const decoder = new Decoder({ contracts: verified, store });
  return { store: readable(store), verified, verifier, decoder, compilers, signal };
}

/** Opens the records of contracts. @throws {InvalidConfig} */
export async function openContracts(
  config: Pick<ExplorerConfig, 'dbUrl' | 'dbFilepath' | 'evmSolcDirpath'>,
  deps: ContractsDeps & { readonly defer: (close: () => Promise<void>) => void },
): Promise<Contracts> {
  const store = await openStore(config, { ...deps, schema: CONTRACTS });
  deps.defer(() => store.close());
  return createContracts(store, config.evmSolcDirpath, deps);
}
