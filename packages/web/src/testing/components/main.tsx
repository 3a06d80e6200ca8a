import type { ReactNode } from 'react';
import { Amount } from '../../ui/amount.tsx';
import { Badge } from '../../ui/badge.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/header.tsx';
import { Id } from '../../ui/id.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Empty, Message } from '../../ui/message.tsx';
import { mount } from '../../ui/mount.ts';
import { PageFooter } from '../../ui/page-footer.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { When } from '../../ui/when.tsx';

/* All components on one page, for pictures of them. No process serves it. */

const TONES = ['plain', 'good', 'warn', 'bad'] as const;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(performance.timeOrigin - days * DAY_MS).toISOString();

interface Row {
  readonly account: string;
  readonly amount: string;
  readonly tone: (typeof TONES)[number];
  readonly days: number;
}

const ROWS: readonly Row[] = TONES.map((tone, index) => ({
  account: `0x${String(index + 1).repeat(40)}`,
  amount: `${10 ** (2 * index + 1)}.5`,
  tone,
  days: index + 3,
}));

const COLUMNS: Columns<Row> = [
  ['Account', ({ account }) => <Id text={account} isAccount href="#account" />],
  ['State', ({ tone }) => <Badge tone={tone}>{tone}</Badge>],
  ['When', ({ days }) => <When at={daysAgo(days)} />],
  ['Amount', ({ amount }) => <Amount value={amount} unit="RIA" />, 'number'],
];

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="card" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Components() {
  return (
    <>
      <PageHeader kind="start" health={{ tone: 'good', text: 'block 1,234' }} />
      <main id="main" tabIndex={-1}>
        <h1>Components</h1>
        <Part name="Buttons">
          <div className="row">
            <button type="button" onClick={() => toast('Sent 1 RIA.', 'good')}>
              Send
            </button>
            <button type="button" className="plain">
              Cancel
            </button>
            <button type="button" className="plain small">
              Small
            </button>
            <button type="button" disabled>
              Disabled
            </button>
          </div>
        </Part>
        <Part name="Fields">
          <Field id="address" label="Address" hint="0x and 40 digits">
            <input id="address" aria-describedby="address-hint" defaultValue={ADDRESS} />
            <button type="button">Send 1 RIA</button>
          </Field>
          <Field id="amount" label="Amount" problem="More than this account has.">
            <input id="amount" aria-describedby="amount-hint" aria-invalid="true" defaultValue="100" />
          </Field>
        </Part>
        <Part name="Messages">
          <div className="row">
            {TONES.map((tone) => (
              <Message key={tone} tone={tone}>
                The outcome is {tone}.
              </Message>
            ))}
          </div>
        </Part>
        <FactList
          facts={[
            ['Account', <Id key="account" text={ADDRESS} isAccount isWhole />],
            ['Balance', <Amount key="balance" value="1234567.000000001" unit="RIA" />],
            ['JSON-RPC', <Id isWhole key="url" text="http://127.0.0.1:8545" what="the address" />],
            ['Made', <When key="made" at={daysAgo(9)} />],
          ]}
        />
        <Part name="List">
          <ol>
            <li>Accepted by the composer</li>
            <li>Sequenced in a block</li>
          </ol>
        </Part>
        <Part name="Table">
          <Table name="Payments" columns={COLUMNS} rows={ROWS} />
        </Part>
        <Part name="Loading">
          <Table name="Payments on their way" columns={COLUMNS} rows={undefined} likely={2} />
        </Part>
        <Loading />
        <Part name="Empty">
          <Empty
            title="No messages yet"
            action={
              <button type="button" className="plain">
                Write one
              </button>
            }
          >
            They come with the first block.
          </Empty>
        </Part>
      </main>
      <PageFooter>
        <a href="#json">The same as JSON</a>
      </PageFooter>
    </>
  );
}

mount(<Components />);
