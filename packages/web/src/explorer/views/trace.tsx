import type { Input } from '@switchyard/client/http-api';
import type { ReactNode } from 'react';
import { numberOf, rollupPath, textOf, within, word } from '../api.ts';
import { formatBytes, formatDuration } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { count, Firmness, link, outcome, State } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { When } from '../parts/when.tsx';
import { shown } from '../shown.ts';
import { Proof } from './proof.tsx';

/** The way of one transaction through all processes. */
export function Trace({ rollup, hash }: { readonly rollup: string; readonly hash: string }) {
  const { turn } = useLive();
  return (
    <Answer
      page="Rollup transaction"
      path={`/trace/${encodeURIComponent(hash)}`}
      turn={turn}
      absent={
        <Absent title="No such transaction">
          No block in the index has the transaction {shown(hash)}, and no rollup that is followed knows it.
        </Absent>
      }
      show={(trace) => (
        <>
          <Title>Rollup transaction</Title>
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={hash} isWhole />],
              [
                'Rollup',
                <a key="rollup" href={`#/rollups/${encodeURIComponent(rollup)}`}>
                  {shown(rollup.length > 20 ? `${rollup.slice(0, 10)}…` : rollup)}
                </a>,
              ],
            ]}
          />
          {trace
            .at('waiting')
            .list()
            .map((each) => (
              <section className="card" key={word(each.at('rollup'))}>
                <h2>
                  {textOf(each, 'name')}:{' '}
                  <State
                    state={textOf(each, 'outcome', 'state') || 'waiting'}
                    reason={textOf(each, 'outcome', 'reason')}
                  />
                </h2>
                <p className="quiet">It is in no sequencer block yet.</p>
              </section>
            ))}
          {trace
            .at('submissions')
            .list()
            .map((each) => (
              <Submission
                key={`${word(each.at('rollup'))} ${word(within(each, 'sequencer', 'height'))} ${word(each.at('position'))}`}
                submission={each}
              />
            ))}
        </>
      )}
    />
  );
}

export function Submission({ submission }: { readonly submission: Input }) {
  const base = rollupPath(submission.at('rollup'));
  const block = word(within(submission, 'execution', 'block'));
  const layer = within(submission, 'layer');
  return (
    <section className="card" aria-label="Way of the transaction">
      <h2>
        {textOf(submission, 'name') || 'Rollup'}: {outcome(submission)}
      </h2>
      <ol className="trace">
        <Step name="Accepted by the composer" at={within(submission, 'accepted', 'at')}>
          {!within(submission, 'accepted').isPresent && (
            <span className="quiet">the composer no longer has the time</span>
          )}
        </Step>
        <Step
          name="Bundled"
          at={within(submission, 'accepted', 'bundledAt')}
          after={within(submission, 'accepted', 'at')}
        >
          in {link('transactions', 'hash')(submission.at('bundle'))}
        </Step>
        <Step
          name="Sequenced"
          at={within(submission, 'sequencer', 'time')}
          after={within(submission, 'accepted', 'bundledAt')}
        >
          in block {link('blocks', 'height')(submission.at('sequencer'))},{' '}
          {formatBytes(numberOf(submission, 'size') ?? 0)}
        </Step>
        {layer.isPresent && (
          <Step name="Posted" at={layer.at('at')} after={within(submission, 'sequencer', 'time')}>
            to the data-availability layer, height {count('layer', 'height')(submission)}
          </Step>
        )}
        <Step
          name="Executed"
          at={within(submission, 'execution', 'seen')}
          after={within(submission, 'sequencer', 'time')}
          isDone={block !== ''}
        >
          {block === '' ? (
            <span className="quiet">not seen: no node is followed, or it has not come so far</span>
          ) : (
            <>
              in rollup block <a href={`#${base}/blocks/${block}`}>{block}</a>{' '}
              <Firmness isFirm={word(within(submission, 'execution', 'isFirm')) === 'true'} />
            </>
          )}
        </Step>
      </ol>
      <Proof submission={submission} />
    </section>
  );
}

/** One stage, with its time and how long it took from the one before. */
function Step({
  name,
  at,
  after,
  isDone = at.isPresent,
  children,
}: {
  readonly name: string;
  readonly at: Input;
  readonly after?: Input;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}) {
  const ms = Date.parse(word(at)) - Date.parse(word(after ?? at));
  return (
    <li className={isDone ? 'done' : ''}>
      <strong>{name}</strong> {children}
      <br />
      <span className="quiet">
        {at.isPresent && <When at={at} both />}
        {after !== undefined && ms > 0 && ` · ${formatDuration(ms)} later`}
      </span>
    </li>
  );
}
