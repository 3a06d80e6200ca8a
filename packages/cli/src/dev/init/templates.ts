/** A rollup that comes with Switchyard. */
export type RollupKind = 'messenger' | 'evm';

/** In the order of a new instance. */
const ROLLUPS: readonly RollupKind[] = ['messenger', 'evm'];

/** Names of sets of rollups that run on top of sequencer, composer and conductor, with descriptions for people. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  messenger: 'a rollup to chat on',
  evm: 'an Ethereum rollup with JSON-RPC and a faucet',
  'messenger,evm': 'both, side by side',
  empty: 'no rollup, and an example of how to add your own',
};

/** The rollups of a template, which names them in any order; `undefined` if there is no such template. */
export function rollupsOfTemplate(template: string | undefined): readonly RollupKind[] | undefined {
  const names = template?.split(',').map((name) => name.trim()) ?? [];
  if (names.join() === 'empty') return [];
  const rollups = inOrder(names);
  return names.length > 0 && rollups.length === names.length ? rollups : undefined;
}

export const templateName = (rollups: readonly RollupKind[]) => inOrder(rollups).join() || 'empty';

export const inOrder = (rollups: readonly string[]) => ROLLUPS.filter((rollup) => rollups.includes(rollup));

/** Facts that decide the names of rollups. */
export interface Naming {
  /** In the order in which the instance got them. */
  readonly rollups: readonly RollupKind[];
  /** Name of the network: that of its first rollup. */
  readonly rollupName: string;
}

/** The first rollup has the name of its network, another one that of its program. */
export function nameOfRollup({ rollups, rollupName }: Naming, rollup: RollupKind): string {
  return rollups[0] === rollup ? rollupName : rollup;
}

/** Layers that the relayer posts to: none, the local layer, or a Celestia network of the instance's own. */
export const LAYERS = ['none', 'local', 'celestia'] as const;
export type Layer = (typeof LAYERS)[number];
