import { expect, test } from 'vitest';
import { created, gasUsed, output } from './testing/example.ts';

test('the example of the README creates a contract', () => {
  expect({ created, gasUsed, output }).toEqual({
    created: '0x45eb6484d76cfe3f45708b91f5af8ce495134fac',
    gasUsed: 53_346n,
    output: Uint8Array.of(0x2a),
  });
});
