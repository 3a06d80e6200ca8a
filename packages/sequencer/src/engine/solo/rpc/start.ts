import { type Access, errorLine, httpApp, type Links, type Listen } from '@switchyard/service';
import { jsonRpcServer, serveJsonRpc } from '@switchyard/service/json-rpc';
import type { Produced } from '../produce.ts';
import { decodeResults } from '../store/results.ts';
import { COMET } from './dialect.ts';
import { iterateEvents } from './events.ts';
import type { Methods, Node } from './method.ts';
import { blockMethods } from './methods/blocks.ts';
import { broadcastMethods, InclusionWaiters } from './methods/broadcast.ts';
import { infoMethods } from './methods/info.ts';
import { subscribeMethods } from './methods/subscribe.ts';
import { txMethods } from './methods/txs.ts';
import { hex } from './render.ts';
import { Subscriptions } from './subscriptions.ts';
import { answerUri, refusedBody } from './uri.ts';

export interface RpcOptions extends Node {
  readonly listen: Listen;
  /** Access rules: callers, and the pages that may call. */
  readonly access?: Access;
  readonly links?: Links | undefined;
  readonly maxTxBytes: number | undefined;
  /** Calls are answered from when this resolves on; until then they wait. */
  readonly ready: Promise<void>;
}

const SETTING = 'SVC_SEQUENCER_RPC_ADDR';
const MAX_CONNECTIONS = 900;
/** A transaction may come in the URL. */
const MAX_HEADER_BYTES = 64 * 1024;
const GRACE_MS = 1_000;
const DEFAULT_MAX_TX_BYTES = 1024 * 1024;
/** Body that CometBFT reads at most by default. */
const LEAST_BODY_BYTES = 1_000_000;

/** @throws {CannotListen} */
export async function startRpc(options: RpcOptions) {
  const { log, clock, listen, access, maxTxBytes = DEFAULT_MAX_TX_BYTES } = options;
  const subscriptions = new Subscriptions();
  const waiters = new InclusionWaiters();
  let address = `tcp://${listen.host}:${listen.port}`;
  const methods: Methods = {
    ...subscribeMethods(subscriptions),
    ...infoMethods(options, () => address),
    ...blockMethods(options.chain),
    ...txMethods(options),
    ...broadcastMethods(options, waiters),
  };
  const server = jsonRpcServer({
    methods: Object.fromEntries(Object.entries(methods).map(([name, { call }]) => [name, call])),
    large: new Set(Object.keys(methods).filter((name) => methods[name]?.large)),
    dialect: COMET,
    bounds: {
      // A transaction in base64, and room for the request around it.
      maxBodyBytes: Math.max(LEAST_BODY_BYTES, Math.ceil(maxTxBytes / 3) * 4 + 4_096),
      // CometBFT answers the requests of a connection in their order.
      maxAtWork: 1,
      // Large enough for a few of the largest blocks.
      maxUnsentBytes: 48 * 1_048_576,
    },
    ...{ clock, log, ready: options.ready },
    // The methods answer JSON text.
    stringify: String,
  });
  const http = await serveJsonRpc({
    ...{ server, listen, access, links: options.links, name: SETTING },
    app: httpApp(),
    other: (request, context) => answerUri(request, context, { server, methods }),
    refuse: refusedBody,
    webSocketPath: '/websocket',
    onLagging: (subscriber) => subscriptions.cancel(subscriber),
    maxConnections: MAX_CONNECTIONS,
    maxHeaderBytes: MAX_HEADER_BYTES,
    graceMs: GRACE_MS,
  });
  address = `tcp://${listen.host}:${http.port}`;

  function notifyWaiters({ made, results }: Produced): void {
    if (waiters.isEmpty) return;
    let decoded: readonly string[] | undefined;
    for (const [index, hash] of made.txHashes.entries()) {
      waiters.notify(hex(hash), () => {
        decoded ??= decodeResults(results).txs;
        return { height: made.block.header.height, result: decoded[index] ?? '{}' };
      });
    }
  }

  return {
    port: http.port,
    url: http.url,
    /** Notifies subscribers, and clients that wait for a transaction, of a block that may be published. */
    publish(produced: Produced): void {
      try {
        notifyWaiters(produced);
        if (subscriptions.isEmpty) return;
        for (const event of iterateEvents(produced)) subscriptions.publish(event);
      } catch (error) {
        // The block is final: a client that was not notified can query it, and the chain does not stop for it.
        log.error({ error: errorLine(error) }, 'subscribers could not be notified of a block');
      }
    },
    close(): Promise<void> {
      waiters.close();
      return http.close();
    },
  };
}
