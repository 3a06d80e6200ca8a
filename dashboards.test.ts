import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;

/** Where each service names its metrics, without the prefix that its process adds. */
const SOURCES: Readonly<Record<string, string>> = {
  sequencer: 'packages/sequencer/src/metrics.ts',
  composer: 'packages/composer/src/metrics.ts',
  conductor: 'packages/conductor/src/progress.ts',
  messenger: 'packages/rollup/src/app/node-metrics.ts',
};

const dashboard = readFileSync(join(root, 'docs/dashboards/sequencer.json'), 'utf8');
const named = [...new Set(dashboard.match(/switchyard_[a-z_]+/g))].map((name) => {
  const [, service = '', metric = ''] = /^switchyard_([a-z]+)_(.+)$/.exec(name) ?? [];
  return { name, service, metric };
});

function metricsOf(file: string): (string | undefined)[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/metrics\.(?:counter|gauge|histogram)\(\s*'([a-z_]+)'/g)].map(([, metric]) => metric);
}

test("the dashboard shows CometBFT's numbers beside those of every service", () => {
  expect(dashboard).toContain('cometbft_consensus_height');
  expect([...new Set(named.map(({ service }) => service))].sort()).toEqual(Object.keys(SOURCES).sort());
});

test.each(named)('the metric of the dashboard exists: $name', ({ service, metric }) => {
  expect(metricsOf(SOURCES[service] ?? '')).toContain(metric);
});

test('every number of the sequencer is on the dashboard', () => {
  const shown = named.filter(({ service }) => service === 'sequencer').map(({ metric }) => metric);
  expect(metricsOf(SOURCES.sequencer ?? '').sort()).toEqual(shown.sort());
});
