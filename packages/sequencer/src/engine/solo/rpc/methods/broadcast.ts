import { sha256 } from '@switchyard/protocol';
import { defer, errorLine, internalError, Places } from '@switchyard/service';
import { NO_RESULT } from '../../../../app/tx-results.ts';
import type { Verdict } from '../../../../app/types.ts';
import { renderTxResult } from '../../store/results.ts';
import { type Methods, method, type Node } from '../method.ts';
import { bytes } from '../params.ts';
import { hex } from '../render.ts';

const COMMIT_TIMEOUT_MS = 10_000;
const MAX_WAITING = 1_000;

/** A transaction that came to a block. */
export interface Included {
  readonly height: bigint;
  /** JSON. */
  readonly result: string;
}

/** Clients that wait for a transaction to come to a block. */
export class InclusionWaiters {
  readonly #waiting = new Map<string, Set<(included: Included | undefined) => void>>();
  readonly #places = new Places(MAX_WAITING);

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * @param hash Upper-case hexadecimal.
   * @param listener Gets `undefined` when there will be no more blocks.
   * @returns a function that ends the waiting.
   * @throws {JsonRpcError} if too many wait, or too many of this address.
   */
  add(hash: string, peer: string, listener: (included: Included | undefined) => void): () => void {
    const leave = this.#places.take(peer);
    if (leave === undefined) {
      throw internalError(`max_subscription_clients ${MAX_WAITING} reached: ${this.#places.full(peer)}`);
    }
    const listeners = this.#waiting.get(hash) ?? new Set();
    listeners.add(listener);
    this.#waiting.set(hash, listeners);
    return () => {
      if (!listeners.delete(listener)) return;
      leave();
      if (listeners.size === 0) this.#waiting.delete(hash);
    };
  }

  notify(hash: string, included: () => Included): void {
    const listeners = this.#waiting.get(hash);
    if (listeners === undefined) return;
    for (const listener of [...listeners]) listener(included());
  }

  /** Ends all waits, since there will be no more blocks. */
  close(): void {
    for (const listeners of [...this.#waiting.values()]) for (const listener of [...listeners]) listener(undefined);
  }
}

/** Methods that bring transactions into the pool. A transaction already in it is accepted again, with code 0. */
export function broadcastMethods({ app, clock, log }: Node, waiters: InclusionWaiters): Methods {
  const tx = { tx: bytes };
  return {
    broadcast_tx_sync: method(tx, (args) => broadcastAnswer(app.checkTx(args.tx, 'new'))),

    broadcast_tx_async: method(tx, (args) => {
      defer(() => {
        try {
          app.checkTx(args.tx, 'new');
        } catch (error) {
          log.error({ error: errorLine(error) }, 'a transaction could not be checked');
        }
      });
      return broadcastAnswer({ code: 0, log: '', hash: hex(sha256(args.tx)) });
    }),

    broadcast_tx_commit: method(tx, async (args, { from }) => {
      const hash = hex(sha256(args.tx));
      return new Promise<string>((resolve, reject) => {
        const stop = waiters.add(hash, from.peer, (included) => {
          end();
          if (included === undefined) reject(internalError('the node is stopping'));
          else resolve(commitAnswer(verdict, included.result, hash, included.height));
        });
        const cancel = clock.after(COMMIT_TIMEOUT_MS, () => {
          end();
          reject(internalError('timed out waiting for tx to be included in a block'));
        });
        function end(): void {
          stop();
          cancel();
        }
        let verdict: CheckAnswer = { code: 0, info: '', log: '' };
        try {
          verdict = app.checkTx(args.tx, 'new');
        } catch (error) {
          end();
          reject(error);
          return;
        }
        if (verdict.code === 0) return;
        end();
        resolve(commitAnswer(verdict, renderTxResult(NO_RESULT), hash, 0n));
      });
    }),

    check_tx: method(tx, (args) => checkAnswer(app.checkTx(args.tx, 'new'))),
  };
}

function broadcastAnswer({ code, log, hash }: { code: number; log: string; hash: string }): string {
  return JSON.stringify({ code, data: '', log, codespace: '', hash: hash.toUpperCase() });
}

type CheckAnswer = Pick<Verdict, 'code' | 'info' | 'log'>;

function checkAnswer({ code, log, info }: CheckAnswer): string {
  return renderTxResult({ ...NO_RESULT, code, log, info });
}

function commitAnswer(verdict: CheckAnswer, result: string, hash: string, height: bigint): string {
  return `{"check_tx":${checkAnswer(verdict)},"tx_result":${result},"hash":"${hash}","height":"${height}"}`;
}
