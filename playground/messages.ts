import type { PageNetwork } from './page-network.ts';

/* Messages between the page and the worker in which the network runs. */

export const EXAMPLES = ['counter', 'token', 'orderbook'] as const;
export type Example = (typeof EXAMPLES)[number];

export const USERS = ['alice', 'bob'] as const;
export type User = (typeof USERS)[number];

/** Begins the network: the first message. */
export interface Begin {
  readonly example: Example;
  /** Sources by their paths below `src`, if they were edited. */
  readonly sources: Readonly<Record<string, string>> | undefined;
  readonly seed: string;
}

export interface Submission {
  readonly user: User;
  readonly action: string;
  /** Texts of its fields. */
  readonly fields: Readonly<Record<string, string>>;
}

export type Command =
  | ({ readonly kind: 'submit' } & Submission)
  | { readonly kind: 'cut' | 'delay' | 'heal'; readonly link: readonly [string, string] }
  | { readonly kind: 'kill' | 'start'; readonly part: string };

/** The network after a block, or after a command. */
export type Shown = Awaited<ReturnType<PageNetwork['show']>>;

export type Report =
  | { readonly kind: 'ready'; readonly actions: PageNetwork['actions']; readonly parts: readonly string[] }
  | { readonly kind: 'shown'; readonly shown: Shown }
  | { readonly kind: 'failed'; readonly problem: string };
