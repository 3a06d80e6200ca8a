import type { ActionHandler, Registry } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { optional, type Schema, snakeCase, text } from '@switchyard/service/input';
import { defineRollup, type RollupAction, type RollupDefinition } from '../app/definition.ts';
import { type RollupGenesis, readGenesis } from '../app/genesis.ts';
import { adminRoutes } from './admin/routes.ts';
import type { Actions, AnyRollup, Parameters } from './definition.ts';
import { definitionRoutes } from './routes.ts';
import { DEFAULT_STEPS, withSteps } from './steps.ts';
import { decodeBody } from './transaction.ts';
import { upgradesOf } from './upgrades.ts';

/**
 * The rollup of a definition, as a node runs it.
 *
 * @param genesisText Text of the genesis file; `file` is for its messages.
 * @throws {InvalidConfig} naming every mistake of the genesis with its file and key.
 */
export function rollupOf(
  defined: AnyRollup,
  genesisText: string,
  file = 'the genesis file',
): RollupDefinition<RollupAction, never> {
  const { name, typeUrl, maxTransactionBytes, fingerprint } = defined;
  const genesis = genesisOf(defined, genesisText, file);
  // The members of the file were read by the schemas of this definition.
  const own = genesis as never;
  return defineRollup<RollupAction, never>({
    name,
    genesis,
    fingerprint,
    transactions: { typeUrl, maxBytes: maxTransactionBytes, decodeBody: (bytes) => decodeBody(defined, bytes) },
    ...upgradesOf(defined, own),
    actions: handlersOf(defined.actions, genesis),
    actionJson: (action) => defined.actionJson(action),
    spends: (action) => defined.actions[action.kind]?.spends?.(action as never) ?? [],
    initialState: (state) => defined.initialState?.(state, own),
    onDeposit(deposit, state) {
      if (defined.onDeposit === undefined) throw new Rejected('deposits-disabled');
      return defined.onDeposit(deposit, state, own);
    },
    ...(defined.onBlock && { onBlock: defined.onBlock }),
    api: (node) => definitionRoutes(defined, node),
    routes: (app, node) => adminRoutes(defined, app, node),
  });
}

function handlersOf(actions: Actions, genesis: RollupGenesis): Registry<RollupAction, never> {
  const handlers = Object.entries(actions).map(
    ([kind, { check, execute, steps = DEFAULT_STEPS }]): [string, ActionHandler<RollupAction, never>] => {
      if (!Number.isSafeInteger(steps) || steps < 1)
        throw new Error(`action ${kind}: steps: expected a whole number from 1 on, got ${steps}`);
      const handler: ActionHandler<RollupAction, never> = {
        check: (action) => check?.(action as never),
        execute(action, context) {
          const state = withSteps(context.state, kind, steps);
          mustBeOver(execute(action as never, { ...context, state, genesis }));
        },
      };
      return [kind, handler];
    },
  );
  // The body of a transaction has no other actions than these, each read by the fields of its handler.
  return Object.fromEntries(handlers) as unknown as Registry<RollupAction, never>;
}

/** An async function passes for one that returns nothing; its rest would run after the block. */
function mustBeOver(returned: unknown): void {
  if (returned instanceof Promise) throw new Error('it returned a promise, but a handler is synchronous');
}

/** Members of the definition beside those of every rollup, and the fingerprint where the file states it. */
function genesisOf({ genesis = {}, fingerprint, name }: AnyRollup, genesisText: string, file: string): RollupGenesis {
  const own = Object.entries(genesis as Parameters).map(([member, given]): [string, Schema<unknown>] => [
    snakeCase(member),
    'type' in given ? optional<unknown>(given.type.json, given.fallback) : given.json,
  ]);
  const { definition, ...read } = readGenesis(genesisText, file, {
    ...Object.fromEntries(own),
    definition: optional(text),
  });
  if (definition === undefined || definition === fingerprint) return read;
  throw new InvalidConfig([
    {
      variable: `${file}: definition`,
      expected: `the fingerprint of this program's definition of ${name}, ${fingerprint}`,
      got: String(definition),
      advice: 'run the program that this chain was made for, or begin a new chain without the key',
    },
  ]);
}
