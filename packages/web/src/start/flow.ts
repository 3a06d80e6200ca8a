import { formatCount, formatDuration } from '../ui/format.ts';
import type { LastTransaction, Network } from './api.ts';
import { findExplorer } from './words.ts';

/** A text about a part of the stack. */
export interface Fact {
  readonly text: string;
  /** Its place in the explorer, if there is one. */
  readonly url?: string | undefined;
}

/** A part of the stack that blocks and transactions pass. */
export interface Station {
  readonly kind: 'composer' | 'sequencer' | 'conductor' | 'rollups' | 'layer';
  readonly title: string;
  readonly job: string;
  /** How far it is; empty if it does not answer. */
  readonly facts: readonly Fact[];
  /** Another text for each block that leaves it. */
  readonly beat: string;
  /** Whether the last transaction is there. */
  readonly hasLast: boolean;
}

/** A stage on the way of a transaction. */
export interface Stage {
  readonly name: string;
  readonly state: 'reached' | 'under way' | 'ahead' | 'failed';
  /** When, and where; empty ahead of it. */
  readonly note: string;
}

const FAILED: readonly string[] = ['refused', 'replaced', 'skipped', 'reverted'];
const STAGES = ['submitted', 'sequenced', 'executed', 'firm'] as const;
/** The stage that a transaction has reached, by its state. */
const REACHED: Readonly<Record<string, number>> = { queued: 0, bundled: 0, sequenced: 1, executed: 2, firm: 3 };
const PLACES: readonly Station['kind'][] = ['composer', 'sequencer', 'rollups', 'layer'];

const NO_FLOW: NonNullable<Network['flow']> = { queued: '', rollups: [], last: undefined };

/** Longer than this, a transaction waits for something else. */
const SOON_MS = 30_000;

/** Whether it is about to change, so that it is worth asking sooner. @param now In milliseconds since the Unix epoch. */
export const isUnderWay = (last: LastTransaction | undefined, now: number): boolean =>
  last?.queuedAt !== undefined &&
  ['queued', 'bundled', 'sequenced'].includes(last.state) &&
  now - last.queuedAt < SOON_MS;

/** The stage at which a transaction failed; `undefined` if it did not. */
function failedAt({ state, sequenced }: LastTransaction): number | undefined {
  if (!FAILED.includes(state)) return undefined;
  return sequenced === undefined ? 1 : 2;
}

export function stations({ sequencer, layer, links, flow = NO_FLOW }: Network): readonly Station[] {
  const { queued, rollups, last } = flow;
  const explorer = findExplorer({ links });
  const place = last === undefined ? undefined : PLACES[failedAt(last) ?? REACHED[last.state] ?? 0];
  const at = (kind: Station['kind']) =>
    kind === place || (kind === 'rollups' && place === 'layer' && layer === undefined);
  const find = (kind: Station['kind'], title: string, job: string, facts: readonly Fact[], beat: string): Station => ({
    ...{ kind, title, job, facts: facts.filter(({ text }) => text !== ''), beat, hasLast: at(kind) },
  });
  const heights = rollups.map(({ height }) => height).join(' ');
  const many = rollups.length > 1;
  const inExplorer = (path: string) => explorer && `${explorer}/#/${path}`;
  const blocks = { text: blockText(sequencer.height), url: inExplorer('') };
  const each = rollups.map((rollup) => ({
    text: rollupText(rollup),
    url: inExplorer(`rollups/${encodeURIComponent(rollup.name)}`),
  }));
  return [
    find('composer', 'Composer', 'bundles transactions', [{ text: queuedText(queued) }], last?.submission ?? ''),
    find('sequencer', 'Sequencer', 'orders them in blocks', [blocks], sequencer.height),
    find('conductor', 'Conductor', 'verifies each block', [{ text: lagText(rollups) }], heights),
    find('rollups', many ? 'Rollups' : 'Rollup', many ? 'execute them' : 'executes them', each, ''),
    find('layer', 'Data availability', 'holds the blocks that are firm', layerFacts(layer), layer?.postedHeight ?? ''),
  ].filter(({ kind }) => kind !== 'layer' || layer !== undefined);
}

const queuedText = (queued: string): string =>
  queued === '' ? '' : queued === '0' ? 'nothing waits' : `${formatCount(queued)} waiting`;

const blockText = (height: string): string => (height === '' ? '' : `block ${formatCount(height)}`);

type FlowRollup = NonNullable<Network['flow']>['rollups'][number];

function lagText(rollups: readonly FlowRollup[]): string {
  const lags = rollups.flatMap(({ lag }) => (lag === '' ? [] : [Number(lag)]));
  if (lags.length === 0) return '';
  const most = Math.max(...lags);
  return most === 0 ? 'up to date' : `${formatCount(most)} behind`;
}

function rollupText({ name, height, firm }: FlowRollup): string {
  if (height === '') return `${name}: does not answer`;
  return `${name}: ${blockText(height)}${firm === '' ? '' : `, firm ${formatCount(firm)}`}`;
}

function layerFacts(layer: Network['layer']): readonly Fact[] {
  const { postedHeight = '', height = '', lag = '' } = layer ?? {};
  if (postedHeight === '') return [];
  const behind = lag === '' || lag === '0' ? '' : `, ${formatCount(lag)} behind`;
  const place = height === '' ? '' : `layer height ${formatCount(height)}`;
  return [{ text: `posted to block ${formatCount(postedHeight)}${behind}` }, { text: place }];
}

/** The stages of the last transaction, with the time that each took from the beginning. */
export function stages(last: LastTransaction): readonly Stage[] {
  const failed = failedAt(last);
  const reached = failed === undefined ? (REACHED[last.state] ?? 0) : failed - 1;
  const notes = reachedNotes(last);
  return STAGES.map((name, index): Stage => {
    if (index <= reached) return { name, state: 'reached', note: notes[index] ?? '' };
    if (index === failed) return { name, state: 'failed', note: failedNote(last) };
    const isNext = failed === undefined && index === reached + 1;
    return isNext ? { name, state: 'under way', note: 'under way' } : { name, state: 'ahead', note: '' };
  });
}

const failedNote = ({ state, why }: LastTransaction) => `${state}${why === '' ? '' : `: ${why}`}`;

/** When and where it reached each stage. */
function reachedNotes({ queuedAt, sequenced, executed, posted }: LastTransaction): readonly string[] {
  const after = (at: number | undefined) =>
    at === undefined || queuedAt === undefined ? [] : [`after ${formatDuration(Math.max(0, at - queuedAt))}`];
  const block = (height: string | undefined) => (height ? [`block ${formatCount(height)}`] : []);
  return [
    queuedAt === undefined ? [] : [new Date(queuedAt).toLocaleTimeString()],
    [...after(sequenced?.at), ...block(sequenced?.height)],
    [...after(executed?.at), ...block(executed?.block)],
    posted === undefined ? [] : [...after(posted.at), `layer height ${formatCount(posted.layerHeight)}`],
  ].map((parts) => parts.join(', '));
}

/** The rollup of a transaction, by name if it is known. */
export const getRollup = (last: LastTransaction, { flow = NO_FLOW }: Network): string =>
  flow.rollups.find(({ id }) => id !== '' && id === last.rollup)?.name ?? '';

/** The page with its way. */
export function wayUrl({ rollup, submission }: LastTransaction, explorer: string | undefined): string | undefined {
  if (explorer === undefined || submission === '') return undefined;
  return `${explorer}/#/rollups/${encodeURIComponent(rollup)}/transactions/${encodeURIComponent(submission)}`;
}
