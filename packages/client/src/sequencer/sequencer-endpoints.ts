import { type ProcessContext, systemClock } from '@switchyard/service';
import { Endpoints, pairUrls } from '../endpoints/endpoints.ts';
import { type SequencerClient, sequencerClient } from './sequencer.ts';

/** Blocks that a node may be behind another one before that one is used. */
const MAX_LAG = 5n;
const BAD_FOR_MS = 60_000;

/** The settings of a process that list its sequencer nodes, of which one has both addresses at the same place. */
interface NodeSettings<Grpc extends string, Rpc extends string> {
  readonly grpc: Grpc;
  readonly rpc: Rpc;
  readonly fields: Readonly<Record<Grpc | Rpc, { readonly names: readonly [string, ...string[]] }>>;
  readonly config: Readonly<Record<Grpc | Rpc, readonly string[]>>;
  readonly maxAnswerBytes?: number;
}

/** The nodes of a sequencer, of which the first one is used first. @throws {Error} if the lists are not equally long. */
export function sequencerEndpoints<T, Grpc extends string, Rpc extends string>(
  { grpc, rpc, fields, config, ...limits }: NodeSettings<Grpc, Rpc>,
  { log, defer, links }: Pick<ProcessContext, 'log' | 'defer' | 'links'>,
  getNode: (client: SequencerClient) => T,
): Endpoints<T> {
  const pairs = pairUrls(config[grpc], config[rpc], [fields[grpc].names[0], fields[rpc].names[0]]);
  // A stalled endpoint gets less time if there is another one.
  const timeoutMs = pairs.length > 1 ? 4_000 : 10_000;
  const all = pairs.map((urls) => {
    const client = sequencerClient({ ...urls, ...limits, timeoutMs, links });
    defer(() => client.close());
    return { url: urls.grpcUrl, client: getNode(client) };
  });
  return new Endpoints(all, { maxLag: MAX_LAG, badForMs: BAD_FOR_MS, clock: systemClock, log });
}
