import { type ProcessContext, type ProcessSpec, pageRoutes } from '@switchyard/service';
import type { ConfigOf, FieldTable } from '@switchyard/service/settings';
import { type RollupConfig, rollupFields } from '../app/config.ts';
import type { Beside } from '../app/definition.ts';
import { startRollup } from '../app/start.ts';
import { adopted } from './adopt.ts';
import type { Actions, DefinedRollup, GenesisOf, Parameters, Queries } from './definition.ts';
import type { Events } from './events.ts';
import { toRollup } from './rollup-of.ts';

type NoFields = Record<never, never>;

export interface ProcessOptions {
  /** Directory of a page for users, which the node serves at `/`. */
  readonly pages?: string | undefined;
  /** Origins that the page may call besides the node, such as `http://127.0.0.1:8080` of an explorer. */
  readonly connectTo?: readonly string[] | undefined;
  /** Lets a change without a block begin at the next one, and takes a line about it: for a chain with one node. */
  readonly onAdopted?: (line: string) => void;
}

/** Settings, rows and routes of a node that are no rules: its clients do not have them. */
export interface NodeOptions<G, F extends FieldTable> extends ProcessOptions {
  readonly fields?: F;
  readonly beside?: (
    genesis: GenesisOf<G>,
    config: ConfigOf<typeof rollupFields & F>,
    context: ProcessContext,
  ) => Beside;
}

/** The node of a definition, for a program of its own and for a program that runs several. */
export function rollupProcess<
  G extends Parameters,
  A extends Actions,
  Q extends Queries,
  E extends Events,
  F extends FieldTable = NoFields,
>(
  defined: DefinedRollup<G, A, Q, E>,
  { pages, connectTo, onAdopted, fields, beside }: NodeOptions<G, F> = {},
): ProcessSpec<typeof rollupFields & F> {
  return {
    // The fields of F are there if F has any.
    ...{ name: defined.name, fields: { ...rollupFields, ...fields } as typeof rollupFields & F },
    async main(config, context) {
      const running =
        onAdopted === undefined ? defined : await adopted(defined, (config as RollupConfig).dbFilepath, onAdopted);
      const served = (genesis: GenesisOf<G>) =>
        withPages(beside?.(genesis, config, context) ?? {}, { pages, connectTo });
      await startRollup((...given) => toRollup(running, ...given, served), config, context);
    },
  };
}

function withPages(beside: Beside, { pages, connectTo = [] }: ProcessOptions): Beside {
  if (pages === undefined) return beside;
  return {
    ...beside,
    routes(app, node) {
      beside.routes?.(app, node);
      pageRoutes(app, pages, { connectTo });
    },
  };
}
