import { type EvmLog, evm, explorer, type FullEvmTransaction } from '@switchyard/explorer/contract';
import { Digits } from '../../ui/amount.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Folded } from '../../ui/folded.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { ask, wholeList } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { Firmness, Id, Long } from '../parts/cells.tsx';
import { Card, Items, Title } from '../parts/layout.tsx';
import { listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { evmSentence } from '../story/evm.ts';
import { Story } from '../story/story.tsx';
import { Submissions } from '../views/trace.tsx';
import { ether, gasPrice } from './amounts.ts';
import { Address, block, CALLS, recipient, status, TRANSFERS } from './columns.tsx';
import { Decoded } from './decoded.tsx';
import { TraceTree } from './trace.tsx';

const TYPES: Readonly<Record<string, string>> = {
  0: 'legacy',
  1: 'with access list (EIP-2930)',
  2: 'EIP-1559',
  3: 'with blobs (EIP-4844)',
  4: 'sets code (EIP-7702)',
};

export function EvmTransaction({ rollup, id: hash }: PageProps) {
  return (
    <Answer
      page="Transaction"
      route={evm.getEvmTransaction}
      params={{ rollup, hash }}
      absent={`No block in the index of this rollup has the transaction ${shown(hash)}.`}
      show={(found) => (
        <>
          <Title>Transaction</Title>
          <Story parts={evmSentence(found)}>
            {status(found)}
            <When at={found.time} both />
            <span>
              fee <Digits text={ether(found.fee)} />
            </span>
          </Story>
          <Answer
            route={explorer.getTrace}
            params={{ hash: found.submission }}
            absent={<p className="quiet">The index of the sequencer does not have it yet.</p>}
            show={({ submissions }) => <Submissions all={submissions} />}
          />
          <Overview {...found} />
          <Reason {...found} />
          {found.tokenTransfers.length > 0 && (
            <Card title="Token transfers">
              <Table columns={TRANSFERS.slice(2)} rows={found.tokenTransfers} name="Token transfers" />
            </Card>
          )}
          {found.call !== null && (
            <Card title="Call">
              <Decoded decoded={found.call} />
            </Card>
          )}
          <Authorizations {...found} />
          <Logs {...found} />
          {found.internalCalls !== null &&
            found.internalCalls > 0 &&
            listed('Internal calls', getCalls(rollup, found.hash), CALLS).show({
              isOptional: true,
              isOnce: true,
            })}
          <TraceTree rollup={rollup} hash={found.hash} />
          <Raw {...found} />
        </>
      )}
    />
  );
}

const getCalls = (rollup: string, hash: string) =>
  wholeList(`internal ${hash}`, async () => (await ask(evm.listEvmInternalCalls, { rollup, hash })).items);

function Overview(found: FullEvmTransaction) {
  return (
    <FactList
      facts={[
        ['Hash', <Id key="hash" text={found.hash} isWhole />],
        [
          'Block',
          <span key="block">
            {block('block')(found)} <Firmness isFirm={found.isFirm} />
          </span>,
        ],
        ['From', <Address key="from" text={found.from} isWhole />],
        ['To', recipient(found)],
        ['Value', ether(found.value)],
        found.problem === null ? undefined : ['Incomplete', shown(found.problem)],
      ]}
    />
  );
}

/** Why a transaction failed. */
function Reason({ revertReason }: FullEvmTransaction) {
  if (revertReason === null) return null;
  const { error, message } = revertReason;
  return (
    <Card title="Reverted with">
      <p className="reason">
        <Long>{shown(message)}</Long>
      </p>
      {error !== null && <Decoded decoded={error} />}
    </Card>
  );
}

/** Prices, and the input as bytes. */
function Raw({ gasLimit, gasUsed, maxFee, type, input, inputBytes, ...found }: FullEvmTransaction) {
  const used = gasLimit === 0 ? '' : ` (${((100 * gasUsed) / gasLimit).toFixed(1)} %)`;
  return (
    <Folded title={inputBytes === 0 ? 'Raw data' : `Raw data: gas, and ${formatBytes(inputBytes)} of input`}>
      <FactList
        facts={[
          ['Gas', `${formatCount(gasUsed)} of ${formatCount(gasLimit)}${used}`],
          ['Gas price', gasPrice(found.gasPrice)],
          maxFee === null ? undefined : ['Fee cap', `${gasPrice(maxFee)}, priority fee ${gasPrice(found.maxTip)}`],
          ['Nonce', formatCount(found.nonce)],
          ['Type', `${type}${TYPES[type] === undefined ? '' : `: ${TYPES[type]}`}`],
        ]}
      />
      {inputBytes > 0 && (
        <pre className="scroll">
          {input}
          {input.length < 2 + 2 * inputBytes ? '…' : ''}
        </pre>
      )}
    </Folded>
  );
}

/** Authorizations of accounts to run the code of others (EIP-7702). */
function Authorizations({ authorizations }: FullEvmTransaction) {
  if (authorizations === null || authorizations.length === 0) return null;
  return (
    <Card title="Authorizations">
      <Items
        of={authorizations}
        show={({ address, nonce, chainId }) => (
          <>
            Run the code of <Address text={address} /> for nonce {formatCount(nonce)},{' '}
            {chainId === '0' ? 'on every chain' : `on chain ${chainId}`}
          </>
        )}
      />
    </Card>
  );
}

function Logs({ logs, logCount }: FullEvmTransaction) {
  if (logs.length === 0) return null;
  return (
    <Card
      title="Logs"
      note={`(${logCount > logs.length ? `the first ${logs.length} of ` : ''}${formatCount(logCount)})`}
    >
      <Items of={logs} show={(log) => <Log log={log} />} />
    </Card>
  );
}

export function Log({ log: { address, topics, data, dataBytes, event } }: { readonly log: EvmLog }) {
  const raw = (
    <FactList
      className="members"
      facts={[
        ...topics.map((topic, index) => [`topic ${index}`, <code key={topic}>{topic}</code>] as const),
        data === '0x' ? undefined : [`data, ${formatBytes(dataBytes)}`, <code key="data">{data}</code>],
      ]}
    />
  );
  return (
    <>
      <Address text={address} />
      {event === null ? (
        raw
      ) : (
        <>
          <Decoded decoded={event} />
          <details>
            <summary>Topics and data</summary>
            {raw}
          </details>
        </>
      )}
    </>
  );
}
