import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterEvent,
  type Flight,
  hasRoom,
  isCurable,
  nextSteps,
  type Posting,
  type PostingEvent,
  pauseMs,
  startPosting,
} from './plan.ts';

const first = (flight: Flight): Posting => flight[0] ?? startPosting(false);
const run = (isSigned: boolean, ...events: readonly PostingEvent[]) =>
  first(events.reduce<Flight>((flight, event) => afterEvent(flight, 0, event), [startPosting(isSigned)]));
const getKinds = (...flight: Flight) => nextSteps(flight).map(({ kind, index }) => `${kind} ${index}`);
const signed: PostingEvent = { kind: 'signed' };
const submitted: PostingEvent = { kind: 'submitted' };
const failed: PostingEvent = { kind: 'failed', reason: 'away' };
const pending: PostingEvent = { kind: 'answer', outcome: { kind: 'pending' } };
const gone: PostingEvent = { kind: 'answer', outcome: { kind: 'gone' } };
const included: PostingEvent = { kind: 'answer', outcome: { kind: 'included', height: 7n } };
const refused = (reason: string): PostingEvent => ({ kind: 'answer', outcome: { kind: 'refused', reason } });
const sent = run(false, signed, submitted);

test('signs, submits and asks, in this order', () => {
  expect(
    [run(false), run(false, signed), sent, run(false, signed, submitted, included)].map((each) => getKinds(each)),
  ).toEqual([['sign 0'], ['submit 0'], ['ask 0'], []]);
});

test('a transaction of an earlier run is submitted before it is asked about', () => {
  expect(getKinds(run(true))).toEqual(['submit 0']);
  expect(getKinds(run(true, submitted))).toEqual(['ask 0']);
});

test('several are sent in order, each before the one before is in a block, and the first is asked about', () => {
  expect(getKinds(sent, run(false))).toEqual(['sign 1', 'ask 0']);
  expect(getKinds(sent, run(false, signed), run(true))).toEqual(['submit 1', 'ask 0']);
  expect(getKinds(run(true), run(true), run(true))).toEqual(['submit 0']);
  expect(getKinds(run(true, included), sent, sent)).toEqual(['ask 1']);
});

test('one that is lost is signed anew before anything else, and those behind it are sent again', () => {
  const flight = afterEvent([sent, sent, run(false)], 0, gone);
  expect(getKinds(...flight)).toEqual(['sign 0', 'ask 1']);
  const again = afterEvent(flight, 0, signed);
  expect(getKinds(...again)).toEqual(['submit 0']);
  expect(getKinds(...afterEvent(again, 0, submitted))).toEqual(['submit 1', 'ask 0']);
});

test('what is in a block behind one that was lost stays there', () => {
  const flight = afterEvent([sent, run(true, included)], 0, refused('another transaction has used sequence 5'));
  const again = afterEvent(afterEvent(flight, 0, signed), 0, submitted);
  expect(getKinds(...again)).toEqual(['ask 0']);
  expect(again[1]?.isIncluded).toBe(true);
});

test('another joins while there is room, none waits to be sent, and none took the place of another', () => {
  expect(hasRoom([], 1)).toBe(true);
  expect(hasRoom([sent], 1)).toBe(false);
  expect(hasRoom([sent, run(true, included)], 3)).toBe(true);
  expect(hasRoom([sent, run(false, signed)], 3)).toBe(false);
  expect(hasRoom([run(true, gone), sent], 3)).toBe(false);
  expect(hasRoom([run(true, gone, signed, submitted), sent], 3)).toBe(false);
  expect(hasRoom([run(true, submitted)], 3)).toBe(false);
});

test('the same bytes are sent again after some answers, and those behind them too', () => {
  const posting = run(false, signed, submitted, ...Array.from({ length: 19 }, () => pending));
  const flight = afterEvent([posting, sent], 0, pending);
  expect(getKinds(...flight)).toEqual(['submit 0']);
  expect(getKinds(...afterEvent(flight, 0, submitted))).toEqual(['submit 1', 'ask 0']);
});

test('a failed call changes nothing but the pause', () => {
  for (const events of [[], [signed], [signed, submitted]]) {
    const before = [run(false, ...events), sent];
    const after = afterEvent(before, 0, failed);
    expect(nextSteps(after)).toEqual(nextSteps(before));
    expect(pauseMs(first(after), () => 0)).toBeGreaterThan(0);
  }
});

test('whatever happens, one is signed only when it is lost or new, and after all before it; none is stuck', () => {
  const event = fc.oneof(
    ...[failed, pending, gone, included].map((each) => fc.constant(each)),
    fc.constantFrom('insufficient fee', 'code 11116').map(refused),
  );
  const choice = fc.record({ event, which: fc.nat(1), joins: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 4 }), fc.array(choice, { maxLength: 60 }), (stored, choices) => {
      let flight: Flight = stored.map((isIncluded) => ({ ...startPosting(true), isIncluded }));
      for (const { event: happened, which, joins } of choices) {
        if (joins && hasRoom(flight, 4)) flight = [...flight, startPosting(false)];
        const steps = nextSteps(flight);
        expect(steps.length > 0).toBe(flight.some(({ isIncluded }) => !isIncluded));
        const step = steps[which] ?? steps[0];
        if (step === undefined) continue;
        const { kind, index } = step;
        const before = flight;
        if (kind !== 'ask') {
          expect(flight.slice(0, index).every((each) => each.isIncluded || (each.isSigned && each.isSubmitted))).toBe(
            true,
          );
          expect(flight[index]?.isSigned).toBe(kind === 'submit');
          const isAnswered = happened.kind !== 'failed';
          flight = afterEvent(flight, index, isAnswered ? (kind === 'sign' ? signed : submitted) : happened);
        } else flight = afterEvent(flight, index, happened);
        // Only an answer takes a signature away, and only of its subject. Included transactions stay included.
        for (const [at, { isSigned, isIncluded }] of before.entries()) {
          const isLost = kind === 'ask' && at === index && (happened === gone || isRefusal(happened));
          expect(isSigned && flight[at]?.isSigned === false).toBe(isLost);
          if (isIncluded) expect(flight[at]).toBe(before[at]);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

const isRefusal = (event: PostingEvent): boolean => event.kind === 'answer' && event.outcome.kind === 'refused';

test('pauses grow with losses, and are long where signing anew does not help', () => {
  const pause = (...events: readonly PostingEvent[]) => pauseMs(run(true, ...events), () => 1);
  expect(pause(gone)).toBe(500);
  expect(pause(gone, signed, gone)).toBe(1_000);
  expect(pause(refused('code 11116: invalid commitment'))).toBe(30_000);
});

test.each([
  ['insufficient minimum gas price for this node; got: 1utia, required: 372utia: insufficient fee', true],
  ['account sequence mismatch, expected 23, got 22: incorrect account sequence', true],
  ['another transaction has used sequence 5', true],
  ['tx timeout height', true],
  ['codespace blob code 11116: invalid commitment for share', false],
  ['code 5: insufficient funds', false],
])('a new signature helps against "%s": %s', (reason, expected) => {
  expect(isCurable(reason)).toBe(expected);
});
