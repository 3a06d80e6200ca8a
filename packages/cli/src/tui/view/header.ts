import type { RollupFacts } from '../../dev/status/facts.ts';
import { LAYER_LAG, type LagBounds, ROLLUP_LAG, readiness } from '../health.ts';
import type { Model } from '../model.ts';
import { SHARED, type UiFacts, type Usage } from '../polling.ts';
import { cut, filled, flow, measureWidth, shown } from '../text.ts';
import type { Theme } from '../theme.ts';
import { memoryText, percentText } from './services.ts';
import { summaryLine } from './summary.ts';

type LayerFacts = NonNullable<UiFacts['layer']>;

const BARS = '▁▂▃▄▅▆▇█';
const [FEW_SPARKS, SPARKS] = [12, 20];
/** Columns of a terminal with room for more numbers. */
const WIDE = 120;
/** Seconds that the rate is averaged over: blocks come in bursts. */
const AVERAGED = 5;

/** State, heights and endpoints of the network, in fewer rows if the terminal has few. */
export function headerLines(model: Model, theme: Theme): string[] {
  const { columns, rows } = model.size;
  if (rows < 6) return [];
  const title = titleLine(model, theme);
  // A low terminal has more use for the text, and the title has the problems.
  if (rows < 12 || (rows < 30 && model.screen === 'help')) return [title];
  const summary = rows < 16 ? [] : [summaryLine(model, theme)];
  const heights = steady(flow(heightWords(model, theme), columns), model);
  if (rows < 20) return [title, ...heights.slice(0, 1), ...summary];
  const endpoints = flow(
    model.endpoints.map(({ name, url }) => `${theme.dim(name)} ${url}`),
    columns,
  );
  return [title, ...heights.slice(0, rows < 30 ? 2 : 4), ...summary, ...endpoints.slice(0, rows < 40 ? 1 : 3)];
}

/** Pads to the number of rows that usual numbers take, so that the screen does not move with each digit. */
function steady(rows: readonly string[], { facts, size: { columns } }: Model): string[] {
  const usual = [
    'sequencer 12345',
    ...facts.rollups.map(
      ({ name, layerHeight }) => `${name} 12345 ${layerHeight === undefined ? '' : 'firm 12345 '}lag 0`,
    ),
    ...(facts.layer === undefined ? [] : ['layer 12345 posted 12345 lag 0']),
    `0.0 tx/s ${' '.repeat(FEW_SPARKS)}`,
  ];
  return Array.from({ length: Math.max(rows.length, flow(usual, columns).length) }, (_, row) => rows[row] ?? '');
}

/** Names of tool, instance and network, and at the right end their state. */
function titleLine(model: Model, theme: Theme): string {
  const { columns } = model.size;
  const state = getState(model, theme);
  const usage = model.facts.usage[SHARED];
  const rest = columns - measureWidth(state) - 1;
  const words = [
    theme.selected(' Switchyard '),
    `${theme.dim('instance')} ${model.instance}`,
    `${theme.dim('network')} ${model.network}`,
    ...(usage === undefined ? [] : [`${theme.dim('process')} ${usageText(usage)}`]),
  ];
  const [left = ''] = flow(words, Math.max(1, rest));
  return rest < measureWidth(words[0] ?? '') ? cut(state, columns) : `${filled(left, rest)} ${state}`;
}

function usageText({ cpuPercent, residentBytes }: Usage): string {
  return [...(cpuPercent === undefined ? [] : [percentText(cpuPercent)]), memoryText(residentBytes)].join(' ');
}

function getState(model: Model, theme: Theme): string {
  const { state, text } = readiness(model);
  const { halt } = model.facts;
  if (model.ending) return theme.pending('stopping');
  return state !== 'bad' && halt !== undefined ? theme.bad(halt) : theme[state](text);
}

function heightWords(model: Model, theme: Theme): string[] {
  const { sequencerHeight, rollups, layer, rates } = model.facts;
  const sequencer = model.panes.find(({ role }) => role === 'sequencer');
  return [
    toNumbers({ name: 'sequencer', service: sequencer?.name, height: sequencerHeight }, model, theme),
    ...rollups.map((rollup) => toNumbers(rollup, model, theme)),
    ...(layer === undefined ? [] : [layerText(layer, model, theme)]),
    `${rateText(rates)} ${theme.dim('tx/s')} ${sparkline(rates, model.size.columns < WIDE ? FEW_SPARKS : SPARKS)}`,
  ];
}

/** A height counts only while the service that reports it is there; else its state stands in that place. */
function toNumbers(
  { name, service, height, firm, layerHeight, lag }: RollupFacts,
  { panes, size }: Model,
  theme: Theme,
): string {
  const label = theme.dim(shown(name, { colour: false }));
  const state = panes.find((pane) => pane.name === service)?.status.state ?? 'ready';
  if (state === 'failed' || state === 'restarting') return `${label} ${theme.bad(state)}`;
  if (state !== 'ready') return `${label} ${theme.pending(state)}`;
  if (height === undefined) return `${label} -`;
  // Without a layer it is the same block.
  const place = size.columns < WIDE ? '' : ` ${theme.dim('at')} ${layerHeight}`;
  const firmText = firm === undefined || layerHeight === undefined ? '' : ` ${theme.dim('firm')} ${firm}${place}`;
  return `${label} ${height}${firmText}${lag === undefined ? '' : ` ${lagText(lag, ROLLUP_LAG, theme)}`}`;
}

/** The height of the layer with the newest posted block of the sequencer, that block, and how many are not posted. */
function layerText({ service, height, postedHeight, lag }: LayerFacts, model: Model, theme: Theme): string {
  const text = toNumbers({ name: 'layer', service, height }, model, theme);
  if (height === undefined || postedHeight === undefined || model.panes.some(isNotReady(service))) return text;
  return `${text} ${theme.dim('posted')} ${postedHeight}${lag === undefined ? '' : ` ${lagText(lag, LAYER_LAG, theme)}`}`;
}

const isNotReady =
  (service: string) =>
  ({ name, status }: Model['panes'][number]) =>
    name === service && status.state !== 'ready';

function lagText(lag: number, { usual, large }: LagBounds, theme: Theme): string {
  if (lag > large) return theme.bad(`lag ${lag}`);
  return lag > usual ? theme.pending(`lag ${lag}`) : theme.dim(`lag ${lag}`);
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
