import type { Model } from './model.ts';
import type { UiFacts } from './polling.ts';
import { shown } from './text.ts';
import { durationText } from './view/time-text.ts';

/** One thing that is well or not. */
export interface HealthItem {
  readonly name: string;
  readonly state: 'good' | 'pending' | 'bad';
  readonly text: string;
  /** Suggested remedy. */
  readonly toDo?: string | undefined;
}

/** Numbers of blocks up to which all is well, and from which someone has to look. */
export interface LagBounds {
  readonly usual: number;
  readonly large: number;
}

/** A rollup is at most two blocks behind while all is well. */
export const ROLLUP_LAG: LagBounds = { usual: 2, large: 20 };
/** The relayer posts several sequencer blocks at once. */
export const LAYER_LAG: LagBounds = { usual: 50, large: 500 };
/** Seconds without any sequenced transaction after which waiting ones are stuck. */
const STUCK_SECONDS = 20;
/** An error stays highlighted for this long. */
const RECENT_MS = 600_000;

/** Whether all is well, one item for each question, in the order in which people ask them. */
export function getHealth(model: Model): readonly HealthItem[] {
  const { facts } = model;
  return [
    readiness(model),
    ...blocks(facts),
    ...waiting(facts),
    ...layer(facts),
    ...bridges(facts),
    errors(model),
    ...disk(facts),
  ];
}

const namesIn = ({ panes }: Model, ...states: readonly string[]) =>
  panes.filter(({ status }) => states.includes(status.state)).map(({ name }) => name);

export function readiness(model: Model): HealthItem {
  const name = 'services';
  const { length } = model.panes;
  const up = namesIn(model, 'ready', 'finished').length;
  const [failed, crashing] = [namesIn(model, 'failed'), namesIn(model, 'restarting')];
  const [first] = [...failed, ...crashing];
  if (first !== undefined) {
    const text = [
      ...(failed.length > 0 ? [`${failed.join(', ')} failed`] : []),
      ...(crashing.length > 0 ? [`${crashing.join(', ')} ${crashing.length === 1 ? 'crashes' : 'crash'}`] : []),
    ];
    const toDo = failed.length > 0 ? `; once it is corrected, :restart ${first}` : '';
    return { name, state: 'bad', text: text.join(', '), toDo: `:open ${first} shows why${toDo}` };
  }
  if (up === length) return { name, state: 'good', text: 'all ready' };
  const [stopped] = namesIn(model, 'stopped');
  return {
    ...{ name, state: 'pending', text: `${up} of ${length} ready` },
    toDo: stopped === undefined ? undefined : `:start ${stopped}`,
  };
}

function blocks({ sequencerHeight, halt, rollups, at, movedAt }: UiFacts): HealthItem[] {
  const name = 'blocks';
  if (halt !== undefined) return [{ name, state: 'bad', text: halt, toDo: ':go sequencer, its log names the cause' }];
  const behind = rollups.find(({ lag }) => lag !== undefined && lag > ROLLUP_LAG.large);
  if (behind !== undefined) {
    const text = `${shown(behind.name, { colour: false })} is ${behind.lag} blocks behind`;
    return [{ name, state: 'bad', text, toDo: 'the log of its conductor names the cause' }];
  }
  if (sequencerHeight === undefined || at === undefined || movedAt === undefined) return [];
  return [{ name, state: 'good', text: `block ${durationText(at - movedAt)} ago` }];
}

function waiting({ queued, rates }: UiFacts): HealthItem[] {
  if (queued === undefined) return [];
  const last = rates.slice(-STUCK_SECONDS);
  const isStuck = queued > 0 && last.length === STUCK_SECONDS && last.every((rate) => rate <= 0);
  return [
    {
      name: 'transactions',
      state: isStuck ? 'bad' : 'good',
      text: isStuck ? `${queued} transactions wait, none is sequenced` : `${queued} waiting`,
      toDo: isStuck ? ':go composer, its log names the cause' : undefined,
    },
  ];
}

function layer({ layer: known }: UiFacts): HealthItem[] {
  if (known?.lag === undefined) return [];
  const { lag, service } = known;
  const state = lag > LAYER_LAG.large ? 'bad' : lag > LAYER_LAG.usual ? 'pending' : 'good';
  const toDo = state === 'good' ? undefined : `:go ${service}, its log names the cause`;
  return [{ name: 'layer', state, text: `layer lag ${lag}`, toDo }];
}

function bridges({ withdrawals = [] }: UiFacts): HealthItem[] {
  const name = 'bridge';
  if (withdrawals.length === 0) return [];
  const lacking = withdrawals.find(({ missing }) => missing !== undefined);
  if (lacking !== undefined) {
    return [{ name, state: 'bad', text: `bridge lacks ${lacking.missing}`, toDo: 'run switchyard bridge status' }];
  }
  const held = withdrawals.reduce((sum, each) => sum + each.held, 0);
  if (held > 0) return [{ name, state: 'pending', text: `${held} held`, toDo: 'run switchyard bridge withdrawals' }];
  return [{ name, state: 'good', text: 'withdrawals ok' }];
}

/** `150M`, `60G` */
const spaceText = (bytes: number) => (bytes < 1e9 ? `${Math.floor(bytes / 1e6)}M` : `${Math.floor(bytes / 1e9)}G`);

function disk({ disk: known }: UiFacts): HealthItem[] {
  if (known === undefined) return [];
  const states = { ok: 'good', warn: 'pending', fail: 'bad' } as const;
  const { freeBytes, level, advice } = known;
  return [{ name: 'disk', state: states[level], text: `disk ${spaceText(freeBytes)} free`, toDo: advice }];
}

function errors({ lastError, facts: { at } }: Model): HealthItem {
  const name = 'errors';
  if (lastError === undefined) return { name, state: 'good', text: 'no errors' };
  const age = at === undefined ? '' : ` ${durationText(at - lastError.at)} ago`;
  const text = `error in ${lastError.service}${age}`;
  const isRecent = !lastError.isSeen && (at === undefined || at - lastError.at < RECENT_MS);
  return { name, state: isRecent ? 'bad' : 'good', text, toDo: 'e shows it' };
}
