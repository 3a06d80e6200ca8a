import type { StateWriter } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { optional, parseInput, type Schema, snakeCase, text } from '@switchyard/service/input';
import { mustBeOver } from '../app/bugs.ts';
import type { BlockRecord } from '../app/commits.ts';
import type { Beside, RollupDefinition } from '../app/definition.ts';
import { readGenesis } from '../app/genesis.ts';
import { stateTable } from '../app/state-tables.ts';
import { decode } from '../schema/codec.ts';
import { adminRoutes } from './admin/routes.ts';
import { announcedUpgrade, missingUpgrade } from './announce.ts';
import { buildIndexes, recordIndexes } from './build-indexes.ts';
import type { Actions, AnyRollup, DefinedRollup, GenesisOf, Parameters, Queries } from './definition.ts';
import { type Hook, hookState } from './derive-rows.ts';
import { type Events, eventCodec } from './events.ts';
import { toFeeRule } from './fees.ts';
import { createHandlers } from './handlers.ts';
import { writeIndexes } from './indexes.ts';
import { numbered, refusalJson } from './refusals.ts';
import { definitionRoutes } from './routes.ts';
import { createScheduling } from './scheduling.ts';
import { toSchemas } from './schemas.ts';
import { BOUNDS, countedFor } from './steps.ts';
import type { AnyTable } from './table.ts';
import { toUpgrades } from './upgrades.ts';

/**
 * The rollup of a definition, as a node runs it.
 *
 * @param genesisText Text of the genesis file; `file` is for its messages, `sequencerChainId` for a file without this key.
 * @param beside Rows and routes of the node besides the rules.
 * @throws {InvalidConfig} naming every mistake of the genesis with its file and key.
 */
export function toRollup(
  defined: AnyRollup,
  genesisText: string,
  file = 'the genesis file',
  sequencerChainId?: string,
  beside: (genesis: never) => Beside<never> = () => ({}),
): RollupDefinition {
  const { name, typeUrl, maxTransactionBytes } = defined;
  const genesis = getGenesis(defined, genesisText, file, sequencerChainId);
  // The members of the file were read by the schemas of this definition.
  const own = genesis as never;
  const limits = new Map(
    Object.entries(defined.actions as Actions).map(([kind, { steps = BOUNDS.action }]) => [kind, steps]),
  );
  const { onBlock, onGenesis, api, routes, ...served } = beside(own);
  const tables: readonly AnyTable[] = defined.tables ?? [];
  const { stored, encoded } = eventCodec(defined.eventUnion);
  const scheduling = createScheduling(defined, genesis);
  const rowTables = new Set([announcedUpgrade, ...tables].map(({ id }: AnyTable) => id));
  const hook: Hook = {
    ...{ own: defined.onBlock, rollup: genesis.rollup, rowTables },
    run({ events, ...block }, state) {
      const named = events.flatMap(({ event: { bytes }, ...item }) =>
        decode(stored, bytes).events.map((event) => ({ event: event as never, ...item })),
      );
      mustBeOver(defined.onBlock?.({ ...block, events: named }, hookState(state)));
    },
  };
  const refusals = defined.refusalUnion?.cases.map(({ name: kind }) => kind) ?? [];
  return {
    ...served,
    name,
    genesis,
    schemas: toSchemas(defined),
    tables: tables.filter(({ isAuthenticated }) => isAuthenticated).map(stateTable),
    rowTables,
    ...(defined.fees && { fees: toFeeRule(defined.fees) }),
    transactions: { typeUrl, maxBytes: maxTransactionBytes, decodeBody: defined.body.decode },
    ...toUpgrades(defined, own),
    actions: createHandlers(defined.actions, genesis, encoded, refusals, scheduling.toScheduler),
    decodeScheduled: scheduling.decode,
    steps: {
      ofAction: ({ kind }) => limits.get(kind) ?? 0,
      ofBlock: Math.max(BOUNDS.block, ...limits.values()),
    },
    assetNames: getTexts(defined.document.genesis, parseInput(genesisText, file).value),
    actionJson: (action, nameOf) => defined.actionJson(action, nameOf),
    spends: (action) => defined.actions[action.kind]?.spends?.(action as never) ?? [],
    missingUpgrade: (number, state) => missingUpgrade(defined.document, genesis.chainId, number, state),
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
    ...(defined.refusalUnion && { refusalJson: (...given) => refusalJson(defined.refusalUnion, ...given) }),
    onChange: (changed, rows, report) => writeIndexes(tables, changed, rows, report),
    onGenesis(rows) {
      recordIndexes(tables, hook, rows);
      onGenesis?.(rows);
    },
    prepare: (store, log, signal) => buildIndexes(tables, hook, store, log, signal),
    ...(defined.eventUnion && {
      eventsJson: (bytes, nameOf) => (stored.toJson(decode(stored, bytes), nameOf) as { readonly events: [] }).events,
    }),
    ...((defined.onBlock ?? onBlock) && {
      onBlock(block: BlockRecord, state: StateWriter) {
        if (defined.onBlock !== undefined) hook.run(block, state);
        if (onBlock === undefined) return;
        const events = block.events.map((each) => ({ ...each, event: each.event.value as never }));
        mustBeOver(onBlock({ ...block, events }, state));
      },
    }),
    api: (node) => [...definitionRoutes(defined, node), ...(api?.(node) ?? [])],
    routes(app, node) {
      adminRoutes(defined, app, node);
      routes?.(app, node);
      // A page of its own stands there already, if it has one.
      app.get('/', (c) => c.redirect('/admin'));
    },
  };
}

const ADDRESS = /^[a-z0-9]+1[02-9ac-hj-np-z]{38}$/;

/** All texts in some documents but addresses, which may be many. */
function getTexts(...documents: readonly unknown[]): ReadonlySet<string> {
  const texts = new Set<string>();
  JSON.stringify(documents, (_, value: unknown) => {
    if (typeof value === 'string' && !ADDRESS.test(value)) texts.add(value);
    return typeof value === 'bigint' ? undefined : value;
  });
  return texts;
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
  const { laterMembers } = toSchemas(defined);
  const own = Object.entries<Parameters[string]>(genesis ?? {}).map(([member, given]): [string, Schema<unknown>] => [
    snakeCase(member),
    'type' in given ? optional<unknown>(given.type.json, given.fallback) : given.json,
  ]);
  const members = { ...Object.fromEntries(own), definition: optional(text) };
  const facts = { sequencerChainId, fingerprint, laterMembers };
  const { definition, ...read } = readGenesis(genesisText, file, members, facts);
  // The members were read by the types of G.
  if (definition === undefined || definition === fingerprint) return read as unknown as GenesisOf<G>;
  throw new InvalidConfig([
    {
      variable: `${file}: definition`,
      expected: `the fingerprint of this program's definition of ${name}, ${fingerprint}`,
      got: String(definition),
      advice: 'run the program that this chain was made for, or begin a new chain without the key',
    },
  ]);
}
