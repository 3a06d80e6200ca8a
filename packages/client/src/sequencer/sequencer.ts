import { type GrpcTransport, grpcTransport, jsonRpcClient, type Links } from '@switchyard/service';
import { cometClient } from './comet.ts';
import { stateQueries } from './queries.ts';
import { sequencerGrpc } from './sequencer-grpc.ts';

export interface SequencerClientOptions {
  /** CometBFT RPC, such as `http://127.0.0.1:26657`. */
  readonly rpcUrl: string;
  /** Needed by pendingNonce, filteredBlock, sequencerBlock, nonceSpender and streamFilteredBlocks. */
  readonly grpcUrl?: string;
  /** Deadline of every call that answers once. */
  readonly timeoutMs?: number;
  readonly maxAnswerBytes?: number;
  /** Nodes of this process. */
  readonly links?: Links | undefined;
}

export type SequencerClient = ReturnType<typeof sequencerClient>;

const missing = (method: { readonly name: string }): Promise<never> =>
  Promise.reject(new Error(`${method.name} needs the gRPC address of a sequencer, and none was given`));
const NO_TRANSPORT: GrpcTransport = { unary: missing, stream: missing, close: () => undefined };

/** A sequencer node as typed calls, over its RPC and its gRPC. No call is repeated: that is up to the caller. */
export function sequencerClient({
  rpcUrl,
  grpcUrl,
  timeoutMs = 10_000,
  maxAnswerBytes = 64 * 1_048_576,
  links,
}: SequencerClientOptions) {
  const comet = cometClient(jsonRpcClient(rpcUrl, { timeoutMs, maxResponseBytes: maxAnswerBytes, links }));
  const transport =
    grpcUrl === undefined
      ? NO_TRANSPORT
      : grpcTransport(grpcUrl, { timeoutMs, maxMessageBytes: maxAnswerBytes, links });
  return {
    ...comet,
    ...stateQueries(comet),
    ...sequencerGrpc(transport),
    /** Ends the gRPC connection. */
    close: () => transport.close(),
  };
}
