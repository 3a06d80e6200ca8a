import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = import.meta.dirname;

/** Where each service names its metrics, without the prefix that its process adds. */
const SOURCES: Readonly<Record<string, string>> = {
  sequencer: 'packages/sequencer/src/metrics.ts',
  composer: 'packages/composer/src/composer.ts',
  conductor: 'packages/conductor/src/progress.ts',
  messenger: 'packages/rollup/src/app/node-metrics.ts',
  withdrawer: 'packages/withdrawer/src/metrics.ts',
};

const alerts = readFileSync(join(root, 'docs/dashboards/withdrawer-alerts.yaml'), 'utf8');
const dashboard = readFileSync(join(root, 'docs/dashboards/sequencer.json'), 'utf8');
const named = [...new Set(dashboard.match(/switchyard_[a-z_]+/g))].map((name) => {
  const [, service = '', metric = ''] = /^switchyard_([a-z]+)_(.+)$/.exec(name) ?? [];
  return { name, service, metric };
});

function getMetrics(file: string): (string | undefined)[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/metrics\.(?:counter|gauge|histogram|total)\(\s*'([a-z_]+)'/g)].map(
    ([, metric]) => metric,
  );
}

test("the dashboard shows CometBFT's numbers beside those of every service", () => {
  expect(dashboard).toContain('cometbft_consensus_height');
  expect([...new Set(named.map(({ service }) => service))].sort()).toEqual(Object.keys(SOURCES).sort());
});

test.each(named)('the metric of the dashboard exists: $name', ({ service, metric }) => {
  expect(getMetrics(SOURCES[service] ?? '')).toContain(metric);
});

test('rates are those of counters: a gauge that begins anew would look like a jump', () => {
  const rates = [...`${dashboard}${alerts}`.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, metric = '']) => metric);
  expect(rates.length).toBeGreaterThan(8);
  expect(rates.filter((metric) => !/_(total|sum|count|bucket)$/.test(metric))).toEqual([]);
});

test('every number of the sequencer is on the dashboard', () => {
  const shown = named.filter(({ service }) => service === 'sequencer').map(({ metric }) => metric);
  expect(getMetrics(SOURCES.sequencer ?? '').sort()).toEqual(shown.sort());
});

test('the alerts about withdrawals are rules of Prometheus, on numbers that exist', () => {
  const { groups } = parse(alerts) as { groups: { rules: { alert: string; expr: string; for?: string }[] }[] }; // our own file
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ alert }) => alert)).toEqual([
    'BridgeAccountLacksFunds',
    'WithdrawalsHeld',
    'WithdrawalsLate',
    'WithdrawerDown',
  ]);
  const metrics = rules.flatMap(({ expr }) => expr.match(/switchyard_withdrawer_[a-z_]+/g) ?? []);
  const known = getMetrics(SOURCES.withdrawer ?? '').map((metric) => `switchyard_withdrawer_${metric}`);
  expect(metrics.length).toBeGreaterThanOrEqual(rules.length);
  expect(metrics.filter((metric) => !known.includes(metric))).toEqual([]);
  for (const rule of rules)
    expect(rule).toMatchObject({ labels: { severity: expect.stringMatching(/^(critical|warning)$/) } });
});
