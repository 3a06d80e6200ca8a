import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('what is looked up is looked up when it is printed', async () => {
  const metrics = createMetrics('x_');
  const gauge = metrics.gauge('waiting', 'calls that wait');
  let waiting = 1;
  metrics.beforeText(() => gauge.set(waiting));
  expect(await metrics.text()).toContain('x_waiting 1\n');
  waiting = 2;
  expect(await metrics.text()).toContain('x_waiting 2\n');
});

test('parts of one process show the metrics of the process, each with its own label', async () => {
  const parts = ['one', 'other'].map((service) => {
    const metrics = createMetrics(`${service}_`, { service, processMetrics: true });
    metrics.counter('calls_total', 'calls').add();
    return metrics;
  });
  const [one = '', other = ''] = [await parts[0]?.text(), await parts[1]?.text()];
  expect(one).toMatch(/^nodejs_eventloop_lag_mean_seconds\{service="one"\} \d/m);
  for (const [text, service, foreign] of [
    [one, 'one', 'other'],
    [other, 'other', 'one'],
  ] as const) {
    expect(text).toMatch(new RegExp(`^process_resident_memory_bytes\\{service="${service}"\\} \\d+`, 'm'));
    expect(text).toMatch(new RegExp(`^nodejs_eventloop_lag_p99_seconds\\{service="${service}"\\} `, 'm'));
    expect(text).toContain(`${service}_calls_total{service="${service}"} 1`);
    expect(text).not.toMatch(new RegExp(`"${foreign}"|${foreign}_calls`));
  }
});
