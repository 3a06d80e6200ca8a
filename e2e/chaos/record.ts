import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** An action that a client wants done. Amounts are decimal texts: JSON has no large numbers. */
export type Intent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'transfer'; readonly to: string; readonly asset: string; readonly amount: string }
  /** On the sequencer, to an account of the rollup. */
  | { readonly kind: 'deposit'; readonly to: string; readonly asset: string; readonly amount: string };

/**
 * - `acknowledged`: the service has promised that it will be executed.
 * - `refused`: the service has given the reason.
 * - `unavailable`: the service has not accepted it, by its own answer.
 * - `unknown`: no answer, or an unclear one.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unavailable' | 'unknown';

/** One line of a client's log, written before the next thing happens. `at` is in milliseconds. */
export type ClientRecord =
  | {
      readonly kind: 'account';
      readonly at: number;
      readonly address: string;
      readonly asset: string;
      readonly amount: string;
    }
  | {
      readonly kind: 'sent';
      readonly at: number;
      readonly id: string;
      readonly from: string;
      readonly nonce: number;
      readonly intent: Intent;
    }
  | {
      readonly kind: 'answer';
      readonly at: number;
      readonly id: string;
      readonly outcome: Outcome;
      readonly detail?: string;
    }
  /** It was never answered for good before the end of the run. */
  | { readonly kind: 'gave-up'; readonly at: number; readonly id: string };

/** Milliseconds that only grow, comparable between the processes of one machine. */
export const now = (): number => Math.round(performance.timeOrigin + performance.now());

type Entry = ClientRecord extends infer R ? (R extends ClientRecord ? Omit<R, 'at'> : never) : never;

/** An append-only file of records; each is handed to the system before `write` returns. */
export class ClientLog {
  readonly #file: number;
  readonly #written: (entry: Entry) => void;

  /** @param written Called after each. */
  constructor(path: string, written: (entry: Entry) => void = () => undefined) {
    this.#file = openSync(path, 'a');
    this.#written = written;
  }

  write(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify({ at: now(), ...entry })}\n`);
    this.#written(entry);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function readLog(path: string): ClientRecord[] {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      // Written by `ClientLog` alone.
      .map((line) => JSON.parse(line) as ClientRecord)
  );
}
