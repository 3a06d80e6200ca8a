import type { Input } from '@switchyard/client/http-api';
import { numberOf, textOf, within, word } from '../api.ts';
import { formatBytes, formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Firmness } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { List, Table } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import { shown } from '../shown.ts';
import { Submission } from '../views/trace.tsx';
import { Address, blockOf, ether, gasPrice, recipientOf, status } from './cells.tsx';
import { internalColumns, transferColumns } from './columns.tsx';
import { Decoded } from './decoded.tsx';
import { TraceTree } from './trace.tsx';

const TYPES: Readonly<Record<string, string>> = {
  0: 'legacy',
  1: 'with access list (EIP-2930)',
  2: 'EIP-1559',
  3: 'with blobs (EIP-4844)',
  4: 'sets code (EIP-7702)',
};

export function EvmTransaction({ base, hash }: { readonly base: string; readonly hash: string }) {
  const { turn } = useLive();
  return (
    <Answer
      page="Transaction"
      path={`${base}/transactions/${encodeURIComponent(hash)}`}
      turn={turn}
      absent={
        <Absent title="No such transaction">
          No block in the index of this rollup has the transaction {shown(hash)}.
        </Absent>
      }
      show={(found) => (
        <>
          <Title>Transaction</Title>
          <Overview base={base} found={found} />
          <Meaning base={base} found={found} />
          <Transfers base={base} found={found} />
          <Logs base={base} found={found} />
          <Internal base={base} found={found} />
          <TraceTree base={base} hash={word(found.at('hash'))} />
          <Ordering submission={word(found.at('submission'))} />
        </>
      )}
    />
  );
}

function Overview({ base, found }: { readonly base: string; readonly found: Input }) {
  const type = textOf(found, 'type');
  const failure = textOf(found, 'revertReason', 'message');
  const gasLimit = numberOf(found, 'gasLimit') ?? 0;
  const used = gasLimit === 0 ? '' : ` (${((100 * (numberOf(found, 'gasUsed') ?? 0)) / gasLimit).toFixed(1)} %)`;
  return (
    <FactList
      facts={[
        ['Hash', <Id key="hash" text={word(found.at('hash'))} isWhole />],
        [
          'Result',
          <span key="result">
            {status(found)} {failure !== '' && <span className="reason">{failure}</span>}
          </span>,
        ],
        [
          'Block',
          <span key="block">
            {blockOf(base, 'block')(found)} <Firmness isFirm={word(found.at('isFirm')) === 'true'} />
          </span>,
        ],
        ['Time', <When key="time" at={found.at('time')} both />],
        ['From', <Address key="from" base={base} text={word(found.at('from'))} isWhole />],
        ['To', recipientOf(base)(found)],
        ['Value', ether(textOf(found, 'value'))],
        ['Fee', ether(textOf(found, 'fee'))],
        ['Gas', `${formatCount(textOf(found, 'gasUsed'))} of ${formatCount(gasLimit)}${used}`],
        ['Gas price', gasPrice(textOf(found, 'gasPrice'))],
        found.at('maxFee').isPresent
          ? ['Fee cap', `${gasPrice(textOf(found, 'maxFee'))}, priority fee ${gasPrice(textOf(found, 'maxTip'))}`]
          : undefined,
        ['Nonce', formatCount(textOf(found, 'nonce'))],
        ['Type', `${type}${TYPES[type] === undefined ? '' : `: ${TYPES[type]}`}`],
        textOf(found, 'problem') === '' ? undefined : ['Incomplete', textOf(found, 'problem')],
      ]}
    />
  );
}

/** What the input stands for, and what it reverted with. */
function Meaning({ base, found }: { readonly base: string; readonly found: Input }) {
  const size = numberOf(found, 'inputBytes') ?? 0;
  const error = within(found, 'revertReason', 'error');
  if (size === 0 && !error.isPresent) return null;
  const input = word(found.at('input'));
  return (
    <section className="card" aria-label="Input">
      <h2>{word(found.at('created')) === '' ? 'Call' : 'Contract creation'}</h2>
      {found.at('call').isPresent && <Decoded base={base} decoded={found.at('call')} />}
      <details open={!found.at('call').isPresent && size <= 256}>
        <summary>Input, {formatBytes(size)}</summary>
        <pre className="scroll">
          {input}
          {input.length < 2 + 2 * size ? '…' : ''}
        </pre>
      </details>
      {error.isPresent && (
        <>
          <h3>Reverted with</h3>
          <Decoded base={base} decoded={error} />
        </>
      )}
    </section>
  );
}

function Transfers({ base, found }: { readonly base: string; readonly found: Input }) {
  const rows = found.at('tokenTransfers').list();
  if (rows.length === 0) return null;
  return (
    <section className="card" aria-label="Token transfers">
      <h2>Token transfers</h2>
      <Table columns={transferColumns(base).slice(2)} rows={rows} name="Token transfers" />
    </section>
  );
}

function Logs({ base, found }: { readonly base: string; readonly found: Input }) {
  const logs = found.at('logs').list();
  const total = numberOf(found, 'logCount') ?? logs.length;
  if (logs.length === 0) return null;
  return (
    <section className="card" aria-label="Logs">
      <h2>
        Logs{' '}
        <span className="quiet">
          ({total > logs.length ? `the first ${logs.length} of ${formatCount(total)}` : total})
        </span>
      </h2>
      <ol className="actions">
        {logs.map((log) => (
          <li key={word(log.at('index'))}>
            <Log base={base} log={log} />
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Log({ base, log }: { readonly base: string; readonly log: Input }) {
  const data = word(log.at('data'));
  const raw = (
    <dl className="members">
      {log
        .at('topics')
        .list()
        .map((topic, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: topics are known by their position
          <div key={index}>
            <dt>topic {index}</dt>
            <dd>
              <code>{word(topic)}</code>
            </dd>
          </div>
        ))}
      {data !== '0x' && (
        <div>
          <dt>data, {formatBytes(numberOf(log, 'dataBytes') ?? 0)}</dt>
          <dd>
            <code>{data}</code>
          </dd>
        </div>
      )}
    </dl>
  );
  return (
    <>
      <Address base={base} text={word(log.at('address'))} />
      {log.at('event').isPresent ? (
        <>
          <Decoded base={base} decoded={log.at('event')} />
          <details>
            <summary>Topics and data</summary>
            {raw}
          </details>
        </>
      ) : (
        raw
      )}
    </>
  );
}

function Internal({ base, found }: { readonly base: string; readonly found: Input }) {
  const count = numberOf(found, 'internalCalls');
  if (count === undefined || count === 0) return null;
  return (
    <List
      title="Internal calls"
      path={`${base}/transactions/${word(found.at('hash'))}/internal`}
      columns={internalColumns(base).slice(2)}
      isOptional
    />
  );
}

/** How it was ordered: from the composer to its block, with the inclusion proof. */
function Ordering({ submission }: { readonly submission: string }) {
  const { turn } = useLive();
  if (submission === '') return null;
  return (
    <Answer
      path={`/trace/${submission}`}
      turn={turn}
      absent={<p className="quiet">The index of the sequencer does not have it yet.</p>}
      show={(trace) =>
        trace
          .at('submissions')
          .list()
          .map((each) => (
            <Submission
              key={`${word(within(each, 'sequencer', 'height'))} ${word(each.at('position'))}`}
              submission={each}
            />
          ))
      }
    />
  );
}
