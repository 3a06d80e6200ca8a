import { sleep } from '@switchyard/service';
import type { RollupNode } from './rollup-api.ts';

/** A rule that did not hold. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

interface Seen {
  soft: bigint;
  firm: bigint;
}

/** Blocks of a rollup ever seen, from any of its nodes. */
export class BlockObserver {
  readonly #hashes = new Map<bigint, string>();
  readonly #seen = new Map<string, Seen>();
  /** Nodes of which commits may have been undone since they were looked at. */
  readonly #mayGoBack = new Set<string>();
  readonly #report: (violation: Violation) => void;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  /** Commits of the node may be undone by its next start. */
  mayGoBack(node: string): void {
    this.#mayGoBack.add(node);
  }

  /** Looks at a node again and again until the signal aborts. */
  async follow(label: string, node: RollupNode, pauseMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(label, node, signal).catch(() => undefined);
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  /** Looks at the newest block of a node, and at how far it is committed. */
  async look(label: string, node: RollupNode, signal: AbortSignal): Promise<void> {
    const mayGoBack = this.#mayGoBack.delete(label);
    const { soft, firm } = await node.heads(signal).catch((error: unknown) => {
      if (mayGoBack) this.#mayGoBack.add(label);
      throw error;
    });
    const before = this.#seen.get(label) ?? { soft: 0n, firm: 0n };
    if (firm > soft) this.#report({ rule: 'firm is soft', detail: `${label}: firm ${firm}, soft ${soft}` });
    if (!mayGoBack && (soft < before.soft || firm < before.firm)) {
      const detail = `${label}: soft ${before.soft} and firm ${before.firm}, then ${soft} and ${firm}`;
      this.#report({ rule: 'commitments never go back', detail });
    }
    this.#seen.set(label, { soft, firm });
    if (soft > 0n) this.see(label, soft, await node.hashOfBlock(soft, signal));
  }

  /** Compares one block of a node: it must be equal from every node at any time. */
  see(label: string, number: bigint, hash: string): void {
    const known = this.#hashes.get(number);
    this.#hashes.set(number, known ?? hash);
    if (known !== undefined && known !== hash) {
      this.#report({ rule: 'no fork', detail: `${label}: block ${number} is ${hash}, and was ${known}` });
    }
  }
}
