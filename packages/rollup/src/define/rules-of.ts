import { Rejected } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service/browser';
import { optional, type Schema, snakeCase, text } from '@switchyard/service/input';
import { mustBeOver } from '../app/bugs.ts';
import type { Rules } from '../app/definition.ts';
import { type RollupGenesis, readGenesis } from '../app/genesis.ts';
import { announcedUpgrade, missingUpgrade } from './announce.ts';
import type { Actions, AnyRollup, DefinedRollup, GenesisOf, Parameters, Queries } from './definition.ts';
import { type Events, eventCodec } from './events.ts';
import { toFeeRule } from './fees.ts';
import { createHandlers } from './handlers.ts';
import { numbered } from './refusals.ts';
import { createScheduling } from './scheduling.ts';
import { laterMembers } from './schemas.ts';
import { BOUNDS, countedFor } from './steps.ts';
import type { AnyTable } from './table.ts';
import { hashOfTypedData, toTypedData } from './typed-data.ts';
import { toUpgrades } from './upgrades.ts';

/* The rules of a definition with its genesis. A node has them, and a page that executes blocks. */

/** @param genesis Read by {@link getGenesis}. */
export function toRules(defined: AnyRollup, genesis: RollupGenesis): Rules {
  const { typeUrl, maxTransactionBytes, document } = defined;
  // The members of the file were read by the schemas of this definition.
  const own = genesis as never;
  const limits = new Map(
    Object.entries(defined.actions as Actions).map(([kind, { steps = BOUNDS.action }]) => [kind, steps]),
  );
  const tables: readonly AnyTable[] = defined.tables ?? [];
  const { encoded } = eventCodec(defined.eventUnion);
  const scheduling = createScheduling(defined, genesis);
  const refusals = defined.refusalUnion?.cases.map(({ name }) => name) ?? [];
  return {
    genesis,
    rowTables: new Set([announcedUpgrade, ...tables].map(({ id }: AnyTable) => id)),
    ...(defined.fees && { fees: toFeeRule(defined.fees) }),
    transactions: {
      ...{ typeUrl, maxBytes: maxTransactionBytes, decodeBody: defined.body.decode },
      walletDigest: (envelope, body) => hashOfTypedData(toTypedData(defined, envelope, body)),
    },
    ...toUpgrades(defined, own),
    actions: createHandlers(defined.actions, genesis, encoded, refusals, scheduling.toScheduler),
    decodeScheduled: scheduling.decode,
    steps: {
      ofAction: ({ kind }) => limits.get(kind) ?? 0,
      ofBlock: Math.max(BOUNDS.block, ...limits.values()),
    },
    missingUpgrade: (number, state) => missingUpgrade(document, genesis.chainId, number, state),
    initialState: (state) => mustBeOver(defined.initialState?.(countedFor('initialState', BOUNDS.whole, state), own)),
    onDeposit(deposit, state) {
      const credit = defined.onDeposit;
      if (credit === undefined) throw new Rejected('deposits-disabled');
      const counted = countedFor('onDeposit', BOUNDS.deposit, state);
      try {
        return mustBeOver(credit(deposit, counted, own));
      } catch (error) {
        throw numbered(refusals, error);
      }
    },
  };
}

/**
 * Reads the genesis file of a definition, which may state its fingerprint.
 *
 * @throws {InvalidConfig} naming every mistake of the genesis with its file and key.
 */
export function getGenesis<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  genesisText: string,
  file: string,
  sequencerChainId?: string,
): GenesisOf<G> {
  const { genesis, fingerprint, name } = defined;
  const own = Object.entries<Parameters[string]>(genesis ?? {}).map(([member, given]): [string, Schema<unknown>] => [
    snakeCase(member),
    'type' in given ? optional<unknown>(given.type.json, given.fallback) : given.json,
  ]);
  const members = { ...Object.fromEntries(own), definition: optional(text) };
  const later = laterMembers(defined.document).map(({ name: member }) => member);
  const facts = { sequencerChainId, fingerprint, laterMembers: later };
  const { definition, ...read } = readGenesis(genesisText, file, members, facts);
  // The members were read by the types of G.
  if (definition === undefined || definition === fingerprint) return read as unknown as GenesisOf<G>;
  throw new InvalidConfig({
    variable: `${file}: definition`,
    expected: `the fingerprint of this program's definition of ${name}, ${fingerprint}`,
    got: String(definition),
    advice: 'run the program that this chain was made for, or begin a new chain without the key',
  });
}
