import { block, hash } from '@switchyard/client/rollup-contract';
import { type AnyRoute, route, schema } from '@switchyard/service/api';

const statusMembers = {
  rollup: schema.text('Name of the rollup'),
  rollupId: hash('Id of the rollup, which follows from the name'),
  chainId: schema.text('Chain id that transactions must name'),
  sequencerChainId: schema.text('Chain of the sequencer'),
  sequencerGenesisBlockHeight: schema.u64('Rollup block 1 is made from the sequencer block after this height'),
  sequencerHeight: schema.u64('Height of the sequencer block of the newest rollup block'),
  soft: block,
  firm: schema.optional(block),
  firmMeaning: schema.optional(
    schema.words('Reason why firm blocks are firm: signatures, or that the layer has them', 'signed', 'posted'),
  ),
  firmLayerHeight: schema.optional(
    schema.u64('Block of the data-availability layer with the newest firm block; absent if none was posted'),
  ),
  lowestBlock: schema.u64('The first block after block 0 that is kept'),
  composer: schema.words('Whether transactions can be submitted', 'connected', 'unreachable'),
  pending: schema.integer('Transactions that were accepted and are not executed yet'),
};

export type NodeStatus = schema.ObjectOf<typeof statusMembers>;

/** The state of the node, with the rollup's additions. @param added Schemas of these members. */
export function statusRoute(status: () => NodeStatus, added: schema.Members = {}): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/status',
    id: 'getStatus',
    tag: 'Node',
    summary: 'The rollup of this node, and how far it is',
    answers: { 200: schema.object({ ...statusMembers, ...added }, { name: 'Status' }) },
    handle: () => ({ status: 200, body: status() }),
  });
}
