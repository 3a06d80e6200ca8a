export type { RollupBlock, RollupNode } from './rollups/rollup-node.ts';
export { TestChain } from './testing/chain.ts';
export { fillIndex } from './testing/fill-index.ts';
