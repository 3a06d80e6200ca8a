import type { Links } from '@switchyard/service';

/** How the test reaches the rollup. */
export interface RollupAccess {
  /** Address of its HTTP API, which has a port only if one is requested. */
  readonly url: string;
  /** Like the global one, and reaches it also without a port. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Calls without a port, for clients of ours. */
  readonly links: Links;
  /** Aborts when a part of the network has ended on its own, so that nothing needs to be waited for. */
  readonly failed: () => AbortSignal;
}
