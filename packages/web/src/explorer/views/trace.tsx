import { Input } from '@switchyard/client/http-api';
import { explorer, rollups, type TracedSubmission } from '@switchyard/explorer/contract';
import type { ReactNode } from 'react';
import { FactList } from '../../ui/facts.tsx';
import { Folded } from '../../ui/folded.tsx';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { ask, askNode, rollupPath } from '../api.ts';
import { Answer, useAsked } from '../parts/answer.tsx';
import { Id, Link, rollupFact, State } from '../parts/cells.tsx';
import { Card, Each, Title } from '../parts/layout.tsx';
import { InRollupBlock, OnLayer, StepLine } from '../parts/steps.tsx';
import type { PageProps } from '../route.ts';
import { actionSentence } from '../story/actions.ts';
import type { Part } from '../story/sentence.ts';
import { Story } from '../story/story.tsx';
import { getSteps, type Step, untilMs } from '../story/way.ts';
import { elements, word } from '../word.ts';
import { Action, Members } from './members.tsx';
import { Proof } from './proof.tsx';

/** The way of one transaction through all processes. */
export function Trace({ rollup, id: hash }: PageProps) {
  return (
    <Answer
      page="Rollup transaction"
      route={explorer.getTrace}
      params={{ hash }}
      absent={`No block in the index has the transaction ${shown(hash)}, and no rollup that is followed knows it.`}
      show={({ waiting, submissions }) => (
        <>
          <Title>Rollup transaction</Title>
          {waiting.map((each) => (
            <section className="card" key={each.rollup}>
              <h2>
                {shown(each.name)}: <Outcome outcome={each.outcome} />
              </h2>
              <p className="quiet">It is in no sequencer block yet.</p>
            </section>
          ))}
          {submissions[0] === undefined ? (
            <FactList facts={[['Hash', <Id key="hash" text={hash} isWhole />], rollupFact(rollup)]} />
          ) : (
            <Meaning submission={submissions[0]}>
              <Submissions all={submissions} />
            </Meaning>
          )}
        </>
      )}
    />
  );
}

/** The transaction as a node of its rollup reads it: a sentence, its way, and below these all that it has. */
function Meaning({ submission, children }: { readonly submission: TracedSubmission; readonly children: ReactNode }) {
  const { rollup, name, hash, size, state, execution, sequencer } = submission;
  const params = { rollup, hash };
  const { value, error } = useAsked(`content ${rollup} ${hash}`, () =>
    ask(rollups.getRollupTransactionContent, params),
  );
  const decoded = new Input(value?.decoded, 'transaction');
  const base = rollupPath(rollup);
  const actions = decoded.isObject ? elements(decoded.at('actions')) : [];
  const signer = decoded.isObject ? word(decoded.at('signer')) : '';
  const parts: readonly Part[] =
    actions.length === 0
      ? [`${formatBytes(size)} for `, { kind: 'link', text: name ?? `${rollup.slice(0, 10)}…`, to: base }]
      : actionSentence(
          { signer: signer || null, actions: actions.map((each) => each.value), isDone: state !== 'refused' },
          { account: (address) => `${base}/accounts/${address}`, rollupName: () => undefined },
        );
  return (
    <>
      {value === undefined && error === undefined ? (
        <Loading shape="line" count={2} />
      ) : (
        <Story parts={parts}>
          <State state={state} reason={execution?.reason} />
          <When at={sequencer.time} both />
        </Story>
      )}
      {children}
      <Events rollup={rollup} hash={hash} state={state} />
      <FactList
        facts={[
          ['Hash', <Id key="hash" text={hash} isWhole />],
          rollupFact(name ?? rollup),
          decoded.isObject ? ['Nonce', formatCount(word(decoded.at('nonce')))] : undefined,
        ]}
      />
      {value !== undefined && (
        <Folded title="Raw data">
          {decoded.isObject && <Members of={decoded} />}
          <pre className="scroll">{value.bytes}</pre>
        </Folded>
      )}
    </>
  );
}

/** Events of an executed transaction, if the node of its rollup has some. */
function Events({ rollup, hash, state }: Pick<TracedSubmission, 'rollup' | 'hash' | 'state'>) {
  const { value } = useAsked(`outcome ${rollup} ${hash} ${state}`, () => askNode(rollup, `transactions/${hash}`));
  const events = value?.isObject === true ? elements(value.at('events')) : [];
  if (events.length === 0) return null;
  return (
    <Card title="Events">
      <Each of={events} show={(event) => <Action action={event} />} />
    </Card>
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

const STAGES: Readonly<Record<Step['stage'], string>> = {
  accepted: 'Accepted',
  bundled: 'Bundled',
  sequenced: 'Sequenced',
  executed: 'Executed',
  posted: 'Posted',
  firm: 'Firm',
};

function Submission({ submission }: { readonly submission: TracedSubmission }) {
  const { name, state } = submission;
  const steps = getSteps(submission);
  const whole = untilMs(steps, 'executed');
  return (
    <section className="card" aria-label="Way of the transaction">
      <div className="head">
        <h2>Way through {shown(name) || 'the rollup'}</h2>
        {whole !== undefined && <span className="quiet">executed after {formatDuration(whole)}</span>}
      </div>
      <ol className="trace">
        {steps.map(({ stage, ...step }) => (
          <StepLine
            key={stage}
            {...step}
            name={stage === 'executed' && state === 'refused' ? 'Refused' : STAGES[stage]}
            tone={stage === 'executed' && state === 'refused' ? 'bad' : undefined}
          >
            {PLACES[stage](submission)}
          </StepLine>
        ))}
      </ol>
      <Proof
        name="Check the inclusion proof"
        check={async () => (await import('../check-proof.ts')).provenSubmission(submission)}
      />
    </section>
  );
}

/** Place of a stage, or why it is not known. */
const PLACES: Readonly<Record<Step['stage'], (submission: TracedSubmission) => ReactNode>> = {
  accepted: () => 'by the composer',
  bundled: ({ bundle }) => (
    <>
      in <Link kind="transactions" id={bundle.hash} />
    </>
  ),
  sequenced: ({ sequencer, size }) => (
    <>
      in block <Link kind="blocks" id={sequencer.height} />, {formatBytes(size)}
    </>
  ),
  executed: ({ rollup, execution }) =>
    execution === null ? (
      <span className="quiet">not seen: no node is followed, or it has not come so far</span>
    ) : (
      <InRollupBlock rollup={rollup} block={execution.block} />
    ),
  posted: ({ layer }) => <OnLayer layer={layer} />,
  firm: ({ execution }) =>
    execution?.isFirm === true ? (
      'the rollup will not undo it'
    ) : (
      <span className="quiet">not yet: it may still be undone</span>
    ),
};
