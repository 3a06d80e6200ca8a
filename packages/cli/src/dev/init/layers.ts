/** What the relayer posts to: nothing, the local layer, or a Celestia network of the instance's own. */
export const LAYERS = ['none', 'local', 'celestia'] as const;
export type Layer = (typeof LAYERS)[number];
