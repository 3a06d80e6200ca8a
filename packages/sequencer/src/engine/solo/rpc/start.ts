import { type Access, errorLine, type Listen } from '@switchyard/service';
import type { Produced } from '../produce.ts';
import { decodeResults } from '../store/results.ts';
import { createDispatcher } from './dispatch.ts';
import { eventsOf } from './events.ts';
import { serveRpc } from './http.ts';
import { LargeAnswers } from './large-answers.ts';
import type { Methods } from './method.ts';
import { blockMethods } from './methods/blocks.ts';
import { broadcastMethods, InclusionWaiters } from './methods/broadcast.ts';
import { infoMethods } from './methods/info.ts';
import { subscribeMethods } from './methods/subscribe.ts';
import { txMethods } from './methods/txs.ts';
import type { Node } from './node.ts';
import { hex } from './render.ts';
import { createSockets } from './socket.ts';
import { Subscriptions } from './subscriptions.ts';

export interface RpcOptions extends Node {
  readonly listen: Listen;
  /** Who may call, and which pages. */
  readonly access?: Access;
  readonly maxTxBytes: number | undefined;
  /** Calls are answered from when this resolves on; until then they wait. */
  readonly ready: Promise<void>;
}

export interface RunningRpc {
  readonly port: number;
  readonly url: string;
  /** Notifies subscribers, and clients that wait for a transaction, of a block that may be published. */
  publish(produced: Produced): void;
  close(): Promise<void>;
}

const DEFAULT_MAX_TX_BYTES = 1024 * 1024;
/** What CometBFT reads at most by default. */
const LEAST_BODY_BYTES = 1_000_000;

/** @throws {CannotListen} */
export async function startRpc(options: RpcOptions): Promise<RunningRpc> {
  const { log, clock, listen, access, maxTxBytes = DEFAULT_MAX_TX_BYTES } = options;
  const subscriptions = new Subscriptions(log);
  const waiters = new InclusionWaiters();
  let address = `tcp://${listen.host}:${listen.port}`;
  const methods: Methods = {
    ...subscribeMethods(subscriptions),
    ...infoMethods(options, () => address),
    ...blockMethods(options.chain),
    ...txMethods(options),
    ...broadcastMethods(options, waiters),
  };
  const dispatcher = createDispatcher(methods, new LargeAnswers(clock), options.ready, log);
  // A transaction in base64, and room for the request around it.
  const maxBodyBytes = Math.max(LEAST_BODY_BYTES, Math.ceil(maxTxBytes / 3) * 4 + 4_096);
  const sockets = createSockets({
    dispatcher,
    clock,
    maxMessageBytes: maxBodyBytes,
    onEnd: (subscriber) => subscriptions.removeAll(subscriber),
  });
  const http = await serveRpc({ listen, access, dispatcher, sockets, methods, maxBodyBytes, log });
  address = `tcp://${listen.host}:${http.port}`;

  function tellWaiters({ made, results }: Produced): void {
    if (waiters.isEmpty) return;
    let decoded: readonly string[] | undefined;
    for (const [index, hash] of made.txHashes.entries()) {
      waiters.tell(hex(hash), () => {
        decoded ??= decodeResults(results).txs;
        return { height: made.block.header.height, result: decoded[index] ?? '{}' };
      });
    }
  }

  return {
    port: http.port,
    url: http.url,
    publish(produced) {
      try {
        tellWaiters(produced);
        if (subscriptions.isEmpty) return;
        for (const event of eventsOf(produced)) subscriptions.publish(event);
      } catch (error) {
        // The block is final: a client that was not notified can query it, and the chain does not stop for it.
        log.error({ error: errorLine(error) }, 'subscribers could not be notified of a block');
      }
    },
    close() {
      waiters.close();
      return http.close();
    },
  };
}
