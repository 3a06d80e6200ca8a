import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { ApiContext } from './context.ts';
import * as form from './schemas.ts';

const headMembers = {
  height: schema.integer('The newest block of the sequencer in the index'),
  rollups: schema.list(
    schema.object(
      {
        rollup: form.hash('Id of the rollup'),
        name: schema.text('Of the rollup'),
        number: schema.integer('Its newest block in the index'),
        firm: schema.nullable(schema.integer('Its newest final block')),
      },
      { name: 'RollupHead' },
    ),
  ),
};

export const headsSchema = schema.object(headMembers, { name: 'Heads' });

const statusSchema = schema.object(
  {
    ...headMembers,
    chainId: schema.nullable(schema.text('Of the sequencer; null until it has answered')),
    addressPrefix: schema.text('Of addresses on the sequencer'),
    latest: schema.integer('The newest block of the sequencer'),
    lag: schema.integer('Blocks that the index is behind'),
    problem: schema.nullable(schema.text('Why the index does not advance')),
  },
  { name: 'Status' },
);

/** How far the index is. */
export function statusRoute(context: ApiContext): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/status',
    id: 'getStatus',
    tag: 'Explorer',
    summary: 'The chain, how far the index is, and which rollups are followed',
    answers: { 200: statusSchema },
    handle: () => ({ status: 200, body: statusOf(context) }),
  });
}

type Heads = Pick<ApiContext, 'sequencer' | 'rollups'>;

export function statusOf(context: Heads & Pick<ApiContext, 'addressPrefix'>): schema.TypeOf<typeof statusSchema> {
  const { chainId, height, latest, problem } = context.sequencer.state();
  return {
    chainId: chainId ?? null,
    addressPrefix: context.addressPrefix,
    latest,
    lag: Math.max(0, latest - height),
    problem: problem ?? null,
    ...headsOf(context),
  };
}

export function headsOf({ sequencer, rollups }: Heads): schema.TypeOf<typeof headsSchema> {
  return {
    height: sequencer.state().height,
    rollups: rollups.flatMap((each) => {
      const { head, number } = each.state();
      return head === undefined ? [] : [{ rollup: head.id, name: head.name, number, firm: head.firm ?? null }];
    }),
  };
}
