import { type ProcessSpec, pageRoutes } from '@switchyard/service';
import { rollupFields } from '../app/config.ts';
import type { RollupAction, RollupDefinition } from '../app/definition.ts';
import { startRollup } from '../app/start.ts';
import type { AnyRollup } from './definition.ts';
import { rollupOf } from './rollup-of.ts';

export interface ProcessOptions {
  /** Directory of a page for users, which the node serves at `/`. */
  readonly pages?: string | undefined;
}

/** The node of a definition, for a program of its own and for one that runs several. */
export function rollupProcess(defined: AnyRollup, { pages }: ProcessOptions = {}): ProcessSpec<typeof rollupFields> {
  return {
    ...{ name: defined.name, fields: rollupFields },
    async main(config, context) {
      await startRollup((text, file) => withPages(rollupOf(defined, text, file), pages), config, context);
    },
  };
}

function withPages(
  rollup: RollupDefinition<RollupAction, never>,
  pages: string | undefined,
): RollupDefinition<RollupAction, never> {
  if (pages === undefined) return rollup;
  return {
    ...rollup,
    routes(app, node) {
      rollup.routes?.(app, node);
      pageRoutes(app, pages);
    },
  };
}
