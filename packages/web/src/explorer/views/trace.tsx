import { Input } from '@switchyard/client/http-api';
import { explorer, type TracedSubmission } from '@switchyard/explorer/contract';
import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { rollupPath, word } from '../api.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Firmness, Link, rollupFact, State } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { Proof } from './proof.tsx';

/** The way of one transaction through all processes. */
export function Trace({ rollup, hash }: { readonly rollup: string; readonly hash: string }) {
  const { turn } = useLive();
  return (
    <Answer
      page="Rollup transaction"
      route={explorer.getTrace}
      params={{ hash }}
      turn={turn}
      absent={
        <Absent title="No such transaction">
          No block in the index has the transaction {shown(hash)}, and no rollup that is followed knows it.
        </Absent>
      }
      show={({ waiting, submissions }) => (
        <>
          <Title>Rollup transaction</Title>
          <FactList facts={[['Hash', <Id key="hash" text={hash} isWhole />], rollupFact(rollup)]} />
          {waiting.map((each) => (
            <section className="card" key={each.rollup}>
              <h2>
                {shown(each.name)}: <Outcome outcome={each.outcome} />
              </h2>
              <p className="quiet">It is in no sequencer block yet.</p>
            </section>
          ))}
          <Submissions all={submissions} />
        </>
      )}
    />
  );
}

/** The answer of a rollup's node, which has its own form. */
function Outcome({ outcome }: { readonly outcome: unknown }) {
  const input = new Input(outcome, 'outcome');
  const at = (name: string) => (input.isObject ? word(input.at(name)) : '');
  return <State state={at('state') || 'waiting'} reason={at('reason')} />;
}

export const Submissions = ({ all }: { readonly all: readonly TracedSubmission[] }) =>
  all.map((each) => <Submission key={`${each.rollup} ${each.sequencer.height} ${each.position}`} submission={each} />);

function Submission({ submission }: { readonly submission: TracedSubmission }) {
  const { rollup, name, state, size, accepted, bundle, sequencer, layer, execution } = submission;
  return (
    <section className="card" aria-label="Way of the transaction">
      <h2>
        {shown(name) || 'Rollup'}: <State state={state} reason={execution?.reason} />
      </h2>
      <ol className="trace">
        <Step name="Accepted by the composer" at={accepted?.at}>
          {accepted === null && <span className="quiet">the composer no longer has the time</span>}
        </Step>
        <Step name="Bundled" at={accepted?.bundledAt} after={accepted?.at ?? null}>
          in <Link kind="transactions" id={bundle.hash} />
        </Step>
        <Step name="Sequenced" at={sequencer.time} after={accepted?.bundledAt ?? null}>
          in block <Link kind="blocks" id={sequencer.height} />, {formatBytes(size)}
        </Step>
        {layer !== null && (
          <Step name="Posted" at={layer.at} after={sequencer.time}>
            to the data-availability layer, height {formatCount(layer.height)}
          </Step>
        )}
        <Step name="Executed" at={execution?.seen} after={sequencer.time} isDone={execution !== null}>
          {execution === null ? (
            <span className="quiet">not seen: no node is followed, or it has not come so far</span>
          ) : (
            <>
              in rollup block <a href={`#${rollupPath(rollup)}/blocks/${execution.block}`}>{execution.block}</a>{' '}
              <Firmness isFirm={execution.isFirm} />
            </>
          )}
        </Step>
      </ol>
      <Proof submission={submission} />
    </section>
  );
}

interface StepProps {
  readonly name: string;
  readonly at: string | null | undefined;
  readonly after?: string | null;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}

/** One stage, with its time and how long it took from the one before. */
function Step({ name, at = null, after, isDone = at !== null, children }: StepProps) {
  const ms = Date.parse(at ?? '') - Date.parse(after ?? '');
  return (
    <li className={isDone ? 'done' : ''}>
      <strong>{name}</strong> {children}
      <br />
      <span className="quiet">
        {at !== null && <When at={at} both />}
        {ms > 0 && ` · ${formatDuration(ms)} later`}
      </span>
    </li>
  );
}
