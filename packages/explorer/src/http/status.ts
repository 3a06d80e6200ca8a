import type { AnyRoute } from '@switchyard/service/api';
import { explorer, type Heads, type Status } from '../contract/explorer.ts';
import { answer } from './answer.ts';
import type { ApiContext } from './context.ts';

/** How far the index is. */
export const statusRoute = (context: ApiContext): AnyRoute => answer(explorer.getStatus, () => toStatus(context));

type Sources = Pick<ApiContext, 'sequencer' | 'rollups'>;

export function toStatus(context: Sources & Pick<ApiContext, 'addressPrefix'>): Status {
  const { chainId, height, latest, problem } = context.sequencer.state();
  return {
    chainId: chainId ?? null,
    addressPrefix: context.addressPrefix,
    latest,
    lag: Math.max(0, latest - height),
    problem: problem ?? null,
    ...toHeads(context),
  };
}

export function toHeads({ sequencer, rollups }: Sources): Heads {
  return {
    height: sequencer.state().height,
    rollups: rollups.flatMap((each) => {
      const { head, number } = each.state();
      return head === undefined ? [] : [{ rollup: head.id, name: head.name, number, firm: head.firm ?? null }];
    }),
  };
}
