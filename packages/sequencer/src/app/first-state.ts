import { balances, type StateWriter } from '@switchyard/machine';
import { sha256, toHex } from '@switchyard/protocol';
import { exactJsonText, parseExactJson } from '@switchyard/service';
import { type Problem, unexpected } from '@switchyard/service/input';
import { type AppState, InvalidGenesis, parseAppState } from './genesis.ts';
import { assets } from './tables/assets.ts';
import {
  applyValidatorUpdate,
  ibcRelayers,
  ibcSudo,
  MAX_GENESIS_POWER,
  MAX_VALIDATORS,
  sudo,
} from './tables/authority.ts';
import {
  type Chain,
  genesisDigest,
  refuseReservedRollups,
  requireCanonical,
  writeBlock,
  writeChain,
} from './tables/chain.ts';
import { allowFeeAssets, feeComponents } from './tables/fees.ts';
import type { Genesis } from './types.ts';

/**
 * Reads the app state, and looks at the parts that the engine reads.
 *
 * @throws {InvalidGenesis} with every mistake.
 */
export function readGenesis(genesis: Genesis): AppState {
  const problems = engineProblems(genesis);
  try {
    const app = parseAppState(genesis.appState);
    if (problems.length === 0) return app;
  } catch (error) {
    if (!(error instanceof InvalidGenesis)) throw error;
    problems.push(...error.problems);
  }
  throw new InvalidGenesis(problems);
}

/**
 * Writes the state that a chain begins with.
 *
 * @throws {InvalidGenesis} with every mistake of the app state, before anything is written.
 */
export function writeFirstState(state: StateWriter, genesis: Genesis): Chain {
  const app = readGenesis(genesis);
  const chain: Chain = {
    id: genesis.chainId,
    prefix: app.prefix,
    ibcCompatPrefix: app.ibcCompatPrefix,
    nativeAsset: app.nativeAsset?.id,
    maxSequencedBytesPerBlock: app.maxSequencedBytesPerBlock,
    maxTransactionBytes: app.maxTransactionBytes,
    appVersion: genesis.consensusParams.version.app,
  };
  writeChain(state, chain);
  if (app.canonicalTransactions) requireCanonical(state);
  if (app.refuseReservedRollupIds) refuseReservedRollups(state);
  writeBlock(state, genesis.initialHeight - 1n, genesis.time);
  genesisDigest.put(state, computeDigest(genesis));
  writeAccounts(state, app);
  for (const [action, row] of app.fees) feeComponents.put(state, action, row);
  allowFeeAssets(state, [...new Set(app.allowedFeeAssets.map(({ id }) => id))]);
  for (const validator of genesis.validators) applyValidatorUpdate(state, validator);
  return chain;
}

/** Header, one signature and the two roots that are in every block. */
const LEAST_BLOCK_BYTES = 1_024n;

/** Problems that an engine accepts at first and stops at later. */
function engineProblems({ validators, consensusParams }: Genesis): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, expected: string, got: unknown) => problems.push(unexpected(path, expected, String(got)));
  const total = validators.reduce((sum, { power }) => sum + power, 0n);
  if (validators.length > MAX_VALIDATORS) add('validators', `at most ${MAX_VALIDATORS}`, validators.length);
  if (total > MAX_GENESIS_POWER)
    add('validators', `a total power of at most ${MAX_GENESIS_POWER}, which leaves room for updates`, total);
  const { maxBytes } = consensusParams.block;
  if (maxBytes > 0n && maxBytes < LEAST_BLOCK_BYTES)
    add(
      'consensus_params.block.max_bytes',
      `at least ${LEAST_BLOCK_BYTES}, for a block without transactions, or -1`,
      maxBytes,
    );
  const { pubKeyTypes } = consensusParams.validator;
  if (pubKeyTypes.length > 0 && !pubKeyTypes.includes('ed25519'))
    add('consensus_params.validator.pub_key_types', '"ed25519" among them', JSON.stringify(pubKeyTypes));
  return problems;
}

function writeAccounts(state: StateWriter, app: AppState): void {
  const { nativeAsset } = app;
  if (nativeAsset !== undefined) assets.put(state, nativeAsset.id, nativeAsset.text);
  for (const { account, asset = nativeAsset, balance } of app.accounts) {
    if (asset === undefined) continue;
    assets.put(state, asset.id, asset.text);
    balances.put(state, [account, asset.id], balance);
  }
  sudo.put(state, app.sudo);
  ibcSudo.put(state, app.ibcSudo);
  for (const relayer of app.ibcRelayers) ibcRelayers.put(state, relayer, true);
}

/** Names a genesis, regardless of the white space in its app state. 32 bytes. */
export function computeDigest({ chainId, time, initialHeight, consensusParams, validators, appState }: Genesis) {
  const state = parseExactJson(new TextDecoder().decode(appState));
  const keys = validators.map(({ publicKey, power }) => [toHex(publicKey), power]);
  const content = [chainId, time.seconds, time.nanos, initialHeight, consensusParams, keys].map((part) =>
    JSON.stringify(part, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  );
  return sha256(new TextEncoder().encode(`[${[...content, exactJsonText(state)].join(',')}]`));
}
