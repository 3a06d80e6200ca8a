import type { ClientRecord, Intent, Outcome } from './record.ts';

/** Everything that the clients know of one transaction. */
export interface Sent {
  readonly id: string;
  readonly from: string;
  readonly nonce: number;
  readonly intent: Intent;
  readonly sentAt: number;
  readonly answers: readonly { readonly at: number; readonly outcome: Outcome; readonly detail?: string }[];
  readonly gaveUp: boolean;
}

export interface Funded {
  readonly address: string;
  readonly asset: string;
  readonly amount: bigint;
}

export interface History {
  readonly sent: ReadonlyMap<string, Sent>;
  /** Amounts that accounts were given before the load began. */
  readonly funded: readonly Funded[];
}

export const isAcknowledged = ({ answers }: Sent): boolean => answers.some(({ outcome }) => outcome === 'acknowledged');

/** Puts the lines of the logs together. @throws {Error} if a line speaks of a transaction that was not sent. */
export function makeHistory(records: readonly ClientRecord[]): History {
  const sent = new Map<string, Sent & { answers: Sent['answers'][number][]; gaveUp: boolean }>();
  const funded: Funded[] = [];
  const known = (id: string) => {
    const found = sent.get(id);
    if (found === undefined) throw new Error(`the log speaks of ${id} before it was sent`);
    return found;
  };
  for (const record of records) {
    switch (record.kind) {
      case 'account':
        funded.push({ address: record.address, asset: record.asset, amount: BigInt(record.amount) });
        break;
      case 'sent': {
        const { id, from, nonce, intent, at } = record;
        if (sent.has(id)) throw new Error(`the log has ${id} twice`);
        sent.set(id, { id, from, nonce, intent, sentAt: at, answers: [], gaveUp: false });
        break;
      }
      case 'answer': {
        const { at, outcome, detail } = record;
        known(record.id).answers.push({ at, outcome, ...(detail === undefined ? {} : { detail }) });
        break;
      }
      case 'gave-up':
        known(record.id).gaveUp = true;
        break;
    }
  }
  return { sent, funded };
}
