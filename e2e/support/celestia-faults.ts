import type { Cluster } from './cluster.ts';

/** Faults of the nodes of `celestia.ts`, all of which are on the first node of a cluster. */

/** Like a machine that fails, it does not take leave of its peers, which then leave it alone. */
export const killBridge = (cluster: Cluster) => cluster.inNode(1, 'pkill', '-KILL', '-f', '/bin/celestia bridge start');

const TABLE = 'inet celestia-faults';

/**
 * Lets this many bytes through from now on, from the address of one pod to that of another, and then none. Without any, connections
 * are reset: else their nodes notice only after most of a minute, and what was sent before comes first once bytes pass again.
 */
export async function limitBytes(cluster: Cluster, from: string, to: string, bytes: number): Promise<void> {
  const commands = [
    ...[`add table ${TABLE}`, `delete table ${TABLE}`, `add table ${TABLE}`],
    `add chain ${TABLE} forward { type filter hook forward priority 0; }`,
    ...(bytes === 0
      ? [`add rule ${TABLE} forward ip saddr ${from} ip daddr ${to} meta l4proto tcp reject with tcp reset`]
      : []),
    `add rule ${TABLE} forward ip saddr ${from} ip daddr ${to} quota over ${bytes} bytes drop`,
  ];
  await cluster.inNode(1, 'nft', commands.join('; '));
}

export const endLimit = (cluster: Cluster) => cluster.inNode(1, 'nft', `delete table ${TABLE}`);
