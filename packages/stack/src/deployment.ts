import type { Bridge } from './manifest/bridges.ts';
import type { Manifest } from './manifest/fields.ts';
import type { Host } from './names.ts';
import type { LayerProcess, Process } from './roles.ts';
import type { SequencerUrls } from './wiring.ts';

/** A process of a rollup that a manifest describes, with the facts from which its program makes its settings. */
export interface Deployment {
  readonly process: Process | LayerProcess;
  readonly manifest: Manifest;
  readonly site: Site;
  readonly node: SequencerUrls;
  /** The pages that people reach from outside, as the setting of each process that serves a page. */
  readonly pages: string;
  /** The account that a payer of withdrawals pays from. */
  readonly bridge: Bridge | undefined;
  /** Account of the relayer's key, `celestia1...`, which has all funds of the local layer; empty without one. */
  readonly layerAccount: string;
  readonly allowDevKey: true | undefined;
}

/** Site of the processes of a rollup: their settings of addresses, files and names. */
export interface Site {
  /** Address of a process, as `host:port`. */
  listen(process: Process | LayerProcess, listener: string): string;
  /** Listener of the node for its conductor. */
  readonly execution: string;
  /** HTTP API of the node, for the other processes: JSON-RPC of an EVM. */
  readonly node: string;
  /** A directory for the state of a process. */
  data(process: Process | LayerProcess): string;
  readonly genesisFile: string;
  keyFile(process: Process | LayerProcess): string;
  /** With the token of the data-availability node that the conductor reads from. */
  readonly tokenFile: string;
  /** Address of the relayer alongside the local layer, as `host:port`, for the explorer. */
  readonly relayer: string;
  /** Proxies between clients and processes that add the client's address, and their addresses. */
  readonly proxies: { readonly proxyCount: number; readonly trustedProxies?: string };
  /** Names under which requests reach a process, separated by commas. */
  hostNames(process: Process | LayerProcess): string;
  /** Address of the rollup for people and wallets. */
  url(host: Host): string;
}
