import { parseInput } from '@switchyard/service/input';
import { mustBeOver } from '../app/bugs.ts';
import type { BlockEvent } from '../app/commits.ts';
import type { Beside, RollupDefinition } from '../app/definition.ts';
import { stateTable } from '../app/state-tables.ts';
import { decode } from '../schema/codec.ts';
import { adminRoutes } from './admin/routes.ts';
import { buildIndexes, recordIndexes } from './build-indexes.ts';
import type { AnyRollup } from './definition.ts';
import { type Hook, withDerived } from './derive-rows.ts';
import { eventCodec } from './events.ts';
import { writeIndexes } from './indexes.ts';
import { termIndexes } from './log-search.ts';
import { refusalJson } from './refusals.ts';
import { definitionRoutes } from './routes.ts';
import { getGenesis, toRules } from './rules-of.ts';
import { toSchemas } from './schemas.ts';
import { selections } from './selections.ts';
import type { AnyTable } from './table.ts';

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
  beside: (genesis: never) => Beside = () => ({}),
): RollupDefinition {
  const { name, onBlock } = defined;
  const genesis = getGenesis(defined, genesisText, file, sequencerChainId);
  const genesisFile = parseInput(genesisText, file).value;
  // The members of the file were read by the schemas of this definition.
  const own = genesis as never;
  const { api, routes, retainSearch, formerRows = [], ...served } = beside(own);
  const tables: readonly AnyTable[] = defined.tables ?? [];
  const indexes = termIndexes(tables, retainSearch);
  const { stored } = eventCodec(defined.eventUnion);
  const rules = toRules(defined, genesis);
  const hook: Hook = {
    ...{ own: onBlock, rollup: genesis.rollup, rowTables: rules.rowTables, indexes: [...indexes.values()], formerRows },
    run(block, state) {
      const events: BlockEvent<never>[] = [];
      for (const { event, signer, transaction } of block.events)
        for (const each of decode(stored, event.bytes).events)
          events.push({ event: each as never, signer, transaction });
      withDerived(block, state, (own) => mustBeOver(onBlock?.({ ...block, events }, own)));
      for (const index of indexes.values()) index.advance(state);
    },
  };
  return {
    ...served,
    ...rules,
    name,
    schemas: toSchemas(defined),
    tables: tables.filter(({ isAuthenticated }) => isAuthenticated).map(stateTable),
    select: selections(tables),
    assetNames: getTexts(defined.document.genesis, genesisFile),
    actionJson: (action, nameOf) => defined.actionJson(action, nameOf),
    spends: (action) => defined.actions[action.kind]?.spends?.(action as never) ?? [],
    ...(defined.refusalUnion && { refusalJson: (...given) => refusalJson(defined.refusalUnion, ...given) }),
    onChange: (changed, rows, report) => writeIndexes(tables, changed, rows, report),
    indexes,
    onGenesis: (rows) => recordIndexes(tables, hook, rows),
    prepare: (store, log, signal) => buildIndexes(tables, hook, store, log, signal),
    ...(defined.eventUnion && {
      eventsJson: (bytes, nameOf) => (stored.toJson(decode(stored, bytes), nameOf) as { readonly events: [] }).events,
    }),
    ...(onBlock && { onBlock: hook.run }),
    api: (node) => [...definitionRoutes(defined, node, genesisFile), ...(api?.(node) ?? [])],
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
