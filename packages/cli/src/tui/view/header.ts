import type { Model } from '../model.ts';
import { flow } from '../text.ts';
import type { Theme } from '../theme.ts';

const BARS = '▁▂▃▄▅▆▇█';
const [FEW_SPARKS, SPARKS] = [12, 20];
/** Seconds that the rate is averaged over: blocks come in bursts. */
const AVERAGED = 5;

/** State and endpoints of the network, in fewer rows where the terminal has few. */
export function headerLines(model: Model, theme: Theme): string[] {
  const { columns, rows } = model.size;
  if (rows < 8) return [];
  const state = [...titleWords(model, theme), ...heightWords(model, theme)];
  if (rows < 16) return flow(state, columns).slice(0, 2);
  return flow([...state, ...model.endpoints.map(({ name, url }) => `${theme.dim(name)} ${url}`)], columns);
}

function titleWords({ instance, network, panes, ending }: Model, theme: Theme): string[] {
  const up = panes.filter(({ status }) => status.state === 'ready' || status.state === 'finished').length;
  const failed = panes.filter(({ status }) => status.state === 'failed').map(({ name }) => name);
  const falling = panes.filter(({ status }) => status.state === 'restarting').map(({ name }) => name);
  const readiness =
    failed.length > 0
      ? theme.bad(`${failed.join(', ')} failed`)
      : falling.length > 0
        ? theme.bad(`${falling.join(', ')} ${falling.length === 1 ? 'crashes' : 'crash'}`)
        : up === panes.length
          ? theme.good('all ready')
          : theme.pending(`${up} of ${panes.length} ready`);
  return [
    theme.bold('Switchyard'),
    `${theme.dim('instance')} ${instance}`,
    `${theme.dim('network')} ${network}`,
    ending ? theme.pending('stopping') : readiness,
  ];
}

function heightWords({ facts, size }: Model, theme: Theme): string[] {
  const { sequencerHeight, rollup, lag, rates } = facts;
  const lagText = lag === undefined ? '' : `, lag ${lag}`;
  return [
    `${theme.dim('sequencer')} ${sequencerHeight ?? '-'}`,
    `${theme.dim('rollup')} ${rollup?.height ?? '-'}${(lag ?? 0) > 2 ? theme.pending(lagText) : lagText}`,
    `${rateText(rates)} ${theme.dim('tx/s')} ${sparkline(rates, size.columns < 120 ? FEW_SPARKS : SPARKS)}`,
  ];
}

function rateText(rates: readonly number[]): string {
  const last = rates.slice(-AVERAGED);
  if (last.length === 0) return '-';
  const rate = last.reduce((sum, each) => sum + each, 0) / last.length;
  return rate < 10 ? rate.toFixed(1) : Math.round(rate).toString();
}

/** The last rates as bars; the highest is full. */
export function sparkline(rates: readonly number[], width: number): string {
  const last = rates.slice(-width);
  const most = Math.max(...last, 1e-9);
  const bars = last.map((rate) => (rate <= 0 ? BARS[0] : BARS[Math.min(7, Math.ceil((rate / most) * 7))]));
  return bars.join('').padStart(width);
}
