import type { AnyRoute } from '@switchyard/service/api';
import { rollups } from '../contract/rollups.ts';
import { isOffered } from '../rollups/offers.ts';
import { answer } from './answer.ts';
import { type ApiContext, followed } from './context.ts';
import { mapped, notFound } from './problems.ts';
import { getRollup } from './rollups.ts';
import { upstream } from './upstream.ts';

/** For pages of one rollup: answers of its own node, which is its definition's, not the framework's. */
export const passedRoute = (context: ApiContext): AnyRoute =>
  answer(rollups.getRollupView, async ({ path: { rollup }, url }) => {
    const indexer = followed(context, getRollup(context, rollup));
    if (indexer === undefined) throw notFound('no node of this rollup is followed here');
    // With the escapes that the client wrote.
    const { pathname, search } = new URL(url);
    const path = `/v1/${pathname.replace(/^.*?\/views\//, '')}`;
    // A node whose offers are not known answers itself.
    if (!isOffered(indexer.state().offers, path)) throw notFound('the node of this rollup does not offer this');
    return mapped(upstream('the node of this rollup'), () => indexer.node.get(`${path}${search}`, context.signal));
  });
