import { ETHER } from '@switchyard/protocol/values';
import { type FunctionFragment, Interface, type ParamType } from 'ethers/abi';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { shown } from '../../ui/shown.ts';
import { type Network, useWallets, type Wallet, walletMessage } from '../../wallets.ts';
import { Long } from '../parts/cells.tsx';
import { callContract, findReceipt, Reverted } from './rpc.ts';
import { parseCoins, parseValue, resultAt } from './values.ts';
import { sendCall } from './wallets.ts';

interface Target {
  readonly rollup: string;
  readonly address: string;
  readonly network: Network;
}

interface FunctionsProps extends Target {
  readonly part: 'read' | 'write';
  readonly abi: readonly unknown[];
}

/** Forms for what can be read from a contract, and for what a wallet can write. */
export default function Functions({ abi, part, ...target }: FunctionsProps) {
  const contract = useMemo(() => Interface.from(JSON.stringify(abi)), [abi]);
  const functions = contract.fragments.filter((each): each is FunctionFragment => each.type === 'function');
  const formless = abi.flatMap((each) => formlessName(each, functions));
  const [reads, writes] = [functions.filter((each) => each.constant), functions.filter((each) => !each.constant)];
  return (
    <>
      {part === 'read' ? (
        <section className="card" aria-label="Read">
          <h2 className="hidden">Read</h2>
          {reads.length === 0 && <p className="quiet">Nothing can be read.</p>}
          {reads.map((each) => (
            <ReadForm key={each.selector} contract={contract} fragment={each} {...target} />
          ))}
        </section>
      ) : (
        <Writes contract={contract} fragments={writes} {...target} />
      )}
      {formless.length > 0 && (
        <p className="quiet">
          Without a form, as they have parameters of types that cannot be written here: {formless.map(shown).join(', ')}
        </p>
      )}
    </>
  );
}

/** The name of a function of the ABI that cannot be called. */
function formlessName(item: unknown, functions: readonly FunctionFragment[]): string[] {
  const { type, name, inputs } = Object(item) as {
    readonly type?: unknown;
    readonly name?: unknown;
    readonly inputs?: unknown;
  };
  if (type !== 'function' || typeof name !== 'string' || !Array.isArray(inputs)) return [];
  const types = inputs.map((each) => String(Object(each).type)).join();
  const has = functions.some((each) => each.name === name && each.inputs.map((input) => input.type).join() === types);
  return has ? [] : [name];
}

interface Outcome {
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
  readonly transaction?: string;
}

interface FormProps extends Target {
  readonly contract: Interface;
  readonly fragment: FunctionFragment;
}

function ReadForm({ contract, fragment, rollup, address }: FormProps) {
  const read = async (values: readonly string[]): Promise<Outcome> => {
    const data = contract.encodeFunctionData(fragment, getArguments(fragment, values));
    const answer = await callContract(rollup, { to: address, data });
    const results = contract.decodeFunctionResult(fragment, answer);
    const lines = fragment.outputs.map((output, index) => {
      const text = resultAt(output, results, index);
      return output.name === '' ? text : `${shown(output.name)}: ${text}`;
    });
    return { tone: 'good', text: lines.join('\n') };
  };
  return <CallForm contract={contract} fragment={fragment} action="Read" run={read} />;
}

function Writes({
  contract,
  fragments,
  ...target
}: Target & { readonly contract: Interface; readonly fragments: readonly FunctionFragment[] }) {
  const wallets = useWallets();
  const [chosen, choose] = useState('');
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0];
  const label = useId();
  return (
    <section className="card" aria-label="Write">
      <h2 className="hidden">Write</h2>
      {wallet === undefined ? (
        <p className="quiet">
          No wallet of this browser has announced itself. With one, functions that write can be called here.
        </p>
      ) : (
        <p>
          <label htmlFor={label}>Wallet</label>{' '}
          <select id={label} value={wallet.id} onChange={(event) => choose(event.currentTarget.value)}>
            {wallets.map(({ id, name }) => (
              <option key={id} value={id}>
                {shown(name)}
              </option>
            ))}
          </select>
        </p>
      )}
      {fragments.length === 0 && <p className="quiet">Nothing can be written.</p>}
      {fragments.map((each) => (
        <WriteForm key={each.selector} contract={contract} fragment={each} wallet={wallet} {...target} />
      ))}
    </section>
  );
}

const RECEIPT_TRIES = 120;
const RECEIPT_EVERY_MS = 500;

function WriteForm({
  contract,
  fragment,
  wallet,
  rollup,
  address,
  network,
}: FormProps & { readonly wallet: Wallet | undefined }) {
  const write = async (
    values: readonly string[],
    coins: string,
    show: (outcome: Outcome) => void,
  ): Promise<Outcome> => {
    if (wallet === undefined) throw new Error('no wallet of this browser has announced itself');
    const data = contract.encodeFunctionData(fragment, getArguments(fragment, values));
    const value = fragment.payable ? parseCoins(coins) : 0n;
    show({ tone: 'plain', text: 'Confirm it in the wallet.' });
    const transaction = await sendCall(wallet, network, { to: address, data, value });
    show({ tone: 'plain', text: 'Sent, not in a block yet.', transaction });
    for (let tries = 0; tries < RECEIPT_TRIES; tries += 1) {
      const receipt = await findReceipt(rollup, transaction).catch(() => undefined);
      if (receipt !== undefined) {
        const block = Number(receipt.at('blockNumber').text());
        return Number(receipt.at('status').text()) === 1
          ? { tone: 'good', text: `Executed in block ${block}.`, transaction }
          : { tone: 'bad', text: `Failed in block ${block}.`, transaction };
      }
      await new Promise((resolve) => window.setTimeout(resolve, RECEIPT_EVERY_MS));
    }
    return { tone: 'plain', text: 'Sent, and in no block yet.', transaction };
  };
  return (
    <CallForm
      contract={contract}
      fragment={fragment}
      action="Write"
      run={write}
      isDisabled={wallet === undefined}
      link={(transaction) => `#/rollups/${encodeURIComponent(rollup)}/evm/transactions/${transaction}`}
    />
  );
}

interface CallFormProps extends Pick<FormProps, 'contract' | 'fragment'> {
  readonly action: string;
  readonly run: (values: readonly string[], coins: string, show: (outcome: Outcome) => void) => Promise<Outcome>;
  readonly isDisabled?: boolean;
  readonly link?: (transaction: string) => string;
}

/** One function with a field for each parameter. */
function CallForm({ contract, fragment, action, run, isDisabled = false, link }: CallFormProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const values = fragment.inputs.map((_, index) => String(fields.get(`input ${index}`) ?? ''));
    setBusy(true);
    setOutcome(undefined);
    try {
      setOutcome(await run(values, String(fields.get('coins') ?? ''), setOutcome));
    } catch (error) {
      setOutcome({ tone: 'bad', text: failureText(contract, error) });
    } finally {
      setBusy(false);
    }
  };
  const name = fragment.format('sighash');
  return (
    <form className="call" aria-label={`${action} ${name}`} onSubmit={(event) => void submit(event)}>
      <h3>
        <code>{shown(fragment.name)}</code>
      </h3>
      {fragment.inputs.map((input, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a parameter is known by its position
        <Field key={index} name={`input ${index}`} label={toLabel(input, index)} hint={getHint(input)} />
      ))}
      {action === 'Write' && fragment.payable && <Field name="coins" label={`Value in ${ETHER.symbol}`} hint="0" />}
      <button type="submit" className="small" disabled={isBusy || isDisabled} aria-label={`${action} ${fragment.name}`}>
        {action}
      </button>
      <output className={outcome === undefined ? 'hidden' : `message ${outcome.tone}`}>
        {outcome !== undefined && (
          <span className="result">
            <Long>{outcome.text}</Long>
          </span>
        )}
        {outcome?.transaction !== undefined && link !== undefined && (
          <>
            {' '}
            <a href={link(outcome.transaction)}>Transaction</a>
          </>
        )}
      </output>
    </form>
  );
}

function Field({ name, label, hint }: { readonly name: string; readonly label: string; readonly hint: string }) {
  const id = useId();
  return (
    <p>
      <label htmlFor={id}>{shown(label)}</label>
      <input id={id} name={name} placeholder={hint} autoComplete="off" spellcheck={false} />
    </p>
  );
}

const getArguments = ({ inputs }: FunctionFragment, values: readonly string[]): unknown[] =>
  inputs.map((input, index) => parseValue(input, values[index] ?? ''));

const toLabel = (input: ParamType, index: number): string => `${input.name || `argument ${index + 1}`} (${input.type})`;

function getHint(input: ParamType): string {
  if (input.isArray()) return '[…]';
  if (input.isTuple()) return `{"${input.components[0]?.name || '0'}": …}`;
  return input.baseType === 'bool' ? 'true or false' : '';
}

function failureText(contract: Interface, error: unknown): string {
  if (!(error instanceof Reverted)) return shown(walletMessage(error));
  const parsed = error.data === undefined ? null : contract.parseError(error.data);
  if (parsed === null) return `Reverted: ${shown(error.message)}`;
  const values = parsed.fragment.inputs.map((input, index) => resultAt(input, parsed.args, index));
  return `Reverted: ${shown(parsed.name)}(${values.join(', ')})`;
}
