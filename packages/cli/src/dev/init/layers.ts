/** Layers that the relayer posts to: none, the local layer, or a Celestia network of the instance's own. */
export const LAYERS = ['none', 'local', 'celestia'] as const;
export type Layer = (typeof LAYERS)[number];
