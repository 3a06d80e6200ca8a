export { type ComposerMode, FakeComposer } from './testing/fake-composer.ts';
export { LiveSocket } from './testing/live-socket.ts';
export {
  type TestBlock,
  type TestNode,
  type TestNodeOptions,
  testInput,
  testNode,
  until,
} from './testing/test-node.ts';
export { getFetch, testRollup } from './testing/test-rollup.ts';
